"""A guide's commands and programs, at the addresses of a service of the test's own."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.docs.fences import ROOT
from tests.faults.serving import Service

PROGRAMS = Path(sys.executable).parent
_STEP = "=== step ==="


def own(text: str, running: Service) -> str:
    """``text`` with the service and its demo pages where they are."""
    text = text.replace("127.0.0.1:8000", f"127.0.0.1:{running.port}")
    return text.replace("127.0.0.1:8001", f"127.0.0.1:{running.demo_port}")


def need(*programs: str) -> None:
    """Skip where one of them is not installed."""
    for program in programs:
        if shutil.which(program) is None:
            pytest.skip(f"{program} is not installed")


def printed_by(
    scripts: Sequence[str], running: Service, folder: Path, shell: Sequence[str] = ("sh", "-ec")
) -> list[str]:
    """Run them in one shell, one after the other; what each one printed."""
    script = f"\necho '{_STEP}'\n".join(own(each, running) for each in scripts)
    done = subprocess.run(
        [*shell, script],
        cwd=folder,
        env={
            **os.environ,
            "PYTHONPATH": str(ROOT),
            "PATH": f"{PROGRAMS}:{os.environ['PATH']}",
        },
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, (done.stdout[-3000:], done.stderr[-3000:])
    return [part.removeprefix("\n") for part in done.stdout.split(f"{_STEP}")]
