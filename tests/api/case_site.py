"""A web site of a test's own on loopback ports, which keeps what it was asked."""

from __future__ import annotations

import ssl
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from tests.answering import answering


@dataclass(frozen=True, slots=True)
class Reply:
    """One answer; a header given as ``None`` is left out."""

    body: bytes = b""
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    media: str | None = "text/html"


Routes = dict[str, Reply | Callable[[BaseHTTPRequestHandler], Reply]]


@dataclass(slots=True)
class CaseSite:
    """``seen`` holds the path and the headers (small letters) of every request."""

    port: int
    routes: Routes
    seen: list[tuple[str, dict[str, str]]] = field(default_factory=list)

    @property
    def host(self) -> str:
        return f"127.0.0.1:{self.port}"

    def url(self, path: str = "/") -> str:
        return f"http://{self.host}{path}"

    def sent_to(self, path: str) -> list[dict[str, str]]:
        """Headers of the requests for a path, with or without a query."""
        return [headers for where, headers in self.seen if where.partition("?")[0] == path]


@contextmanager
def serving(routes: Routes, tls: ssl.SSLContext | None = None) -> Iterator[CaseSite]:
    """Serve ``routes`` while the block runs, over TLS where a context is given; other paths are 404."""
    site = CaseSite(0, routes)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, format: str, *args: object) -> None:
            pass

        def do_GET(self) -> None:
            site.seen.append((self.path, {k.lower(): v for k, v in self.headers.items()}))
            route = site.routes.get(self.path.partition("?")[0], Reply(status=404))
            reply = route(self) if callable(route) else route
            self.send_response(reply.status)
            if reply.media is not None:
                self.send_header("Content-Type", reply.media)
            for name, value in reply.headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(reply.body)))
            self.end_headers()
            if reply.status not in (204, 304):
                self.wfile.write(reply.body)

    class Server(ThreadingHTTPServer):
        def handle_error(self, request: object, client_address: object) -> None:
            pass  # whoever does not trust us leaves in the middle of the greeting

    server = Server(("127.0.0.1", 0), Handler)
    if tls is not None:
        server.socket = tls.wrap_socket(
            server.socket, server_side=True, do_handshake_on_connect=False
        )
    server.daemon_threads = True
    site.port = server.server_address[1]
    with answering(server):
        yield site
