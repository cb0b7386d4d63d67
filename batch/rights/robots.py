"""Whether a crawler may fetch an address: robots.txt by RFC 9309, fetched through the egress policy."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Literal

from batch.rights.origins import OriginCache
from batch.rights.robots_file import RobotsFile
from extractor.egress.fetch import Fetched
from extractor.egress.policy import DEFAULT_RULES, EgressRules, ParsedTarget, judge_url
from extractor.errors import ExtractorError, TooManyRedirects

Fetch = Callable[[str], Awaitable[Fetched]]
State = Literal["rules", "unavailable", "unreachable", "not_asked"]
_MAX_AGE = re.compile(r"(?:^|[,\s])max-age\s*=\s*\"?(\d{1,9})", re.IGNORECASE)
_TOO_MANY_REQUESTS = 429


@dataclass(frozen=True, slots=True)
class RobotsRules:
    """How robots.txt is read.

    Attributes:
        agent: the crawler's product token: letters, ``_`` and ``-``.
        max_bytes: what is read of a file; the RFC wants 512,000 at least.
        holds_s: longest time that a file is used before it is asked for again.
        least_holds_s: shortest one, whatever ``Cache-Control`` says.
        retry_s: pause after a file could not be reached.
        stale_s: how long the last file that was read is used while it cannot be reached.
        origins: origins whose files are kept in memory.
    """

    agent: str = "Pagefold"
    max_bytes: int = 512_000
    holds_s: float = 86_400
    least_holds_s: float = 300
    retry_s: float = 600
    stale_s: float = 30 * 86_400
    origins: int = 2_000

    def __post_init__(self) -> None:
        if not re.fullmatch(r"[A-Za-z_-]+", self.agent):
            raise ValueError(f"agent {self.agent!r}: letters, '_' and '-' only, such as Pagefold")
        if self.max_bytes < 512_000:
            raise ValueError("max_bytes: at least 512,000 (RFC 9309, 2.5)")


@dataclass(frozen=True, slots=True)
class RobotsDecision:
    """Whether an address may be fetched, and why.

    Attributes:
        allowed: whether it may.
        state: ``rules`` of a file decided; it was ``unavailable`` (4xx, or more than five redirects), which
            allows everything, or ``unreachable`` (5xx, 429, no answer), which allows nothing; ``not_asked``.
        rule: the line that forbids it; ``None`` where it is allowed or no file was read.
        robots_hash: SHA-256 of the file as it came, in hexadecimal; ``None`` without one.
        status: HTTP status of the last answer for it; ``None`` without one.
        crawl_delay_s: seconds that the site wants between two requests; ``None`` where it says nothing.
        fetched_at: when the file was asked for, ISO 8601 in UTC to the second; empty where it was not.
        signals: what the file says about the use of its pages, line by line.
        licences: addresses of licences that the file names.
        error: code of the error that made it unreachable; ``None`` without one.
    """

    allowed: bool
    state: State = "not_asked"
    rule: str | None = None
    robots_hash: str | None = None
    status: int | None = None
    crawl_delay_s: float | None = None
    fetched_at: str = ""
    signals: tuple[str, ...] = ()
    licences: tuple[str, ...] = ()
    error: str | None = None


#: For what is read without asking anyone: archives, or a run that does not look at robots.txt.
NOT_ASKED = RobotsDecision(allowed=True)


@dataclass(frozen=True, slots=True)
class _Known:
    """What is known of one origin: the decision for every address of it, but for its rules."""

    base: RobotsDecision
    file: RobotsFile | None
    read_at: datetime


class Robots:
    """Decides by the robots.txt of each origin, which is asked for once and kept.

    Args:
        rules: how it is read.
        fetch: gets an address; see ``batch.rights.fetching``.
        egress: what may be opened at all.
        clock: the time, for tests.
    """

    def __init__(
        self,
        rules: RobotsRules,
        fetch: Fetch,
        *,
        egress: EgressRules = DEFAULT_RULES,
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self._rules, self._fetch, self._egress, self._clock = rules, fetch, egress, clock
        self._known: OriginCache[_Known] = OriginCache(self._load, size=rules.origins)

    async def allowed(self, url: str) -> RobotsDecision:
        """Whether an address may be fetched; its origin is asked for robots.txt when that is not known.

        Raises:
            InvalidUrl, BlockedAddress: it may not be opened, whatever robots.txt says.
        """
        target = judge_url(url, self._egress)
        known = await self._known.get(origin_of(target))
        if known.file is None:
            return known.base
        rule = known.file.disallowing(target.url)
        return replace(known.base, allowed=rule is None, rule=rule)

    async def close(self) -> None:
        """Give up what is being fetched."""
        await self._known.close()

    async def _load(self, origin: str, old: _Known | None) -> tuple[_Known, float]:
        now = self._clock()
        base = RobotsDecision(
            allowed=False, state="unreachable", fetched_at=now.isoformat(timespec="seconds")
        )
        try:
            answer = await self._fetch(f"{origin}/robots.txt")
        except TooManyRedirects:
            return self._open(base, now), self._rules.holds_s
        except ExtractorError as error:
            return self._closed(replace(base, error=error.code), now, old)
        base = replace(base, status=answer.status)
        if 200 <= answer.status < 300 and (answer.complete or answer.incomplete_reason == "size"):
            return self._read(base, answer, now), self._holds_s(answer)
        if 400 <= answer.status < 500 and answer.status != _TOO_MANY_REQUESTS:
            return self._open(base, now), self._holds_s(answer)
        return self._closed(replace(base, error="http_protocol"), now, old)

    def _read(self, base: RobotsDecision, answer: Fetched, now: datetime) -> _Known:
        file = RobotsFile(answer.body, self._rules.agent, max_bytes=self._rules.max_bytes)
        read = replace(
            base,
            allowed=True,
            state="rules",
            robots_hash=hashlib.sha256(answer.body).hexdigest(),
            crawl_delay_s=file.crawl_delay_s,
            signals=file.signals,
            licences=file.licences,
        )
        return _Known(read, file, now)

    def _open(self, base: RobotsDecision, now: datetime) -> _Known:
        return _Known(replace(base, allowed=True, state="unavailable"), None, now)

    def _closed(
        self, base: RobotsDecision, now: datetime, old: _Known | None
    ) -> tuple[_Known, float]:
        # RFC 9309, 2.3.1.4: the copy may go on being used while the file cannot be reached.
        if old and old.file and (now - old.read_at).total_seconds() <= self._rules.stale_s:
            return replace(old, base=replace(old.base, error=base.error)), self._rules.retry_s
        return _Known(base, None, now), self._rules.retry_s

    def _holds_s(self, answer: Fetched) -> float:
        control = answer.headers.get("cache-control", "")
        age = _MAX_AGE.search(control)
        wished = float(age[1]) if age else self._rules.holds_s
        if "no-store" in control.lower() or "no-cache" in control.lower():
            wished = 0.0
        return min(max(wished, self._rules.least_holds_s), self._rules.holds_s)


def origin_of(target: ParsedTarget) -> str:
    """Scheme, host and port of an address; robots.txt holds for one of them (RFC 9309, 2.3)."""
    scheme, _, rest = target.url.partition("://")
    return f"{scheme}://{re.split('[/?#]', rest, maxsplit=1)[0]}"
