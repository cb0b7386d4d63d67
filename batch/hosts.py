"""How gently each host is asked: so many pages at a time, and so far apart."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field
from typing import Protocol
from urllib.parse import urlsplit

from batch.refusals import HttpStatus


def host_of(url: str) -> str:
    """Host and port of an address, by which it is asked gently; empty for what is no address."""
    try:
        parts = urlsplit(url)
        host = (parts.hostname or "").rstrip(".")
        port = parts.port or {"http": 80, "https": 443}.get(parts.scheme, 0)
    except ValueError:
        return ""
    return f"{host}:{port}" if host else ""


Admitted = Callable[[], Awaitable[None]]


class Turns(Protocol):
    """Hands out turns at hosts. An engine over several machines brings its own."""

    def turn(
        self, url: str, delay_s: float, admitted: Admitted
    ) -> AbstractAsyncContextManager[None]:
        """A turn at the host of ``url``: inside the block it may be asked once.

        Args:
            url: what will be asked for.
            delay_s: seconds that ``robots.txt`` wants between the starts of two turns.
            admitted: waits for room in this process, once the host has room; the turn starts after it.
        """
        ...


@dataclass(slots=True)
class _Host:
    room: asyncio.Semaphore
    line: asyncio.Lock = field(default_factory=asyncio.Lock)
    next_at: float = 0.0
    users: int = 0


class HostTurns:
    """Turns at hosts within one event loop. Hosts that nobody waits for and whose time is up are forgotten.

    Args:
        per_host: turns of one host at a time.
        rate: most turns of one host that start in a second; ``None`` for no limit of ours.
        longest_rest_s: most seconds that a host is left alone because it asks for it (``Retry-After``).
    """

    def __init__(self, per_host: int, rate: float | None, *, longest_rest_s: float = 120) -> None:
        self._per_host, self._longest_rest_s = per_host, longest_rest_s
        self._gap_s = 1 / rate if rate else 0.0
        self._hosts: dict[str, _Host] = {}
        self._sweep_at = 1_000

    @asynccontextmanager
    async def turn(self, url: str, delay_s: float, admitted: Admitted) -> AsyncIterator[None]:
        """See ``Turns``. Whoever asks first has its turn first."""
        name, gap_s = host_of(url), max(self._gap_s, delay_s)
        host = self._hosts.setdefault(name, _Host(asyncio.Semaphore(self._per_host)))
        host.users += 1
        try:
            async with host.room:
                async with host.line:
                    await _until(host.next_at)
                    await admitted()
                    host.next_at = _now() + gap_s
                yield
        except HttpStatus as refusal:
            # It is meant for all who ask that host, not just for this page.
            rest_s = min(refusal.rest_s, self._longest_rest_s)
            host.next_at = max(host.next_at, _now() + rest_s)
            raise
        finally:
            host.users -= 1
            self._sweep()

    def _sweep(self) -> None:
        if len(self._hosts) < self._sweep_at:
            return
        now = _now()
        self._hosts = {n: h for n, h in self._hosts.items() if h.users or h.next_at > now}
        self._sweep_at = max(1_000, 2 * len(self._hosts))


async def _until(time: float) -> None:
    # A timer may fire a little early.
    while (left := time - _now()) > 0:
        await asyncio.sleep(left)


def _now() -> float:
    return asyncio.get_running_loop().time()
