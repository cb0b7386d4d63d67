"""``POST /mcp``: MCP over streamable HTTP. Nothing is kept between requests, so any replica answers."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from fastapi import FastAPI
from mcp.server.streamable_http import check_accept_headers
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from starlette.requests import Request
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from api.callers import Caller, caller_of
from api.errors import problem
from api.mcp.inside import Inside
from api.mcp.server import make_server
from api.mcp.visit import Visit
from api.settings import ApiSettings

PATH = "/mcp"
#: Names the session that notes, archive refs and `recall` are about.
SESSION_HEADER = "x-pagefold-session"
_SESSION = re.compile(r"[A-Za-z0-9_-]{1,64}\Z")


class McpEndpoint:
    """The endpoint of ``app``; it answers inside ``running``."""

    def __init__(self, app: FastAPI, settings: ApiSettings) -> None:
        self._app, self._settings = app, settings
        self._manager: StreamableHTTPSessionManager | None = None
        #: Where it answers. There is no stream to GET and no session to DELETE.
        self.route = Route(PATH, endpoint=self, methods=["POST"])

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Answer inside the block."""
        inside = Inside(self._app)

        @asynccontextmanager
        async def visit_of(request: Request | None) -> AsyncIterator[Visit]:
            caller = caller_of(request) if request is not None else Caller()
            named = request.headers.get(SESSION_HEADER, "") if request is not None else ""
            session = named if _SESSION.match(named) else None
            async with inside.client_of(caller) as api:
                yield Visit(
                    api, self._settings.mcp_result_chars, self._settings.mcp_picture_bytes, session
                )

        self._manager = StreamableHTTPSessionManager(
            make_server(visit_of),
            json_response=True,
            stateless=True,
            max_request_body_size=self._settings.max_body_bytes,
        )
        try:
            async with self._manager.run():
                yield
        finally:
            self._manager = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        assert self._manager is not None, "the application has not started"
        scope["route"] = self.route  # for those who count
        # What is no message at all is refused as everywhere; from there on answers are the protocol's.
        if not _speaks_json(Request(scope)):
            answer = problem(
                "invalid_request",
                "MCP messages are JSON: send Content-Type: application/json, and accept it.",
            )
            await answer(scope, receive, send)
            return
        await self._manager.handle_request(scope, receive, send)


def _speaks_json(request: Request) -> bool:
    sent = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    return sent == "application/json" and check_accept_headers(request)[0]
