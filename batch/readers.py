"""What reading needs and all pages of a process share: browsers, the way out, turns, and what sites allow."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Protocol

from batch.hosts import HostTurns, Turns
from batch.plan import Plan
from batch.rights import (
    Reservation,
    Robots,
    RobotsDecision,
    RobotsRules,
    TdmFiles,
    site_files,
)
from batch.site_turns import in_turn
from extractor.extract import Extractor
from extractor.settings import ExtractorSettings


class SaysRobots(Protocol):
    """Knows what ``robots.txt`` allows."""

    async def allowed(self, url: str) -> RobotsDecision:
        """The decision for one address."""
        ...


class SaysTdm(Protocol):
    """Knows what sites reserve."""

    async def reservation(self, url: str) -> Reservation:
        """What the site of one address says about mining it."""
        ...


@dataclass(frozen=True, slots=True)
class Readers:
    """Shared by all ``read`` calls of one process.

    Attributes:
        plan: what is to be made of pages.
        extractor: started; without a browser where the plan needs none.
        turns: at hosts.
        room: pages at a time in this process, filtering included.
        robots: ``None`` where ``robots.txt`` is not obeyed.
        tdm: ``None`` where sites are not asked for their ``tdmrep.json``.
    """

    plan: Plan
    extractor: Extractor
    turns: Turns
    room: asyncio.Semaphore
    robots: SaysRobots | None = None
    tdm: SaysTdm | None = None


@asynccontextmanager
async def open_readers(
    plan: Plan, settings: ExtractorSettings | None = None, *, turns: Turns | None = None
) -> AsyncIterator[Readers]:
    """Start what the plan needs, and end it when the block does; no process is left.

    Args:
        plan: decides whether there are browsers.
        settings: limits and network rules; from the environment by default.
        turns: those of an engine over several machines; within this process by default.

    Raises:
        BrowserMissing, BrowserCrashed: the plan needs a browser, and there is none.
    """
    pace, manners = plan.pace, plan.manners
    base = settings or ExtractorSettings()
    # As many slots as pages at a time: nobody queues for a browser, and nobody is turned away.
    own = base.model_copy(update={"concurrency": pace.concurrency})
    turns = turns or HostTurns(pace.per_host, pace.rate, longest_rest_s=pace.max_backoff_s)
    room = asyncio.Semaphore(pace.concurrency)
    rules = RobotsRules(agent=manners.agent)
    async with Extractor(own, browser=plan.content.render != "static") as extractor:
        get = in_turn(site_files(own, extractor.proxy), turns, room)
        robots = Robots(rules, get, egress=own.egress_rules) if manners.robots else None
        polite = in_turn(site_files(own, extractor.proxy), turns, room, robots)
        tdm = TdmFiles(polite, egress=own.egress_rules) if manners.tdm else None
        try:
            yield Readers(plan, extractor, turns, room, robots, tdm)
        finally:
            for files in (tdm, robots):
                if files is not None:
                    await files.close()
