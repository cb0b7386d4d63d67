"""The keys as the running service knows them: read from the store now and then, kept in memory."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterable, Mapping

from api.keys import ApiKey


class KeyRing:
    """All keys by id; what was read is used for ``ttl_s`` seconds.

    A revoked key therefore works that long, and so does the absence of keys after the first was made.
    """

    def __init__(self, load: Callable[[], Iterable[ApiKey]], ttl_s: float) -> None:
        self._load, self._ttl_s = load, ttl_s
        self._keys: Mapping[str, ApiKey] = {}
        self._read_at = -float("inf")
        self._reading = asyncio.Lock()

    async def keys(self) -> Mapping[str, ApiKey]:
        """The keys, not older than ``ttl_s``; whatever the store raises is raised here.

        Nothing older stands in when the store cannot be read: a key that was revoked in the meantime
        would pass.
        """
        if self._stale():
            async with self._reading:
                if self._stale():
                    asked_at = time.monotonic()
                    found = await asyncio.to_thread(lambda: list(self._load()))
                    self._keys = {key.id: key for key in found}
                    self._read_at = asked_at
        return self._keys

    def forget(self) -> None:
        """Read the store again at the next look."""
        self._read_at = -float("inf")

    def _stale(self) -> bool:
        return time.monotonic() - self._read_at >= self._ttl_s
