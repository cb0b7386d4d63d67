"""The MCP server: tools, and nothing else."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from typing import Any

from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp_types import (
    CallToolRequestParams,
    CallToolResult,
    ListToolsResult,
    PaginatedRequestParams,
)
from starlette.requests import Request

from api.health import package_version
from api.mcp.calling import call_tool
from api.mcp.tools import listed
from api.mcp.visit import Visit

Context = ServerRequestContext[Any, Any]
#: The visit that a request makes; over a pipe there is no request.
VisitOf = Callable[[Request | None], AbstractAsyncContextManager[Visit]]
Lifespan = Callable[[Any], AbstractAsyncContextManager[Any]]


def make_server(visit_of: VisitOf) -> Server[Any]:
    """A server whose calls are made in the visit that ``visit_of`` gives for their request."""
    tools = listed()

    async def list_tools(_: Context, __: PaginatedRequestParams | None) -> ListToolsResult:
        return ListToolsResult(tools=tools)

    async def call(context: Context, params: CallToolRequestParams) -> CallToolResult:
        async with visit_of(context.request) as visit:
            return await call_tool(visit, params.name, params.arguments or {})

    server: Server[Any] = Server(
        "pagefold",
        version=package_version(),
        on_list_tools=list_tools,
        on_call_tool=call,
    )
    # Requests have a span of ours already.
    server.middleware.clear()
    return server
