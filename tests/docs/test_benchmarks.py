"""What the page on benchmarks tells one to run is there: targets, programs and their options."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "benchmarks.md").read_text("utf-8")
PROGRAMS = Path(sys.executable).parent
#: Settings of peers; of a command only these may stand before its program.
SETTING = re.compile(r"^(PAGEFOLD_[A-Z0-9_]+)=\S+$")


def commands() -> list[str]:
    lines = "\n".join(re.findall(r"^```sh\n(.*?)^```", PAGE, re.M | re.S)).replace("\\\n", " ")
    return [line.partition("  # ")[0].strip() for line in lines.splitlines() if line.strip()]


def words_of(command: str) -> tuple[list[str], list[str]]:
    """Settings and the command itself."""
    words = shlex.split(command)
    settings = [word for word in words if SETTING.match(word)]
    return settings, words[len(settings) :]


@cache
def helped(*program: str) -> str:
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "COLUMNS": "400", "TERM": "dumb"}
    done = subprocess.run(
        [*program, "--help"], capture_output=True, text=True, env=environment, timeout=60
    )
    assert done.returncode == 0, (program, done.stderr[-2000:])
    return done.stdout


@pytest.mark.parametrize("command", commands())
def test_a_command_names_what_there_is(command: str) -> None:
    settings, words = words_of(command)
    sources = "\n".join(file.read_text("utf-8") for file in (ROOT / "testbed").rglob("*.py"))
    for setting in settings:
        assert setting.partition("=")[0] in sources
    if words[0] == "make":
        assert re.search(rf"^{words[1]}:", (ROOT / "Makefile").read_text("utf-8"), re.M)
        return
    if words[1:2] == ["-m"]:
        program: tuple[str, ...] = (sys.executable, "-m", words[2])
    else:
        program = (sys.executable, "-c", "from api.cli import app; app()", *words[1:3])
        assert words[0] == ".venv/bin/pagefold"
    options = [word.partition("=")[0] for word in words if word.startswith("--")]
    text = helped(*program)
    assert [option for option in options if option not in text] == []


def test_there_are_commands() -> None:
    assert {"make bench", "make eval"} <= {" ".join(words_of(each)[1][:2]) for each in commands()}


def test_every_table_says_on_what_it_was_measured() -> None:
    for part in re.split(r"^## ", PAGE, flags=re.M)[1:]:
        if "|---" in part:
            assert re.search(r"commit `?[0-9a-f]{7}", part), part[:60]
