"""Refusing a request or a WebSocket before it reaches the application."""

from __future__ import annotations

from starlette.responses import Response
from starlette.types import Receive, Scope, Send

_POLICY_VIOLATION = 1008


async def turn_away(answer: Response, scope: Scope, receive: Receive, send: Send) -> None:
    """Send ``answer``. A WebSocket gets it in place of the handshake, or is closed where servers cannot."""
    if scope["type"] == "websocket":
        await receive()
        if "websocket.http.response" not in scope.get("extensions", {}):
            await send({"type": "websocket.close", "code": _POLICY_VIOLATION})
            return
    await answer(scope, receive, send)
