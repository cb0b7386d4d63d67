"""Blocking work in threads, which nothing can cancel."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TypeVar

import anyio.to_thread

T = TypeVar("T")


async def run_to_end(call: Callable[[], T]) -> T:
    """The result of ``call`` in a thread. Cancelled, it still waits for the thread to end.

    So what the caller holds meanwhile (a lock, a place) stays held as long as the work goes on.
    """
    work = asyncio.ensure_future(anyio.to_thread.run_sync(call))
    cancelled: asyncio.CancelledError | None = None
    while not work.done():
        try:
            await asyncio.wait({work})
        except asyncio.CancelledError as error:
            cancelled = error
    if cancelled is not None:
        if not work.cancelled():
            work.exception()  # seen, so that no one reports it as lost
        raise cancelled
    return work.result()
