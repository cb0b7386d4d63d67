"""What the small web's servers saw, and what it says of the visitor's manners."""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import orjson


@dataclass(frozen=True, slots=True)
class Hit:
    """One request.

    Attributes:
        at: when its head had been read, in seconds since the epoch.
        until: when the answer had been written, or the visitor had gone.
        host: number of the host.
        target: path and query.
        status: of the answer; 0 when the connection was cut.
        agent: ``User-Agent`` header.
    """

    at: float
    until: float
    host: int
    target: str
    status: int
    agent: str

    @property
    def is_page(self) -> bool:
        """Whether it is not for what the site says about all its pages."""
        return not self.target.startswith(("/robots", "/.well-known/"))

    def line(self) -> bytes:
        """As the log has it."""
        return orjson.dumps(asdict(self)) + b"\n"


def read_log(path: Path) -> list[Hit]:
    """All whole lines, in order of their starts; a line that was being written is left out."""
    lines = path.read_bytes().split(b"\n")[:-1]
    return sorted((Hit(**orjson.loads(line)) for line in lines), key=lambda hit: hit.at)


@dataclass(frozen=True, slots=True)
class Manners:
    """How one host was asked.

    Attributes:
        pages: requests other than for what it says about all its pages.
        at_once: most of them that were open at the same time.
        gap_s: shortest time between the starts of two of them.
        span_s: from the first start to the last.
        rules: requests for ``robots.txt`` itself.
        rules_first: whether the rules were asked for before any page.
        private: requests for what the rules of most hosts disallow.
    """

    pages: int
    at_once: int
    gap_s: float
    span_s: float
    rules: int
    rules_first: bool
    private: int


def manners(hits: Iterable[Hit]) -> dict[int, Manners]:
    """By host."""
    by_host: defaultdict[int, list[Hit]] = defaultdict(list)
    for hit in hits:
        by_host[hit.host].append(hit)
    return {host: _of(found) for host, found in sorted(by_host.items())}


def _of(hits: Sequence[Hit]) -> Manners:
    pages = sorted((hit for hit in hits if hit.is_page), key=lambda hit: hit.at)
    rules = [hit for hit in hits if hit.target == "/robots.txt"]
    gaps = [later.at - earlier.at for earlier, later in itertools.pairwise(pages)]
    first = min((hit.at for hit in rules), default=float("inf"))
    return Manners(
        pages=len(pages),
        at_once=_at_once(pages),
        gap_s=min(gaps, default=float("inf")),
        span_s=sum(gaps),
        rules=len(rules),
        rules_first=not pages or first <= pages[0].at,
        private=sum(hit.target.startswith("/private/") for hit in pages),
    )


def _at_once(hits: Iterable[Hit]) -> int:
    # An end sorts before a start of the same moment.
    events = sorted(event for hit in hits for event in ((hit.at, 1), (hit.until, -1)))
    open_now = most = 0
    for _, step in events:
        open_now += step
        most = max(most, open_now)
    return most
