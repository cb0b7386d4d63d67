"""The how-to on strategies: every one is named, and its example says what it does."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

from compactor.strategies import NAMES

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "how-to" / "choose-a-strategy.md").read_text("utf-8")


def test_every_strategy_is_named_once_in_the_table() -> None:
    assert re.findall(r"^\| `(\w+)` \|", PAGE, re.MULTILINE) == list(NAMES)


def test_the_example_folds_and_summarises_and_says_why(tmp_path: Path) -> None:
    (block,) = re.findall(r"^```sh\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
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
