"""The page on egress: its command prints a table of zeros, its settings exist."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from api.settings import ApiSettings
from testbed import netns

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "design" / "egress.md").read_text("utf-8")


def test_the_command_shows_that_nothing_gets_through() -> None:
    if not os.environ.get("CI") and (reason := netns.refusal()) is not None:
        pytest.skip(reason)
    [command] = re.findall(r"^```sh\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
    words = shlex.split(command.replace(".venv/bin/python", sys.executable))
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, timeout=110)
    assert done.returncode == 0, done
    *_, summary, purpose = done.stdout.strip().splitlines()
    assert "0 packets and 0 connections to forbidden addresses" in summary
    assert re.fullmatch(r"on purpose: [1-9]\d* packets to forbidden addresses counted", purpose)


def test_every_setting_that_it_names_exists() -> None:
    named = {name.lower() for name in re.findall(r"PAGEFOLD_([A-Z_]+)", PAGE)}
    assert named
    assert named <= set(ApiSettings.model_fields)
