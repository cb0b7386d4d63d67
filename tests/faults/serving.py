"""The real service in a process of its own, a site that answers when it is told to, and raw sockets."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
import ssl
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import httpx2

from tests.answering import answering

ROOT = Path(__file__).parents[2]
#: The script ``pagefold``, of this checkout wherever the installed one points to.
PAGEFOLD = (sys.executable, "-c", "from api.cli import main; main()")
START_S = 120.0
#: No test waits longer than this for what must come.
PATIENCE_S = 40.0
#: Without it each request would load all the certificates there are, and never use one.
_NO_TLS = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)


class SlowSite(ThreadingHTTPServer):
    """``/slow…`` answers when ``release`` is set, all else at once."""

    daemon_threads = True
    request_queue_size = 128

    def __init__(self) -> None:
        self.release = threading.Event()
        self.asked: list[str] = []
        super().__init__(("127.0.0.1", 0), _Handler)
        self.url = f"http://127.0.0.1:{self.server_port}"

    def handle_error(self, request: object, client_address: object) -> None:
        """Clients that leave are what is tested here."""


class _Handler(BaseHTTPRequestHandler):
    server: SlowSite

    def log_message(self, format: str, *args: object) -> None:
        pass

    def do_GET(self) -> None:
        self.server.asked.append(self.path)
        if self.path.startswith("/slow"):
            self.server.release.wait(PATIENCE_S)
        body = b"<main><h1>Harbour</h1><p>Low water is at four in the afternoon.</p></main>"
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


@contextlib.contextmanager
def slow_site() -> Iterator[SlowSite]:
    with answering(SlowSite()) as site:
        try:
            yield site
        finally:
            site.release.set()


@dataclass(slots=True)
class Service:
    """A running ``pagefold serve``; ``log`` holds its standard error, ``temporary`` its temporary files."""

    process: subprocess.Popen[bytes]
    port: int
    log: Path
    temporary: Path
    demo_port: int = 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def get(self, path: str, **params: str) -> httpx2.Response:
        # Empty parameters would take away those that stand in the path.
        return httpx2.get(
            self.url + path,
            params=params or None,
            timeout=PATIENCE_S,
            trust_env=False,
            verify=_NO_TLS,
        )

    def post(self, path: str, body: object, **headers: str) -> httpx2.Response:
        return httpx2.post(
            self.url + path,
            json=body,
            headers=headers,
            timeout=PATIENCE_S,
            trust_env=False,
            verify=_NO_TLS,
        )

    def connect(self, data: bytes = b"") -> socket.socket:
        made = socket.create_connection(("127.0.0.1", self.port), timeout=PATIENCE_S)
        made.sendall(data)
        return made

    def gauge(self, name: str) -> float:
        """One series of ``/metrics``, labels and all."""
        for line in self.get("/metrics").text.splitlines():
            if line.startswith(name + " "):
                return float(line.rpartition(" ")[2])
        raise KeyError(name)

    def lines(self, event: str) -> list[dict[str, Any]]:
        """Whole lines of the log with this event; one that is being written is left out."""
        whole = self.log.read_bytes().split(b"\n")[:-1]
        found = [json.loads(line) for line in whole if line[:1] == b"{"]
        return [line for line in found if line["event"] == event]

    def children(self) -> list[int]:
        """Every process that it started, and those that they started."""
        return _below(self.process.pid)

    def read(self, url: str) -> tuple[int, str]:
        """Status and code of a page read in a browser; status 0 when the connection ended without one."""
        try:
            answer = self.post("/v1/pages", {"url": url, "format": ["text"], "render": "browser"})
        except httpx2.HTTPError as error:
            return 0, repr(error)
        try:
            return answer.status_code, str(answer.json().get("code", ""))
        except ValueError:
            return answer.status_code, answer.text[:100]

    def terminate(self) -> None:
        self.process.send_signal(signal.SIGTERM)


@contextlib.contextmanager
def service(
    folder: Path, *, demo: bool = False, before: Sequence[str] = (), **settings: object
) -> Iterator[Service]:
    """Serve with these settings (names without the prefix) until the block ends.

    ``before`` is a command that runs it, such as ``prlimit``.
    """
    demo_port = free_port() if demo else 0
    if demo:
        settings = {"demo_port": demo_port, **settings}
    port = free_port()
    own = {f"PAGEFOLD_{name.upper()}": str(value) for name, value in settings.items()}
    log, temporary = folder / "service.log", folder / "tmp"
    temporary.mkdir(exist_ok=True)
    with log.open("wb") as stderr:
        process = subprocess.Popen(
            [*before, *PAGEFOLD, "serve", "--demo" if demo else "--no-demo"],
            env={
                **os.environ,
                "PYTHONPATH": str(ROOT),
                "TMPDIR": str(temporary),
                "PAGEFOLD_PORT": str(port),
                "PAGEFOLD_DATA_DIR": str(folder / "data"),
                "PAGEFOLD_LOG_FORMAT": "json",
                "PAGEFOLD_LAUNCH_TIMEOUT_S": "60",
                **own,
            },
            stdout=subprocess.DEVNULL,
            stderr=stderr,
        )
    made = Service(process, port, log, temporary, demo_port)
    try:
        eventually(lambda: _answers(made), START_S)
        yield made
    finally:
        process.terminate()
        try:
            process.wait(PATIENCE_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def eventually(true: Callable[[], bool], patience_s: float = PATIENCE_S) -> None:
    """Wait until it is true; what does not come in time fails the test."""
    end = time.monotonic() + patience_s
    while not true():
        assert time.monotonic() < end, "it did not come to be"
        time.sleep(0.02)


def request_bytes(method: str, target: str, body: bytes = b"", *headers: str) -> bytes:
    """A request as it goes over the wire."""
    lines = [f"{method} {target} HTTP/1.1", "Host: 127.0.0.1", *headers]
    if body:
        lines += ["Content-Type: application/json", f"Content-Length: {len(body)}"]
    return "\r\n".join([*lines, "", ""]).encode() + body


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as free:
        return int(free.getsockname()[1])


def _answers(made: Service) -> bool:
    assert made.process.poll() is None, made.log.read_text()[-3000:]
    try:
        return made.get("/healthz").status_code == 200
    except httpx2.TransportError:
        return False


def _below(pid: int) -> list[int]:
    parents: dict[int, list[int]] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            with contextlib.suppress(OSError, IndexError, ValueError):
                parent = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
                parents.setdefault(parent, []).append(int(entry.name))
    found, todo = [], [pid]
    while todo:
        below = parents.get(todo.pop(), [])
        found += below
        todo += below
    return found
