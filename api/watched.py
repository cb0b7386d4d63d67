"""What is noted about every request: a log line, and what is counted. Never a URL of a page."""

from __future__ import annotations

import time

import structlog
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from api.callers import caller_in
from api.disconnect import ClientGone
from api.errors import CODE_IN_SCOPE
from api.metrics import OTHER, Metrics, known_method
from api.route import route_of
from api.tracing import Tracing

_log = structlog.get_logger("pagefold.requests")
#: nginx's number for it; there is no one left to send it to.
_CLIENT_CLOSED = 499
#: Where a scope holds what is to be traced of the answer.
_ANSWER = "pagefold.answer"


class Watched:
    """Counts, logs and traces each answer by the template of its route."""

    def __init__(self, app: ASGIApp, metrics: Metrics, tracing: Tracing | None = None) -> None:
        self.app, self.metrics, self.tracing = app, metrics, tracing

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        if self.tracing is None:
            await self._watch(scope, receive, send)
            return
        with self.tracing.request(scope) as span:
            try:
                await self._watch(scope, receive, send)
            finally:
                span.answered(*scope[_ANSWER])

    async def _watch(self, scope: Scope, receive: Receive, send: Send) -> None:
        status = 500  # what the server answers when the application does not

        async def send_and_see(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = int(message["status"])
            await send(message)

        async def count() -> Message:
            message = await receive()
            if message["type"] == "http.request":
                self.metrics.body(len(message.get("body", b"")))
            return message

        began = time.perf_counter()
        try:
            await self.app(scope, count, send_and_see)
        except ClientGone:
            status = _CLIENT_CLOSED
            scope[CODE_IN_SCOPE] = "client_closed"
        finally:
            self._note(scope, status, time.perf_counter() - began)

    def _note(self, scope: Scope, status: int, seconds: float) -> None:
        route, code = route_of(scope) or OTHER, scope.get(CODE_IN_SCOPE, "")
        if status >= 400:
            code = code or "internal"
            self.metrics.failure(code)
        self.metrics.request(route, scope["method"], status, seconds)
        method = known_method(scope["method"])
        scope[_ANSWER] = (method, route, status, code)
        key = caller.key if (caller := caller_in(scope)) is not None else None
        _log.info(
            "request",
            method=method,
            route=route,
            status=status,
            code=code,
            ms=round(seconds * 1000),
            tenant=key and key.tenant,
            key_id=key and key.id,
        )
