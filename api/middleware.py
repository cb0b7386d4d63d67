"""What holds for every answer: security headers, counted bodies, no traceback."""

from __future__ import annotations

import re
import secrets

import structlog
from fastapi import HTTPException
from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from api.errors import body_too_large, problem
from api.route import route_of

SECURITY_HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    # Page content is handed out under our origin: nothing in it may run, load or submit.
    "Content-Security-Policy": (
        "default-src 'none'; style-src 'unsafe-inline'; form-action 'none'; "
        "frame-ancestors 'none'; base-uri 'none'; sandbox"
    ),
    "Cache-Control": "no-store",
}

_PLAIN_ID = re.compile(rb"[A-Za-z0-9._-]{1,64}\Z")
#: Where whole tool results and histories come in.
_APPEND = re.compile(r"/v1/sessions/[^/]+/messages|/proxy/.+")
_log = structlog.get_logger("pagefold.http")


class Boundary:
    """The outermost layer: headers on every answer, a request id, 500 for what no one caught."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        request_id = _request_id(scope)
        started = False

        async def send_with_headers(message: Message) -> None:
            nonlocal started
            # A WebSocket that is refused gets an answer too.
            if message["type"].endswith("http.response.start"):
                started = True
                headers = MutableHeaders(scope=message)
                for name, value in SECURITY_HEADERS.items():
                    headers.setdefault(name, value)
                headers.setdefault("X-Request-Id", request_id)  # a provider has its own
            await send(message)

        with structlog.contextvars.bound_contextvars(request_id=request_id):
            try:
                await self.app(scope, receive, send_with_headers)
            except Exception:
                _log.exception("unhandled", route=route_of(scope))
                if started or scope["type"] != "http":
                    raise
                answer = problem(
                    "internal", f"Something failed on our side; the log names it {request_id}."
                )
                await answer(scope, receive, send_with_headers)


def _request_id(scope: Scope) -> str:
    """The caller's own, where it gave one that can stand in a log line, else a new one."""
    for name, value in scope["headers"]:
        if name == b"x-request-id" and _PLAIN_ID.match(value):
            return str(value.decode("ascii"))
    return secrets.token_hex(8)


class BodyLimit:
    """Counts request bodies as they arrive; a declared length only lets it refuse early.

    Appends to a session may be larger, ``large_appends`` of them at a time.
    """

    def __init__(
        self, app: ASGIApp, max_body_bytes: int, max_append_bytes: int = 0, large_appends: int = 2
    ) -> None:
        self.app = app
        self.max_body_bytes = max_body_bytes
        self.max_append_bytes = max(max_body_bytes, max_append_bytes)
        self._large = large_appends

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        appends = scope["method"] == "POST" and _APPEND.fullmatch(scope["path"])
        limit = self.max_append_bytes if appends else self.max_body_bytes
        name = "MAX_APPEND_BYTES" if appends else "MAX_BODY_BYTES"
        received, large = 0, False

        async def counted() -> Message:
            nonlocal received, large
            message = await receive()
            if message["type"] == "http.request":
                received += len(message.get("body", b""))
                if received > limit:
                    raise HTTPException(413, _too_large(limit, name))
                if received > self.max_body_bytes and not large:
                    if self._large <= 0:
                        raise HTTPException(429, "Other large appends are running; send it later.")
                    large, self._large = True, self._large - 1
            return message

        if _declared_length(scope) > limit:
            await body_too_large(_too_large(limit, name))(scope, receive, send)
            return
        try:
            await self.app(scope, counted, send)
        finally:
            self._large += large


def _too_large(limit: int, name: str) -> str:
    return f"A request body may have {limit} bytes (setting PAGEFOLD_{name})."


def _declared_length(scope: Scope) -> int:
    for name, value in scope["headers"]:
        if name == b"content-length" and value.isdigit():
            return int(value)
    return 0
