"""Request bodies that drip: what has not come in time ends the request."""

from __future__ import annotations

import asyncio

from fastapi import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send


class BodyClock:
    """Gives a body ``body_timeout_s`` from the end of the headers to its own."""

    def __init__(self, app: ASGIApp, body_timeout_s: float) -> None:
        self.app = app
        self.body_timeout_s = body_timeout_s

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        ended = False
        deadline = asyncio.get_running_loop().time() + self.body_timeout_s

        async def timed() -> Message:
            nonlocal ended
            if ended:
                return await receive()  # what is awaited then is that the client leaves
            try:
                async with asyncio.timeout_at(deadline):
                    message = await receive()
            except TimeoutError:
                raise HTTPException(408, _too_slow(self.body_timeout_s)) from None
            ended = not message.get("more_body", False)
            return message

        await self.app(scope, timed, send)


def _too_slow(limit_s: float) -> str:
    return f"A request body must arrive within {limit_s:g} s (setting PAGEFOLD_BODY_TIMEOUT_S)."
