"""Files that speak for a whole site are asked for in turn with its pages."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from batch.hosts import Turns
from batch.refusals import RobotsDisallowed
from batch.rights import Robots
from extractor.egress.fetch import Fetched

Get = Callable[[str], Awaitable[Fetched]]


def in_turn(get: Get, turns: Turns, room: asyncio.Semaphore, robots: Robots | None = None) -> Get:
    """A function that gets an address when it is its turn.

    Whoever waits for it must hold neither a turn nor room: both may be needed for it.

    Args:
        get: fetches.
        turns: at hosts.
        room: fetches at a time in this process.
        robots: asked before, where the file is not ``robots.txt`` itself.
    """

    async def polite(url: str) -> Fetched:
        delay_s = 0.0
        if robots is not None:
            decision = await robots.allowed(url)
            if not decision.allowed:
                raise RobotsDisallowed("robots.txt does not allow this address.")
            delay_s = decision.crawl_delay_s or 0.0
        held = False

        async def admitted() -> None:
            nonlocal held
            await room.acquire()
            held = True

        try:
            async with turns.turn(url, delay_s, admitted):
                return await get(url)
        finally:
            if held:
                room.release()

    return polite
