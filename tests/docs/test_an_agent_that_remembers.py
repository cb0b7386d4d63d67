"""The tutorial runs as it is written, and prints what it says."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from tests.docs.fences import ROOT, blocks
from tests.docs.following import PROGRAMS, own
from tests.faults.serving import Service

PAGE = "docs/tutorials/an-agent-that-remembers.md"
_DONE = "-- end of block --\n"


def test_every_block_prints_what_the_tutorial_says(running: Service, tmp_path: Path) -> None:
    programs, expected = blocks(PAGE, "python"), blocks(PAGE, "text")
    whole = "".join(f"{program}print({_DONE!r}, end='')\n" for program in programs)
    done = subprocess.run(
        [sys.executable, "-"],
        input=own(whole, running),
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=110,
    )
    assert (done.returncode, done.stderr) == (0, ""), done.stdout
    assert done.stdout.split(_DONE)[:-1] == expected


def test_it_starts_what_there_is(tmp_path: Path) -> None:
    [start] = blocks(PAGE, "sh")
    assert start.endswith("\npagefold serve &\n")
    # Looking is enough: the service of the other test was started by the same command.
    script = start.replace("/path/to/pagefold/.venv/bin", str(PROGRAMS))
    script = script.replace("pagefold serve &", "command -v pagefold; pwd")
    done = subprocess.run(
        ["sh", "-ec", script], cwd=tmp_path, capture_output=True, text=True, timeout=20
    )
    assert done.stdout.splitlines() == [str(PROGRAMS / "pagefold"), str(tmp_path / "lantern")]
