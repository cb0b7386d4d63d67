"""Pages that the soak loads: good, slow, huge, crashing and hostile ones, on loopback.

``python -m testbed.soak_site PORT DEMO_PORT`` serves until it is ended. What is good comes from the demo
site. ``/hits`` says how often an address that the service must never reach was reached.
"""

from __future__ import annotations

import asyncio
import contextlib
import gzip
import sys
from collections.abc import Mapping

from api.demo import DemoServer
from testbed.netns import FORBIDDEN

GOOD = ("article", "shop", "docs", "forum", "consent", "hidden")
_GUARDED = FORBIDDEN[0]

#: Pages by kind; each address is a path of this site.
KINDS: Mapping[str, tuple[str, ...]] = {
    "good": GOOD,
    "slow": ("slow", "drip"),
    "huge": ("long", "wide", "over", "bomb"),
    "crashing": ("deep", "heap"),
    "hostile": ("loop", "alerts", "away", "popups", "circle", "inside", "workers", "fetches"),
}

_SCRIPTS = {
    "deep": "let n = document.body; for (let i = 0; i < 10000; i++) "
    "n = n.appendChild(document.createElement('div')); n.textContent = 'deep'",
    "heap": "const kept = []; for (;;) kept.push('x'.repeat(1000) + kept.length)",
    "loop": "setTimeout(() => { for (;;); }, 100)",
    "alerts": "for (;;) alert('again')",
    "away": "location.href = '/away?' + Math.random()",
    "popups": "for (let i = 0; i < 200; i++) open('/slow?' + i)",
    "workers": "const code = URL.createObjectURL(new Blob(['for (;;);'])); "
    "for (let i = 0; i < 8; i++) new Worker(code)",
    "fetches": "setInterval(() => fetch('/long?' + Math.random()).catch(() => 0), 5)",
}
_INSIDE = (
    f"<img src='http://{_GUARDED}/a'><iframe src='http://{_GUARDED}/b'></iframe>"
    f"<script>fetch('http://{_GUARDED}/c'); new WebSocket('ws://{_GUARDED}/d');"
    "fetch('http://127.0.0.1:22/')</script>"
    f"<meta http-equiv=refresh content='1; url=http://{_GUARDED}/e'>"
)


def _body(name: str) -> bytes:
    text = "<title>Page</title><p>Some words that can be read.</p>"
    if name in _SCRIPTS:
        text += f"<script>{_SCRIPTS[name]}</script>"
    elif name == "long":
        text += "<p>A paragraph of a long page, as long as the others.</p>\n" * 30_000
    elif name == "wide":
        text += "<table>" + ("<tr>" + "<td>cell</td>" * 20 + "</tr>") * 4_000 + "</table>"
    elif name == "over":
        text += "<p>word</p>" * 2_300_000
    elif name == "inside":
        text += _INSIDE
    return text.encode()


class Site:
    """Answers by path and counts what must not come."""

    def __init__(self) -> None:
        self.hits = 0
        self._made: dict[str, bytes] = {}
        self._bomb = gzip.compress(bytes(200_000_000), 6)

    async def answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """One request of one connection."""
        with contextlib.suppress(OSError, asyncio.IncompleteReadError):
            head = await reader.readuntil(b"\r\n\r\n")
            path = head.split(b" ")[1].decode("latin-1").partition("?")[0].strip("/")
            if path == "hits":
                await _send(writer, str(self.hits).encode())
            elif path == "circle":
                await _send(writer, b"", "302 Found", "Location: /circle\r\n")
            elif path == "bomb":
                await _send(writer, self._bomb, fields="Content-Encoding: gzip\r\n")
            elif path == "drip":
                await _drip(writer)
            else:
                if path == "slow":
                    await asyncio.sleep(3)
                made = self._made[path] = self._made.get(path) or _body(path)
                await _send(writer, made)
        writer.close()

    async def guarded(self, _: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """A connection to an address that nobody may reach."""
        self.hits += 1
        writer.close()


async def _send(
    writer: asyncio.StreamWriter, body: bytes, status: str = "200 OK", fields: str = ""
) -> None:
    head = f"HTTP/1.1 {status}\r\nContent-Type: text/html; charset=utf-8\r\n{fields}"
    head += f"Content-Length: {len(body)}\r\nConnection: close\r\n\r\n"
    writer.write(head.encode() + body)
    await writer.drain()


async def _drip(writer: asyncio.StreamWriter) -> None:
    writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nConnection: close\r\n\r\n<p>First")
    for _ in range(600):
        writer.write(b" word")
        await writer.drain()
        await asyncio.sleep(0.1)


async def _serve(port: int, demo_port: int) -> None:
    site = Site()
    server = await asyncio.start_server(site.answer, "127.0.0.1", port, backlog=512)
    guard = await asyncio.start_server(site.guarded, _GUARDED, 80)
    with DemoServer(demo_port):
        async with server, guard:
            await asyncio.Event().wait()


if __name__ == "__main__":
    with contextlib.suppress(KeyboardInterrupt):
        asyncio.run(_serve(int(sys.argv[1]), int(sys.argv[2])))
