"""Servers on the addresses of the namespace: the hostile site, an honest one, and the fakes."""

from __future__ import annotations

import asyncio
import contextlib
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from urllib.parse import parse_qs, urlsplit

from testbed.hostile.routes import leaf, route_page

SECURE_PORT = 8099
FAKE_PORTS = (80, 443, 8080)
_PART = (("from", 0), ("to", 1_000_000))
_TYPES = {"js": "text/javascript", "xml": "application/xml"}


@dataclass(frozen=True, slots=True)
class Answer:
    """One HTTP answer. ``headers`` are (name, value) pairs."""

    status: int = 200
    kind: str = "text/html; charset=utf-8"
    body: str = ""
    headers: tuple[tuple[str, str], ...] = ()


Handler = Callable[[str], Answer]


@dataclass(slots=True)
class Servers:
    """Listening sockets that end together; ``hits`` counts connections to fakes by address."""

    hits: Counter[str] = field(default_factory=Counter)
    seen: Counter[str] = field(default_factory=Counter)
    _servers: list[asyncio.Server] = field(default_factory=list)
    _tasks: set[asyncio.Task[None]] = field(default_factory=set)

    async def serve(self, host: str, port: int, handler: Handler) -> None:
        """Answer each request by its target; ``seen`` counts targets without their query."""

        async def on_connection(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
            target = head.split(" ")[1]
            self.seen[target.partition("?")[0]] += 1
            writer.write(_encoded(handler(target)))
            await writer.drain()

        await self._listen(host, port, on_connection)

    async def fake(self, host: str, ports: Sequence[int] = FAKE_PORTS) -> None:
        """A host that must never be reached: it counts who connects, and answers like a secret."""
        for port in ports:
            if port:

                async def on_connection(
                    reader: asyncio.StreamReader,
                    writer: asyncio.StreamWriter,
                    name: str = f"{host}:{port}",
                ) -> None:
                    self.hits[name] += 1
                    writer.write(_encoded(Answer(body="secret")))
                    await writer.drain()

                await self._listen(host, port, on_connection)

    async def close(self) -> None:
        """End everything."""
        for server in self._servers:
            server.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _listen(
        self,
        host: str,
        port: int,
        on_connection: Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]],
    ) -> None:
        async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            task = asyncio.current_task()
            assert task is not None
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)
            with contextlib.suppress(
                OSError,
                asyncio.IncompleteReadError,
                asyncio.LimitOverrunError,
                asyncio.CancelledError,
            ):
                await on_connection(reader, writer)
            writer.close()

        self._servers.append(await asyncio.start_server(serve, host, port, backlog=1024))


def hostile_site(controls: Sequence[str], urls: Sequence[str], seen: Mapping[str, int]) -> Handler:
    """The site whose pages try ``urls``, and what those pages are made of.

    ``/page/<route>`` tries them all after ``controls``; ``?from=`` and ``?to=`` choose a part of them.

    ``seen`` are the targets that arrived at any server: pages ask there for what they are waiting for.
    """

    def handler(target: str) -> Answer:
        parts = urlsplit(target)
        query = parse_qs(parts.query, keep_blank_values=True)
        url = query.get("u", [""])[0]
        match parts.path.split("/")[1:]:
            case ["page", name]:
                start, end = (int(query.get(key, [""])[0] or other) for key, other in _PART)
                named = [each.replace("{route}", name) for each in (*controls, *urls[start:end])]
                return Answer(body=route_page(name, named, alone="alone" in query))
            case ["leaf", name]:
                body = leaf(name, url)
                kind = _TYPES.get(name.rpartition(".")[2], "text/html")
                return (
                    Answer(404)
                    if body is None
                    else Answer(kind=f"{kind}; charset=utf-8", body=body)
                )
            case ["arrived"]:
                route = query.get("route", [""])[0]
                return Answer(body="yes" if seen.get(f"/seen/{route}") else "no")
            case ["xslt"]:
                return Answer(kind="application/xml", body=leaf("xslt.xml", url) or "")
            case ["redirect"]:
                return Answer(int(query["status"][0]), headers=(("Location", url),))
            case ["refresh"]:
                return Answer(headers=(("Refresh", f"0; url={url}"),))
            case ["link"]:
                return Answer(headers=(("Link", f"<{url}>; rel=preload; as=image"),))
            case ["csp"]:
                policy = f"img-src 'none'; report-uri {url.replace(';', '%3b')}"
                headers = (("Content-Security-Policy", policy),)
                return Answer(body="<img src=/x>", headers=headers)
            case _:
                return Answer(body="<p>A public page.</p>")

    return handler


def honest_site(target: str) -> Answer:
    """Answers everything, for everybody."""
    headers = (("Access-Control-Allow-Origin", "*"), ("Access-Control-Allow-Methods", "*"))
    return Answer(body="<p>A public page beside it.</p>", headers=headers)


def _encoded(answer: Answer) -> bytes:
    body = answer.body.encode()
    lines = [f"HTTP/1.1 {answer.status} X", f"Content-Type: {answer.kind}"]
    # Bytes below a space would end the header: a server that sends them is another matter.
    lines += [f"{name}: {_one_line(value)}" for name, value in answer.headers]
    lines += [
        f"Content-Length: {len(body)}",
        "Cache-Control: no-store",
        "Connection: close",
        "",
        "",
    ]
    return "\r\n".join(lines).encode("utf-8") + body


def _one_line(value: str) -> str:
    return "".join(char if char >= " " else f"%{ord(char):02x}" for char in value)
