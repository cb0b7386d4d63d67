"""One address on its way to a capture: robots, turns at hosts, redirects, a browser or none."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from urllib.parse import urldefrag

from batch.readers import Readers
from batch.refusals import HttpStatus, Moved, RobotsDisallowed, RobotsUnreachable
from batch.rights import NOT_ASKED, Reservation, RobotsDecision
from extractor.answers import Answer, hearing
from extractor.egress.policy import judge_url
from extractor.errors import InvalidUrl, TooManyRedirects
from extractor.request import PageRequest
from extractor.snapshot import Snapshot
from extractor.static import needs_browser

_MOST_CHARS = 100_000


class Visit:
    """One try at one address, and what is known of it at any time.

    Attributes:
        answer: the last one that came; ``None`` where none did, or a browser let go of it.
        answered_at: when it came, ISO 8601 in UTC; empty without one.
        hops: addresses that led on to another, in order.
        decision: what robots.txt said of the last address.
        site: what its site reserves; ``None`` where it was not asked.
    """

    def __init__(self, readers: Readers) -> None:
        self._readers = readers
        self._holds_room = False
        self.answer: Answer | None = None
        self.answered_at = ""
        self.hops: list[str] = []
        self.decision: RobotsDecision = NOT_ASKED
        self.site: Reservation | None = None

    async def capture(self, url: str) -> Snapshot:
        """The page behind an address. Room in the process is held when this returns; see ``give_room``.

        Raises:
            ExtractorError: there is none; ``HttpStatus``, ``RobotsDisallowed`` and others of ours among them.
        """
        limit = self._readers.extractor.settings.max_redirects
        if len(url) > _MOST_CHARS:
            raise InvalidUrl(f"The URL is longer than {_MOST_CHARS:,} characters.", field="url")
        while True:
            try:
                return await self._captured(url)
            except Moved as moved:
                self.give_room()
                self.hops.append(url)
                if len(self.hops) > limit:
                    raise TooManyRedirects(f"More than max_redirects ({limit}).") from moved
                url = moved.url

    async def take_room(self) -> None:
        """Wait until this process has room for one more page."""
        await self._readers.room.acquire()
        self._holds_room = True

    def give_room(self) -> None:
        """Nobody waits, for another try or another host, with room that others could use."""
        if self._holds_room:
            self._holds_room = False
            self._readers.room.release()

    def hear(self, answer: Answer) -> None:
        """Take an answer.

        Raises:
            HttpStatus: it is none that holds a page.
        """
        self.answer, self.answered_at = answer, now()
        if not 200 <= answer.status < 300:
            raise HttpStatus(answer.status, header(answer, "retry-after"))

    async def _captured(self, url: str) -> Snapshot:
        """One address without its redirects; as the plan says, in a browser or not."""
        render = self._readers.plan.content.render
        if render == "browser":
            return await self._asked(url, "browser")
        snapshot = await self._asked(url, "static")
        answer = self.answer
        if render == "static" or answer is None:
            return snapshot
        kind = header(answer, "content-type")
        if not await asyncio.to_thread(needs_browser, answer.body, kind):
            return snapshot
        self.give_room()
        return await self._asked(url, "browser")

    async def _asked(self, url: str, render: str) -> Snapshot:
        readers = self._readers
        url = judge_url(url, readers.extractor.settings.egress_rules).url
        delay_s = await self._permitted(url)
        request = PageRequest(url=url, render=render, unfold=False)
        async with readers.turns.turn(url, delay_s, self.take_room):
            deadline = asyncio.get_running_loop().time() + readers.extractor.settings.deadline_s
            with hearing(self.hear, self._follow):
                snapshot = await readers.extractor.snapshot(request, deadline)
        # A browser follows redirects without asking.
        for reached in (*snapshot.meta.redirects[1:], snapshot.meta.final_url):
            if urldefrag(reached).url != urldefrag(url).url:
                self.give_room()
                await self._permitted(reached)
        if not self._holds_room:
            await self.take_room()
        return snapshot

    async def _permitted(self, url: str) -> float:
        """Seconds between pages that the host wants. Nothing is held meanwhile: it may have to be asked.

        Raises:
            RobotsDisallowed, RobotsUnreachable: the address may not be fetched.
        """
        robots, tdm = self._readers.robots, self._readers.tdm
        if robots is not None:
            self.decision = decision = await robots.allowed(url)
            if not decision.allowed and decision.state == "unreachable":
                raise RobotsUnreachable(decision.error)
            if not decision.allowed:
                raise RobotsDisallowed("robots.txt does not allow this address.")
        if tdm is not None:
            self.site = await tdm.reservation(url)
        return self.decision.crawl_delay_s or 0.0

    async def _follow(self, url: str) -> None:
        raise Moved(url)


def header(answer: Answer, name: str) -> str:
    """The last header of that name, or empty."""
    found = [value for key, value in answer.headers if key.lower() == name]
    return found[-1] if found else ""


def now() -> str:
    """The time as rows have it."""
    return datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
