"""The service over real connections, and the SDK's own client before it."""

from __future__ import annotations

import threading
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from typing import Any, Literal

import httpx2
from fastapi import FastAPI
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp_types import CallToolResult, TextContent

from api.app import create_app
from api.serve import server_of
from api.settings import ApiSettings

Mode = Literal["auto", "legacy"]
START_S = 60


@dataclass(frozen=True, slots=True)
class Running:
    """A service in this process."""

    url: str
    app: FastAPI
    settings: ApiSettings

    @asynccontextmanager
    async def client(self, *, mode: Mode = "auto", **headers: str) -> AsyncIterator[Client]:
        """The SDK's client; its requests carry ``headers``."""
        names = {name.replace("_", "-"): value for name, value in headers.items()}
        async with httpx2.AsyncClient(headers=names, timeout=30, trust_env=False) as http:
            transport = streamable_http_client(f"{self.url}/mcp", http_client=http)
            async with Client(transport, mode=mode) as client:
                yield client


@contextmanager
def served(settings: ApiSettings) -> Iterator[Running]:
    """The service on a free port."""
    chosen = settings.model_copy(update={"port": 0})
    app = create_app(chosen)
    server = server_of(app, chosen)
    thread = threading.Thread(target=server.run)
    thread.start()
    try:
        end = time.monotonic() + START_S
        while not server.started:
            assert time.monotonic() < end
            assert thread.is_alive()
            time.sleep(0.01)
        port = server.servers[0].sockets[0].getsockname()[1]
        yield Running(f"http://127.0.0.1:{port}", app, chosen)
    finally:
        server.should_exit = True
        thread.join()


async def text_of(client: Client, tool: str, **arguments: Any) -> str:
    """The text of a call that succeeds."""
    result = await client.call_tool(tool, arguments)
    assert not result.is_error, result
    return _text(result)


async def failure_of(client: Client, tool: str, **arguments: Any) -> dict[str, Any]:
    """The fields of a call that fails; its text begins with the code."""
    result = await client.call_tool(tool, arguments)
    assert result.is_error, result
    fields: dict[str, Any] = result.structured_content
    assert _text(result).startswith(f"{fields['code']}: {fields['detail']}")
    return fields


def _text(result: CallToolResult) -> str:
    [content] = result.content
    assert isinstance(content, TextContent)
    return content.text
