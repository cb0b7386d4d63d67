"""Commands that take minutes or bring others' packages: what they name is there, down to each option."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from functools import cache

import pytest

from tests.docs.fences import ROOT, blocks

PAGES = {
    "CONTRIBUTING.md": "sh",
    "docs/benchmarks.md": "sh",
    "docs/design/browsers.md": "sh",
    "docs/how-to/compare-filters.md": "console",
}
#: Settings of peers; of a command only these may stand before its program.
SETTING = re.compile(r"^(PAGEFOLD_[A-Z0-9_]+)=\S+$")
#: Programs that are not ours.
OTHERS = ("npm", "python3")


def commands() -> list[str]:
    lines = "\n".join(text for page, language in PAGES.items() for text in blocks(page, language))
    joined = lines.replace("\\\n", " ").splitlines()
    return [line.partition("  # ")[0].strip() for line in joined if line.strip()]


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


@cache
def sources() -> str:
    return "\n".join(file.read_text("utf-8") for file in (ROOT / "testbed").rglob("*.py"))


@cache
def recipes() -> dict[str, str]:
    found = re.findall(r"^([\w-]+):.*\n((?:\t.*\n)*)", (ROOT / "Makefile").read_text("utf-8"), re.M)
    return dict(found)


@pytest.mark.parametrize(
    "command", [each for each in commands() if words_of(each)[1][0] not in OTHERS]
)
def test_a_command_names_what_there_is(command: str) -> None:
    settings, words = words_of(command)
    for setting in settings:
        assert setting.partition("=")[0] in sources()
    if words[0] == "make":
        assert len(words) == 2 or "$(ARGS)" in recipes()[words[1]]
        return
    if len(words) == 1:
        assert os.access(ROOT / words[0], os.X_OK)
        return
    if words[1] == "-m":
        program: tuple[str, ...] = (sys.executable, "-m", words[2])
    else:
        program = (sys.executable, "-c", "from api.cli import app; app()", *words[1:3])
        assert words[0] == ".venv/bin/pagefold"
    options = [word.partition("=")[0] for word in words if word.startswith("--")]
    text = helped(*program)
    assert [option for option in options if option not in text] == []


def test_there_are_commands() -> None:
    named = {" ".join(words_of(each)[1][:2]) for each in commands()}
    assert {"make bench", "make eval", "make test", ".ci/run"} <= named


def test_every_table_of_benchmarks_says_on_what_it_was_measured() -> None:
    page = (ROOT / "docs" / "benchmarks.md").read_text("utf-8")
    for part in re.split(r"^## ", page, flags=re.M)[1:]:
        if "|---" in part:
            assert re.search(r"commit `?[0-9a-f]{7}", part), part[:60]
