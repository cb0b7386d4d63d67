"""Pages to measure on: the demo pages, pages of any size, and pages that build themselves after ``load``."""

from __future__ import annotations

import http.server
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from testbed.scaling import article

#: Demo pages that are done at ``load``.
DEMO = ("article", "shop", "docs", "forum", "consent", "hidden")
#: Pages that are not; each ends with the needle.
BUILDING = ("timers", "fetched", "rendered")
#: Stands in the last piece of text that a page of ``BUILDING`` makes.
NEEDLE = "and that is the last of it"

_HEAD = "<!doctype html><html lang=en><meta charset=utf-8><title>Builds itself</title>"
_WORDS = (
    "The clerk wrote the tide, the draught and the name of every boat into the ledger of that day. "
)
_BODY = f"""<body><header>The harbour</header><main id=m><h1>Ledger</h1></main><script>
const main = document.getElementById("m");
const say = (text) => {{ const p = document.createElement("p"); p.textContent = text; main.append(p); }};
const add = (n) => say(`${{n}}: {_WORDS * 3}`);
const done = () => {{ say("{NEEDLE}"); document.documentElement.dataset.done = "1"; }};
"""
#: Forty paragraphs, a handful every 60 ms after ``load``.
_TIMERS = """let n = 0; const tick = () => { for (let i = 0; i < 5; i++) add(n++);
  if (n < 40) setTimeout(tick, 60); else done(); };
addEventListener("load", () => setTimeout(tick, 60));"""
#: Two answers that take their time, the second asked for by the first.
_FETCHED = """addEventListener("load", async () => { for (const part of [1, 2]) {
  const rows = await (await fetch(`/rows?wait=200&part=${part}`)).json(); rows.forEach(add); } done(); });"""
#: An empty shell that fills in one go from an answer asked for before ``load``.
_RENDERED = """fetch("/rows?wait=400").then((answer) => answer.json())
  .then((rows) => { rows.forEach(add); done(); });"""
_SCRIPTS = {"timers": _TIMERS, "fetched": _FETCHED, "rendered": _RENDERED}


@dataclass(frozen=True, slots=True)
class Site:
    """Where pages are served."""

    port: int

    def building(self) -> list[str]:
        """Addresses of the pages that build themselves."""
        return [f"http://127.0.0.1:{self.port}/{name}" for name in BUILDING]

    def sized(self, nodes: int) -> str:
        """Address of a page of about so many nodes, done at ``load``."""
        return f"http://127.0.0.1:{self.port}/sized/{nodes}"


class _Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, format: str, *args: object) -> None:
        """Nothing: the tables are the output."""

    def do_GET(self) -> None:
        """A page, or rows for one."""
        path = urlsplit(self.path)
        name = path.path.strip("/")
        if name == "rows":
            wait = dict(part.split("=") for part in path.query.split("&")).get("wait", "0")
            time.sleep(int(wait) / 1000)
            self._answer("application/json", str(list(range(20))))
        elif name in _SCRIPTS:
            self._answer("text/html", f"{_HEAD}{_BODY}{_SCRIPTS[name]}</script>")
        elif name.startswith("sized/"):
            self._answer("text/html; charset=utf-8", article(int(name[6:])))
        else:
            self.send_response(404)
            self.send_header("Content-Length", "0")
            self.end_headers()

    def _answer(self, kind: str, text: str) -> None:
        body = text.encode()
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


class _Server(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Browsers drop connections; that is no news."""


@contextmanager
def serving() -> Iterator[Site]:
    """Serve on loopback for the block."""
    server = _Server(("127.0.0.1", 0), _Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield Site(server.server_address[1])
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
