"""Turns at hosts for all actors together: one actor hands them out, so that limits hold over the cluster."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import Any

from batch.hosts import Admitted, HostTurns

_WAITING = 4


@dataclass(slots=True)
class _Ticket:
    ready: asyncio.Event = field(default_factory=asyncio.Event)
    started: asyncio.Event = field(default_factory=asyncio.Event)
    left: asyncio.Event = field(default_factory=asyncio.Event)
    holding: asyncio.Task[None] | None = None


class Desk:
    """Holds turns for those who cannot be seen from here. Runs as an actor.

    A holder that is not heard of for ``lease_s`` seconds has lost its turn: its process may have died. Until
    it starts it has ``_WAITING`` times as long, since it may wait for room in its process.
    """

    def __init__(self, per_host: int, rate: float | None, lease_s: float) -> None:
        self._turns = HostTurns(per_host, rate)
        self._lease_s = lease_s
        self._tickets: dict[str, _Ticket] = {}

    async def enter(self, name: str, url: str, delay_s: float) -> None:
        """Return when the host of ``url`` has room; the caller then says that it has started."""
        ticket = self._tickets[name] = _Ticket()
        ticket.holding = asyncio.create_task(self._hold(name, ticket, url, delay_s))
        await ticket.ready.wait()

    async def started(self, name: str) -> None:
        """The holder asks its host now: the time to the next turn counts from here."""
        if ticket := self._tickets.get(name):
            ticket.started.set()

    async def leave(self, name: str) -> None:
        """The holder is done, or will not come."""
        ticket = self._tickets.get(name)
        if ticket is None:
            return
        if not ticket.ready.is_set() and ticket.holding is not None:
            ticket.holding.cancel()
            ticket.ready.set()
        ticket.started.set()
        ticket.left.set()

    async def _hold(self, name: str, ticket: _Ticket, url: str, delay_s: float) -> None:
        async def admitted() -> None:
            ticket.ready.set()
            async with asyncio.timeout(_WAITING * self._lease_s):
                await ticket.started.wait()

        try:
            with suppress(TimeoutError):
                async with self._turns.turn(url, delay_s, admitted):
                    async with asyncio.timeout(self._lease_s):
                        await ticket.left.wait()
        finally:
            self._tickets.pop(name, None)


class DeskTurns:
    """Turns of the desk, as pages of one process take them. Implements ``Turns``."""

    def __init__(self, desk: Any) -> None:  # a handle of Ray's
        self._desk = desk

    @asynccontextmanager
    async def turn(self, url: str, delay_s: float, admitted: Admitted) -> AsyncIterator[None]:
        """See ``Turns``."""
        name = secrets.token_hex(8)
        try:
            await self._desk.enter.remote(name, url, delay_s)
            await admitted()
            # Nobody waits for these two: they arrive in this order, and before a later call.
            self._desk.started.remote(name)
            yield
        finally:
            self._desk.leave.remote(name)
