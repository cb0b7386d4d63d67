"""The guide to jobs can be followed from top to bottom, with its own receiver of webhooks."""

from __future__ import annotations

import os
import re
import shutil
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
import uvicorn

from api.app import create_app
from api.demo import DemoServer
from api.settings import ApiSettings
from tests.api.jobs.conftest import SECRET
from tests.faults.serving import eventually

ROOT = Path(__file__).parents[2]
GUIDE = (ROOT / "docs" / "how-to" / "run-a-job.md").read_text("utf-8")
_STEP = "=== step ==="


def blocks(*languages: str) -> list[str]:
    return re.findall(rf"^```(?:{'|'.join(languages)})\n(.*?)^```", GUIDE, re.MULTILINE | re.DOTALL)


@dataclass(frozen=True, slots=True)
class Run:
    """``said`` is what the receiver printed; ports stand for those of the guide."""

    ports: dict[str, int]
    said: Path

    def own(self, text: str) -> str:
        for named, port in self.ports.items():
            text = text.replace(f"127.0.0.1:{named}", f"127.0.0.1:{port}")
        return text


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Run]:
    folder = tmp_path_factory.mktemp("jobs-guide")
    said = folder / "said"
    listener = socket.create_server(("127.0.0.1", 0))
    with socket.create_server(("127.0.0.1", 0)) as free:
        hook_port = free.getsockname()[1]
    with DemoServer(0) as demo:
        settings = ApiSettings(
            data_dir=folder / "data",
            demo_port=demo.port,
            concurrency=2,
            job_host_interval_s=0,
            job_poll_s=0.05,
            allow_hosts=(f"127.0.0.1:{hook_port}",),
        ).with_demo()
        config = uvicorn.Config(create_app(settings), log_config=None, access_log=False)
        server = uvicorn.Server(config)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
        thread.start()
        ports = {"8000": listener.getsockname()[1], "8001": demo.port, "8009": hook_port}
        try:
            with said.open("wb") as output:
                receiver = receiving(hook_port, output.fileno())
                eventually(lambda: server.started)
                yield Run(ports, said)
        finally:
            receiver.terminate()
            receiver.wait()
            server.should_exit = True
            thread.join()
            listener.close()


def receiving(port: int, output: int) -> subprocess.Popen[bytes]:
    [program] = blocks("python")
    own = program.replace("8009", str(port))
    environment = {**os.environ, "HOOK_SECRET": SECRET}
    return subprocess.Popen(
        [sys.executable, "-c", own], env=environment, stdout=output, stderr=subprocess.DEVNULL
    )


def test_commands_print_what_the_guide_says(running: Run) -> None:
    for program in ("sh", "curl", "jq", "grep", "base64"):
        if shutil.which(program) is None:
            pytest.skip(f"{program} is not installed")
    scripts = blocks("sh")
    script = f"\necho '{_STEP}'\n".join(running.own(each) for each in scripts)
    environment = {**os.environ, "HOOK_SECRET": SECRET}
    done = subprocess.run(
        ["sh", "-ec", script], env=environment, capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 0, done
    printed = [part.strip() for part in done.stdout.split(_STEP)]
    # Only the first command prints nothing; what stands last is the receiver's.
    *expected, told = [running.own(part).strip() for part in blocks("json", "text")]
    assert printed == ["", *expected]
    eventually(lambda: running.said.read_text().strip() == told)


def test_settings_that_the_guide_names_exist() -> None:
    names = set(re.findall(r"`PAGEFOLD_(\w+)", GUIDE))
    assert names <= {name.upper() for name in ApiSettings.model_fields}
