"""Health answers at all times: while a page of 20 MB is parsed, and red only when no page could be read."""

from __future__ import annotations

import os
import signal
import stat
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import httpx2
import pytest

from extractor.browser.discover import find_chromium
from tests.answering import answering
from tests.faults.serving import Service, eventually, service

pytestmark = pytest.mark.timeout(300)

BIG = 20_000_000
_ROW = b"<tr><td><a href='/x'>Low water</a></td><td>at <b>four</b></td><td>in the afternoon</td></tr>\n"


class _Big(BaseHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:
        pass

    def do_GET(self) -> None:
        rows = (BIG - 15) // len(_ROW)
        body = b"<table>" + _ROW * rows + b"</table>"
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


@pytest.fixture
def big_site() -> Iterator[str]:
    with answering(ThreadingHTTPServer(("127.0.0.1", 0), _Big)) as server:
        yield f"127.0.0.1:{server.server_port}"


def test_health_answers_all_the_while_that_20_mb_are_parsed(big_site: str, tmp_path: Path) -> None:
    with service(tmp_path, allow_hosts=big_site, deadline_s=200) as running:
        asked: list[int] = []

        def ask() -> None:
            params = {"url": f"http://{big_site}/", "render": "static"}
            answer = httpx2.get(f"{running.url}/read", params=params, timeout=250, trust_env=False)
            asked.append(answer.status_code)

        reading = threading.Thread(target=ask)
        reading.start()
        started = time.monotonic()
        waits: list[float] = []
        with httpx2.Client(base_url=running.url, timeout=60, trust_env=False) as client:
            while reading.is_alive():
                began = time.monotonic()
                assert client.get("/healthz").status_code == 200
                waits.append(time.monotonic() - began)
                time.sleep(0.01)
            elapsed = time.monotonic() - started
            assert client.get("/readyz").status_code == 200
        assert asked == [200]
        # Work inside the event loop would be one wait as long as the reading itself. What remains are
        # the single calls into the parser, which hold the interpreter: a small part of the reading.
        assert max(waits) < elapsed / 3, (len(waits), max(waits), elapsed)
        assert len(waits) > 50


def test_red_after_two_failures_when_no_browser_can_be_started_and_green_again(
    tmp_path: Path,
) -> None:
    browser = tmp_path / "browser"
    browser.write_text(f'#!/bin/sh\nexec "{find_chromium(None).path}" "$@"\n')
    browser.chmod(browser.stat().st_mode | stat.S_IXUSR)
    with service(tmp_path, chromium_path=browser, ready_ttl_s=0, concurrency=1) as running:
        assert running.get("/readyz").status_code == 200
        browser.rename(tmp_path / "away")
        _kill_browser(running)
        eventually(lambda: running.get("/readyz").status_code == 503)
        red = running.get("/readyz").json()
        assert red["code"] == "unhealthy"
        assert red["detail"].startswith("browser: ")
        assert str(tmp_path) not in red["detail"]
        # The process is alive all the same, and what needs no browser works.
        assert running.get("/healthz").status_code == 200
        assert running.gauge("pagefold_browser_up") == 0
        made = running.post("/v1/pages", {"html": "<p>Low water</p>", "format": ["text"]})
        assert made.status_code == 200
        (tmp_path / "away").rename(browser)
        eventually(lambda: running.get("/readyz").status_code == 200)
        assert running.gauge("pagefold_browser_up") == 1


def _kill_browser(running: Service) -> None:
    """Those that this test's own service started."""
    for pid in running.children():
        try:
            command = Path(f"/proc/{pid}/cmdline").read_bytes()
        except OSError:
            continue
        if b"--type=" not in command and b"chromium" in command.split(b"\0")[0]:
            os.kill(pid, signal.SIGKILL)
