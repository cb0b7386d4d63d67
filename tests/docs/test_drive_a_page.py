"""The guide to tabs can be followed from top to bottom."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from tests.docs.fences import ROOT, blocks
from tests.docs.following import need, own, printed_by
from tests.faults.serving import Service

PAGE = "docs/how-to/drive-a-page.md"


def test_commands_print_what_the_guide_says(running: Service, tmp_path: Path) -> None:
    need("sh", "curl", "jq", "sed")
    printed = printed_by(blocks(PAGE, "sh"), running, tmp_path)
    *expected, _ = [own(part, running) for part in blocks(PAGE, "text")]
    assert printed == expected
    assert (tmp_path / "page.png").read_bytes().startswith(b"\x89PNG")


def test_the_program_prints_what_the_guide_says(running: Service, tmp_path: Path) -> None:
    [program] = blocks(PAGE, "python")
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PAGEFOLD_DATA_DIR": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-c", own(program, running)],
        cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=120,
    )  # fmt: skip
    assert done.returncode == 0, done
    # Log lines come before it.
    assert done.stdout.endswith(blocks(PAGE, "text")[-1])
