"""One file of each origin, fetched once and kept for a while."""

from __future__ import annotations

import asyncio
import contextvars
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from typing import Generic, TypeVar

T = TypeVar("T")


class OriginCache(Generic[T]):
    """Values by origin. Whoever asks while one is being fetched waits for that one.

    Args:
        load: gives the value of an origin and how many seconds it holds; it is handed the value that has
            run out, or ``None``.
        size: origins that are kept; the one that was not asked for longest goes first.
    """

    def __init__(
        self, load: Callable[[str, T | None], Awaitable[tuple[T, float]]], *, size: int
    ) -> None:
        self._load, self._size = load, size
        self._kept: OrderedDict[str, tuple[T, float]] = OrderedDict()
        self._loading: dict[str, asyncio.Task[T]] = {}

    async def get(self, origin: str) -> T:
        """The value of an origin. Raises what ``load`` raises."""
        kept = self._kept.get(origin)
        if kept is not None and kept[1] > asyncio.get_running_loop().time():
            self._kept.move_to_end(origin)
            return kept[0]
        task = self._loading.get(origin)
        if task is None:
            # In a context of its own: what one page listens to is no business of a file for all.
            task = asyncio.create_task(
                self._loaded(origin, kept[0] if kept else None), context=contextvars.Context()
            )
            self._loading[origin] = task
        # Shielded: the others wait for it too, and the next one will.
        return await asyncio.shield(task)

    async def close(self) -> None:
        """Give up what is being fetched."""
        tasks = list(self._loading.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _loaded(self, origin: str, old: T | None) -> T:
        try:
            value, holds_s = await self._load(origin, old)
            self._kept[origin] = (value, asyncio.get_running_loop().time() + holds_s)
            self._kept.move_to_end(origin)
            while len(self._kept) > self._size:
                self._kept.popitem(last=False)
            return value
        finally:
            self._loading.pop(origin, None)
