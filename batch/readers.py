"""What reading needs and all pages of a process share: browsers, the way out, rules of robots, turns."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any, Protocol

from batch.hosts import HostTurns, Turns
from batch.plan import Plan
from extractor.answers import Answer
from extractor.extract import Extractor
from extractor.page import Page
from extractor.settings import ExtractorSettings


class RobotsDecision(Protocol):
    """What the ``robots.txt`` of an origin says of one address."""

    @property
    def allowed(self) -> bool:
        """Whether it may be fetched."""
        ...

    @property
    def crawl_delay_s(self) -> float | None:
        """Seconds between two fetches, or ``None``."""
        ...


class RobotsRules(Protocol):
    """Looks up what ``robots.txt`` allows."""

    async def allowed(self, url: str) -> RobotsDecision:
        """The decision for one address; fetches the file of its origin once."""
        ...


class RightsOf(Protocol):
    """Makes the rights record of one answer."""

    def __call__(
        self, *, answer: Answer, page: Page | None, decision: RobotsDecision | None, agent: str
    ) -> Mapping[str, Any]:
        """The record, ready for JSON."""
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
        rights: makes rights records; ``None`` leaves them out.
    """

    plan: Plan
    extractor: Extractor
    turns: Turns
    room: asyncio.Semaphore
    robots: RobotsRules | None = None
    rights: RightsOf | None = None


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
    pace = plan.pace
    base = settings or ExtractorSettings()
    # As many slots as pages at a time: nobody queues for a browser, and nobody is turned away.
    own = base.model_copy(update={"concurrency": pace.concurrency})
    async with Extractor(own, browser=plan.content.render != "static") as extractor:
        yield Readers(
            plan=plan,
            extractor=extractor,
            turns=turns or HostTurns(pace.per_host, pace.rate),
            room=asyncio.Semaphore(pace.concurrency),
        )
