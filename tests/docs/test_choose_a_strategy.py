"""The how-to on strategies: every one is named, and its example says what it does."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

from api.session_models import SessionIn
from compactor import Policy, Session
from compactor.strategies import NAMES
from tests.docs.fences import ROOT, blocks, page_text

PAGE = "docs/how-to/choose-a-strategy.md"


def test_every_strategy_is_named_once_in_the_table() -> None:
    assert re.findall(r"^\| `(\w+)` \|", page_text(PAGE), re.MULTILINE) == list(NAMES)


def test_the_example_folds_and_summarises_and_says_why(tmp_path: Path) -> None:
    [block] = blocks(PAGE, "sh")
    script = block.replace(".venv/bin/python", sys.executable)
    done = subprocess.run(
        ["bash", "-euc", script],
        cwd=tmp_path,
        env={"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr[-2_000:]
    assert "fold: hard to make again" in done.stdout
    assert "summary: easy to make again, rarely used, by extractive" in done.stdout


def test_the_session_that_it_shows_can_be_opened() -> None:
    [body] = blocks(PAGE, "json")
    rule = SessionIn.model_validate_json(body).as_policy().strategy
    assert (rule.name, rule.keep_turns) == ("rolling", 15)


def test_a_chat_model_can_be_handed_in() -> None:
    [program] = blocks(PAGE, "python")
    names: dict[str, Any] = {"Session": Session, "policy": Policy(), "key": "sk-none"}
    exec(compile(program, PAGE, "exec"), names)
    assert names["session"].context().messages == []
