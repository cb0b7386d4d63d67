"""Every command and example of the README does what it says, against a service of the test's own."""

from __future__ import annotations

import json
import os
import re
import shlex
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import httpx2
import pytest

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text("utf-8")
PROGRAMS = Path(sys.executable).parent
START_S, COMMAND_S = 60, 60


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", README, re.MULTILINE | re.DOTALL)


def commands(program: str) -> list[str]:
    """Commands of the README that begin with ``program``, lines that belong together joined."""
    lines = "\n".join(blocks("sh")).replace("\\\n", " ")
    found = re.findall(rf"^{re.escape(program)} (?:'[^']*'|[^'\n])*", lines, re.MULTILINE)
    return [line.partition("   # ")[0].strip() for line in found]


@dataclass(frozen=True, slots=True)
class Service:
    port: int
    demo_port: int
    folder: Path
    environment: dict[str, str]

    def own(self, text: str) -> str:
        """``text`` of the README with the addresses of this service."""
        site = f"http://127.0.0.1:{self.demo_port}"
        text = text.replace("127.0.0.1:8000", f"127.0.0.1:{self.port}")
        return text.replace("http://127.0.0.1:8001", site).replace(
            "https://example.org/", f"{site}/article"
        )

    def run(self, command: str) -> str:
        words = shlex.split(self.own(command).replace(".venv/bin/", f"{PROGRAMS}/"))
        words[1:1] = ["-sS", "--fail-with-body"] if words[0] == "curl" else []
        done = subprocess.run(
            words, cwd=self.folder, env=self.environment, capture_output=True, timeout=COMMAND_S
        )
        assert done.returncode == 0, (command, done.stdout[-2000:], done.stderr[-2000:])
        return done.stdout.decode()


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    folder, port, demo_port = tmp_path_factory.mktemp("readme"), _free_port(), _free_port()
    environment = {
        **os.environ,
        "PYTHONPATH": str(ROOT),
        "PAGEFOLD_PORT": str(port),
        "PAGEFOLD_DEMO_PORT": str(demo_port),
        "PAGEFOLD_DATA_DIR": str(folder / "data"),
        "PAGEFOLD_ALLOW_HOSTS": f"127.0.0.1:{demo_port}",
        "PAGEFOLD_CONCURRENCY": "1",
    }
    log = (folder / "log").open("wb")
    process = subprocess.Popen(
        [PROGRAMS / "pagefold", "serve"], env=environment, cwd=folder, stdout=log, stderr=log
    )
    try:
        _await(f"http://127.0.0.1:{port}/healthz", process, folder / "log")
        yield Service(port, demo_port, folder, environment)
    finally:
        process.send_signal(signal.SIGTERM)
        assert process.wait(timeout=30) == 0
        log.close()


def _await(url: str, process: subprocess.Popen[bytes], log: Path) -> None:
    for _ in range(START_S * 10):
        assert process.poll() is None, log.read_text()
        try:
            if httpx2.get(url, trust_env=False).status_code == 200:
                return
        except httpx2.TransportError:
            pass
        time.sleep(0.1)
    pytest.fail(f"the service did not answer: {log.read_text()}")


def test_start_command_is_one_of_the_makefile() -> None:
    assert blocks("sh")[0] == "make serve\n"
    assert re.search(
        r"^serve: setup\n\t@exec \.venv/bin/pagefold serve$", _makefile(), re.MULTILINE
    )


def _makefile() -> str:
    return (ROOT / "Makefile").read_text("utf-8")


@pytest.mark.parametrize(
    "command", [line for line in commands("curl") if "SNAPSHOT" not in line and "SESSION" not in line]
)  # fmt: skip
def test_request_works(service: Service, command: str) -> None:
    service.run(command)
    if "-o " in command:
        assert (service.folder / "article.png").read_bytes().startswith(b"\x89PNG")


def test_article_looks_as_shown_and_its_folds_open(service: Service) -> None:
    [command] = [line for line in commands("curl") if "article&budget=1500" in line]
    address = shlex.split(service.own(command))[1]
    answer = httpx2.get(address, trust_env=False, timeout=COMMAND_S)
    [shown] = blocks("markdown")
    lines = [line for line in shown.splitlines() if line and not line.endswith("…")]
    missing = [line for line in lines if line not in answer.text.splitlines()]
    assert not missing
    snapshot = answer.headers["x-pagefold-snapshot"]
    replays = [line for line in commands("curl") if "SNAPSHOT" in line]
    assert len(replays) >= 4
    for line in replays:
        assert service.run(line.replace("SNAPSHOT", snapshot)).strip()


def test_session_takes_the_page(service: Service) -> None:
    opened = [line for line in commands("curl") if "/v1/sessions -H" in line]
    session = json.loads(service.run(opened[0]))["id"]
    calls = [line for line in commands("curl") if "SESSION" in line]
    answers = [service.run(line.replace("SESSION", session)) for line in calls]
    assert "Penhallow" in answers[-1]


@pytest.mark.parametrize(
    "command", [line for line in commands(".venv/bin/pagefold") if not line.endswith("demo")]
)
def test_command_line_works(service: Service, command: str) -> None:
    if command.endswith("doctor"):
        # Its ports are those of a running service; with the README's own it looks at a machine without one.
        quiet = {
            **service.environment,
            "PAGEFOLD_PORT": "0",
            "PAGEFOLD_DEMO_PORT": str(_free_port()),
        }
        service = Service(service.port, service.demo_port, service.folder, quiet)
    assert service.run(command).strip()


@pytest.mark.parametrize("script", blocks("python"))
def test_python_example_works(service: Service, script: str) -> None:
    file = service.folder / "example.py"
    file.write_text(service.own(script))
    assert service.run(f".venv/bin/python {file}").strip()
