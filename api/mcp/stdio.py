"""MCP over standard input and output, for clients that start their servers themselves."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Any, cast

from fastapi import FastAPI
from mcp.server.stdio import stdio_server
from starlette.requests import Request

from api.app import create_app
from api.callers import Caller
from api.client import AsyncPagefold
from api.mcp.inside import Inside
from api.mcp.pipe import input_lines
from api.mcp.server import VisitOf, make_server
from api.mcp.visit import Visit
from api.settings import ApiSettings


async def run_here(settings: ApiSettings, session: str | None) -> None:
    """Serve until the client closes the pipe, with a browser of our own.

    The client is answered at once, since clients give a server few seconds to start; the first call that
    needs the browser waits for it.

    Raises:
        ExtractorError: no browser can be had, or it gets past the egress proxy.
    """
    # Jobs are the service's, even where it shares the data folder.
    settings = settings.model_copy(update={"job_concurrency": 0})
    app = create_app(settings)
    started, over = asyncio.Event(), asyncio.Event()
    living = asyncio.create_task(_live(app, started, over))

    @asynccontextmanager
    async def visit_of(_: Request | None) -> AsyncIterator[Visit]:
        await started.wait()
        async with Inside(app).client_of(Caller()) as api:
            yield Visit(api, settings.mcp_result_chars, settings.mcp_picture_bytes, session)

    speaking = asyncio.create_task(_speak(visit_of))
    try:
        await asyncio.wait((living, speaking), return_when=asyncio.FIRST_COMPLETED)
    finally:
        over.set()
        speaking.cancel()
        with suppress(asyncio.CancelledError):
            await speaking
        await living


async def run_for(url: str, key: str | None, settings: ApiSettings, session: str | None) -> None:
    """Serve until the client closes the pipe, as a bridge to the service at ``url``."""
    async with AsyncPagefold(url, key=key) as api:

        @asynccontextmanager
        async def visit_of(_: Request | None) -> AsyncIterator[Visit]:
            yield Visit(api, settings.mcp_result_chars, settings.mcp_picture_bytes, session)

        await _speak(visit_of)


async def _live(app: FastAPI, started: asyncio.Event, over: asyncio.Event) -> None:
    async with app.router.lifespan_context(app):
        started.set()
        await over.wait()


async def _speak(visit_of: VisitOf) -> None:
    server = make_server(visit_of)
    lines = cast(Any, input_lines())  # of a file the SDK asks for nothing else
    try:
        async with stdio_server(stdin=lines) as (received, sent):
            await server.run(received, sent, server.create_initialization_options())
    except* BrokenPipeError:
        pass  # the client has gone without a word
