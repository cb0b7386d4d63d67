"""A site on loopback that counts what it is asked, and a receiver of webhooks."""

from __future__ import annotations

import contextlib
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from tests.answering import answering

PATIENCE_S = 40.0


@dataclass(frozen=True, slots=True)
class Posted:
    """One message as it came in."""

    headers: dict[str, str]
    body: bytes


class Site(ThreadingHTTPServer):
    """``/slow…`` answers when ``release`` is set, ``/flaky…`` breaks off the first time, ``/dead…`` always.

    POST is answered by ``answer`` and kept.
    """

    daemon_threads = True
    request_queue_size = 128

    def __init__(self) -> None:
        self.release = threading.Event()
        self.asked: Counter[str] = Counter()
        self.posted: list[Posted] = []
        self.answer: Callable[[int], tuple[int, dict[str, str]]] = lambda _: (204, {})
        self.now = self.most = 0
        self._lock = threading.Lock()
        super().__init__(("127.0.0.1", 0), _Handler)
        self.url = f"http://127.0.0.1:{self.server_port}"

    def handle_error(self, request: object, client_address: object) -> None:
        """Clients that leave are what is tested here."""

    @contextlib.contextmanager
    def counted(self, path: str) -> Iterator[None]:
        with self._lock:
            self.asked[path] += 1
            self.now += 1
            self.most = max(self.most, self.now)
        try:
            yield
        finally:
            with self._lock:
                self.now -= 1


class _Handler(BaseHTTPRequestHandler):
    server: Site

    def log_message(self, format: str, *args: Any) -> None:
        return

    def do_GET(self) -> None:
        with self.server.counted(self.path):
            if self.path.startswith("/slow"):
                self.server.release.wait(PATIENCE_S)
            first = self.server.asked[self.path] == 1
            if self.path.startswith("/dead") or (self.path.startswith("/flaky") and first):
                self.close_connection = True
                return
            self._say(200, {"Content-Type": "text/html"}, f"<p>Low water at {self.path}".encode())

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        headers = {name.lower(): value for name, value in self.headers.items()}
        self.server.posted.append(Posted(headers, body))
        status, more = self.server.answer(len(self.server.posted))
        self._say(status, more, b"")

    def _say(self, status: int, headers: dict[str, str], body: bytes) -> None:
        self.send_response(status)
        for name, value in {**headers, "Content-Length": str(len(body))}.items():
            self.send_header(name, value)
        self.end_headers()
        with contextlib.suppress(OSError):
            self.wfile.write(body)


@contextlib.contextmanager
def running_site() -> Iterator[Site]:
    with answering(Site()) as site:
        try:
            yield site
        finally:
            site.release.set()
