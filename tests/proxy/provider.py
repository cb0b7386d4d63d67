"""A provider on loopback that speaks the real protocols: it checks what it is sent and says what it is told."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from compactor import validate
from compactor.cost import history_cost
from tests.answering import answering

Json = Any


@dataclass(frozen=True, slots=True)
class Text:
    text: str


@dataclass(frozen=True, slots=True)
class Thinking:
    text: str
    signature: str = "c2lnbmVk"


@dataclass(frozen=True, slots=True)
class Call:
    id: str
    name: str
    arguments: dict[str, Any]


Part = Text | Thinking | Call


@dataclass(frozen=True, slots=True)
class Raw:
    """An answer as it goes over the wire. ``cut`` closes the connection behind it, before it is whole;
    ``pause_at`` is where it waits until ``resume`` is set.
    """

    status: int
    body: bytes
    content_type: str = "application/json"
    headers: tuple[tuple[str, str], ...] = ()
    cut: bool = False
    pause_at: int = -1


@dataclass(slots=True)
class Asked:
    """A request that came in."""

    method: str
    path: str
    headers: dict[str, str]
    raw: bytes
    body: Json = None

    @property
    def messages(self) -> list[Json]:
        return self.body["input"] if "input" in self.body else self.body["messages"]


#: What a provider says to a request: parts of an answer, or bytes.
Script = Callable[[Asked], list[Part] | Raw]


@dataclass(slots=True)
class Provider:
    """``findings`` are breaches of the provider's rules; ``sent`` is what went out, byte for byte."""

    url: str = ""
    script: Script = lambda asked: [Text("Done.")]
    asked: list[Asked] = field(default_factory=list)
    sent: list[bytes] = field(default_factory=list)
    findings: list[str] = field(default_factory=list)
    costs: list[int] = field(default_factory=list)
    checks: bool = True
    gone: threading.Event = field(default_factory=threading.Event)
    resume: threading.Event = field(default_factory=threading.Event)

    def check(self, asked: Asked) -> None:
        profile = profile_of(asked.path)
        if profile is None or not self.checks:
            return
        messages = asked.messages
        if not isinstance(messages, list):
            return
        self.findings += [
            f"{finding.index} {finding.rule}"
            for finding in validate(messages, profile)
            if finding.severity == "error"
        ]
        systems = sum(m.get("role") in ("system", "developer") for m in messages[:3])
        self.costs.append(history_cost(messages[systems:]))


def profile_of(path: str) -> str | None:
    path = path.partition("?")[0]
    endings = {
        "/messages": "anthropic",
        "/chat/completions": "openai-chat",
        "/responses": "openai-responses",
    }
    return next((name for ending, name in endings.items() if path.endswith(ending)), None)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server

    def log_message(self, format: str, *args: object) -> None:
        return

    def do_GET(self) -> None:
        self._answer()

    def do_POST(self) -> None:
        self._answer()

    def do_DELETE(self) -> None:
        self._answer()

    def _answer(self) -> None:
        provider = self.server.provider
        raw = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        asked = Asked(self.command, self.path, dict(self.headers.items()), raw)
        if raw[:1] == b"{":
            asked.body = json.loads(raw)
            provider.check(asked)
        provider.asked.append(asked)
        said = provider.script(asked)
        if isinstance(said, list):
            said = rendered(said, asked, len(provider.asked))
        self._send(said)

    def _send(self, raw: Raw) -> None:
        provider = self.server.provider
        provider.sent.append(raw.body)
        self.send_response(raw.status)
        self.send_header("Content-Type", raw.content_type)
        for name, value in raw.headers:
            self.send_header(name, value)
        streams = raw.content_type.startswith("text/event-stream")
        if streams or raw.cut:
            self.send_header("Transfer-Encoding", "chunked")
        else:
            self.send_header("Content-Length", str(len(raw.body)))
        self.end_headers()
        if not streams and not raw.cut:
            self.wfile.write(raw.body)
            return
        # In pieces that end anywhere, as they do on a real network.
        for at in range(0, len(raw.body), 97):
            if at <= raw.pause_at < at + 97:
                provider.resume.wait(20)
            piece = raw.body[at : at + 97]
            self.wfile.write(b"%x\r\n%s\r\n" % (len(piece), piece))
        if raw.cut:
            self.close_connection = True
            return
        self.wfile.write(b"0\r\n\r\n")


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 64
    provider: Provider

    def handle_error(self, request: object, client_address: object) -> None:
        """Clients that leave are what is tested here."""
        self.provider.gone.set()


@contextmanager
def provider() -> Iterator[Provider]:
    server = _Server(("127.0.0.1", 0), _Handler)
    made = Provider(f"http://127.0.0.1:{server.server_port}")
    server.provider = made
    with answering(server):
        try:
            yield made
        finally:
            made.resume.set()


def rendered(parts: list[Part], asked: Asked, number: int) -> Raw:
    """Parts of an answer in the protocol that was spoken."""
    from tests.proxy import wires

    profile = profile_of(asked.path)
    make = {
        "anthropic": wires.anthropic,
        "openai-chat": wires.chat,
        "openai-responses": wires.responses,
    }[profile or ""]
    streams = bool(asked.body.get("stream"))
    tokens = len(asked.raw) // 3
    body = make(parts, f"{number:04d}", tokens, stream=streams)
    return Raw(200, body, "text/event-stream; charset=utf-8" if streams else "application/json")
