"""The page on egress: its command prints a table of zeros, its settings exist."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys

import pytest

from testbed import netns
from tests.docs.fences import ROOT, blocks

PAGE = "docs/design/egress.md"


def test_the_command_shows_that_nothing_gets_through() -> None:
    if not os.environ.get("CI") and (reason := netns.refusal()) is not None:
        pytest.skip(reason)
    [command] = blocks(PAGE, "sh")
    words = shlex.split(command.replace(".venv/bin/python", sys.executable))
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, timeout=110)
    assert done.returncode == 0, done
    *_, summary, purpose = done.stdout.strip().splitlines()
    assert "0 packets and 0 connections to forbidden addresses" in summary
    assert re.fullmatch(r"on purpose: [1-9]\d* packets to forbidden addresses counted", purpose)
