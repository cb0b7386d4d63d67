"""Chromium's sandbox is on unless the service runs as root, which is said in the log."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from structlog.testing import capture_logs

from extractor.browser import processes
from tests.faults.pools import kinds, running_pool

ROOT = Path(__file__).parents[2]
#: Prints what the system says about its renderers.
PROGRAM = """
import asyncio
from pathlib import Path
from tests.faults.pools import in_s, kinds, running_pool

async def main():
    async with running_pool() as pool:
        async with pool.lease("k", {}, deadline=in_s(30)) as lease:
            await lease.context.new_page()
            assert pool._fleet.current.memory_bytes() > 20_000_000
            for pid in kinds(pool.state.browser_pid, "renderer"):
                print(Path(f"/proc/{pid}/status").read_text())

asyncio.run(main())
"""


def _reason() -> str:
    if os.geteuid() != 0:
        return "only root can become another user"
    return "" if shutil.which("setpriv") else "setpriv (util-linux) is not installed"


def _facts(status: str) -> dict[str, list[str]]:
    lines = (line.partition(":") for line in status.splitlines())
    return {name: value.split() for name, _, value in lines}


@pytest.mark.skipif(bool(_reason()), reason=_reason())
def test_an_ordinary_user_gets_the_sandbox() -> None:
    with tempfile.TemporaryDirectory() as home:
        os.chmod(home, 0o777)
        drop = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--no-new-privs"]
        run = subprocess.run(
            [*drop, sys.executable, "-c", PROGRAM],
            env={**os.environ, "HOME": home, "TMPDIR": home, "PYTHONDONTWRITEBYTECODE": "1"},
            cwd=ROOT,
            capture_output=True,
            text=True,
            timeout=100,
            check=False,
        )
        assert run.returncode == 0, run.stderr[-2000:]
        assert not list(Path(home).glob("playwright*"))
    assert "chromium_sandbox_off" not in run.stdout
    facts = _facts(run.stdout)
    # A filter on system calls, and process ids of its own: both layers.
    assert facts["Seccomp"] == ["2"]
    assert len(facts["NSpid"]) > 1
    assert facts["Uid"] == ["65534"] * 4


@pytest.mark.skipif(os.geteuid() != 0, reason="this user is not root")
async def test_root_goes_without_and_the_log_says_so() -> None:
    with capture_logs() as logged:
        await _start_as_root()
    assert "chromium_sandbox_off" in [line["event"] for line in logged]


async def _start_as_root() -> None:
    async with running_pool() as pool:
        (browser,) = [
            each
            for each in processes.below(pool.state.driver_pid)
            if each.pid == pool.state.browser_pid
        ]
        assert "--no-sandbox" in browser.arguments
        assert kinds(browser.pid, "zygote")
