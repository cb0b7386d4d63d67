"""A client that goes away takes its work with it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from starlette.types import ASGIApp, Message, Receive, Scope, Send

#: Messages of a body that may wait to be read; past it the client waits.
_AHEAD = 2


class ClientGone(Exception):
    """The client closed the connection before the answer was complete."""


class Leaving:
    """Cancels a request when its client leaves; it has ended when ``ClientGone`` is raised.

    Work in a thread cannot be cancelled: what waits for one ends when the thread does.
    """

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        complete = False

        async def send_and_see(message: Message) -> None:
            nonlocal complete
            # Before it is sent: the server reports a complete answer as a disconnect too.
            complete = message["type"] == "http.response.body" and not message.get("more_body")
            await send(message)

        messages: asyncio.Queue[Message] = asyncio.Queue(_AHEAD)
        work = asyncio.ensure_future(_run(self.app(scope, _reader(messages), send_and_see)))
        watcher = asyncio.ensure_future(_pump(receive, messages))
        try:
            await asyncio.wait({work, watcher}, return_when=asyncio.FIRST_COMPLETED)
            if complete and not work.done():
                await asyncio.wait({work})
            if not work.done():
                raise ClientGone
            work.result()
        finally:
            for pending in (work, watcher):
                pending.cancel()
            await asyncio.gather(work, watcher, return_exceptions=True)


def _reader(messages: asyncio.Queue[Message]) -> Callable[[], Awaitable[Message]]:
    gone: Message | None = None

    async def receive() -> Message:
        nonlocal gone
        if gone is not None:
            return gone
        message = await messages.get()
        if message["type"] == "http.disconnect":
            gone = message
        return message

    return receive


async def _pump(receive: Receive, messages: asyncio.Queue[Message]) -> None:
    """Hand messages on, however few the work reads, until the client is gone."""
    while True:
        message = await receive()
        await messages.put(message)
        if message["type"] == "http.disconnect":
            return


async def _run(work: Awaitable[None]) -> None:
    await work
