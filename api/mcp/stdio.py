"""MCP over standard input and output, for clients that start their servers themselves."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from mcp.server.stdio import stdio_server
from starlette.requests import Request

from api.app import create_app
from api.callers import Caller
from api.client import AsyncPagefold
from api.mcp.inside import Inside
from api.mcp.server import make_server
from api.mcp.visit import Visit
from api.settings import ApiSettings


async def run_here(settings: ApiSettings, session: str | None) -> None:
    """Serve until the client closes the pipe, with a browser of our own.

    Raises:
        ExtractorError: no browser can be had, or it gets past the egress proxy.
    """
    # Jobs are the service's, even where it shares the data folder.
    settings = settings.model_copy(update={"job_concurrency": 0})
    app = create_app(settings)
    async with app.router.lifespan_context(app), Inside(app).client_of(Caller()) as api:
        await _run(Visit(api, settings.mcp_result_chars, session))


async def run_for(url: str, key: str | None, settings: ApiSettings, session: str | None) -> None:
    """Serve until the client closes the pipe, as a bridge to the service at ``url``."""
    async with AsyncPagefold(url, key=key) as api:
        await _run(Visit(api, settings.mcp_result_chars, session))


async def _run(visit: Visit) -> None:
    @asynccontextmanager
    async def visit_of(_: Request | None) -> AsyncIterator[Visit]:
        yield visit

    server = make_server(visit_of)
    async with stdio_server() as (received, sent):
        await server.run(received, sent, server.create_initialization_options())
