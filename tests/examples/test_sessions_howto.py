"""The lines of ``docs/how-to/sessions.md`` run, in order, and print what the page says."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.examples.conftest import ROOT, Served

PAGE = ROOT / "docs" / "how-to" / "sessions.md"
_FENCE = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_DONE = "-- end of block --"


def blocks() -> tuple[list[str], list[str]]:
    """The shell blocks, and what each says that it prints (empty: nothing is said)."""
    scripts: list[str] = []
    said: list[str] = []
    for language, text in _FENCE.findall(PAGE.read_text("utf-8")):
        if language == "sh":
            scripts.append(text)
            said.append("")
        else:
            said[-1] = text
    return scripts, said


def test_the_page_does_what_it_says(served: Served, tmp_path: Path) -> None:
    for program in ("sh", "curl", "jq", "seq"):
        if shutil.which(program) is None:
            pytest.skip(f"{program} is not installed")
    scripts, said = blocks()
    whole = "set -eu\n" + "".join(f"{script}echo '{_DONE}'\n" for script in scripts)
    whole = whole.replace("http://127.0.0.1:8000", served.url)
    whole = whole.replace("http://127.0.0.1:8001", served.demo)
    done = subprocess.run(
        ["sh", "-c", whole], cwd=tmp_path, capture_output=True, text=True, timeout=90
    )
    assert (done.returncode, done.stderr) == (0, ""), done.stdout
    assert done.stdout.split(f"{_DONE}\n")[:-1] == said
