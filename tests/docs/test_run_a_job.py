"""The guide to jobs can be followed from top to bottom, with its own receiver of webhooks."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.api.jobs.conftest import SECRET
from tests.docs.fences import blocks
from tests.docs.following import need, own, printed_by
from tests.faults.serving import Service, eventually, free_port, service

PAGE = "docs/how-to/run-a-job.md"


@dataclass(frozen=True, slots=True)
class Run:
    """``said`` is what the receiver of webhooks printed."""

    service: Service
    hook_port: int
    said: Path

    def own(self, text: str) -> str:
        text = text.replace("127.0.0.1:8009", f"127.0.0.1:{self.hook_port}")
        return own(text, self.service)


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Run]:
    folder = tmp_path_factory.mktemp("jobs-guide")
    hook_port = free_port()
    serving = service(
        folder,
        demo=True,
        concurrency=2,
        job_host_interval_s=0,
        job_poll_s=0.05,
        allow_hosts=f"127.0.0.1:{hook_port}",
    )
    with serving as made, (folder / "said").open("wb") as output:
        receiver = receiving(hook_port, output.fileno())
        try:
            yield Run(made, hook_port, folder / "said")
        finally:
            receiver.terminate()
            receiver.wait()


def receiving(port: int, output: int) -> subprocess.Popen[bytes]:
    [program] = blocks(PAGE, "python")
    own = program.replace("8009", str(port))
    environment = {**os.environ, "HOOK_SECRET": SECRET}
    return subprocess.Popen(
        [sys.executable, "-c", own], env=environment, stdout=output, stderr=subprocess.DEVNULL
    )


def test_commands_print_what_the_guide_says(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    need("sh", "curl", "jq", "grep", "base64")
    monkeypatch.setenv("HOOK_SECRET", SECRET)
    scripts = [run.own(each) for each in blocks(PAGE, "sh")]
    printed = [part.strip() for part in printed_by(scripts, run.service, tmp_path)]
    # Only the first command prints nothing; what stands last is the receiver's.
    *expected, told = [run.own(part).strip() for part in blocks(PAGE, "json", "text")]
    assert printed == ["", *expected]
    eventually(lambda: run.said.read_text().strip() == told)
