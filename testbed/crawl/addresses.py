"""Where every page of the small web lies, and what is to be expected of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from testbed.crawl.kinds import KINDS, OK, kind_of
from testbed.crawl.words import SENTENCES, phrase

#: All of 127.0.0.0/8 is loopback on Linux; each address is a host to whoever is polite to hosts.
HOSTS = tuple(f"127.0.1.{number}" for number in range(1, 21))

#: Its robots.txt answers 503: nothing may be fetched (RFC 9309, 2.3.1.4).
UNREACHABLE = 16
#: Its robots.txt has a crawl delay.
DELAYED = 17
#: It has no robots.txt: everything may be fetched (RFC 9309, 2.3.1.3).
LAWLESS = 18
#: Redirects to other hosts lead to the first so many, whose rules are plain.
PLAIN = 12
_HOPS = 3


@dataclass(frozen=True, slots=True)
class Expected:
    """What the row of one address must say.

    Attributes:
        outcome: ``ok`` or an error's code.
        status: of the last answer, ``None`` where none is read.
        final_url: where it leads; ``None`` where there is no page.
        phrase: what the page's text holds; empty where there is no text.
        repeats: index of the address that it has the text of, ``None`` where the text is its own.
    """

    index: int
    url: str
    kind: str
    outcome: str
    status: int | None
    final_url: str | None
    phrase: str
    repeats: int | None


@dataclass(frozen=True)
class SmallWeb:
    """So many addresses on one port of all hosts; ``only`` makes all of them of one kind."""

    pages: int
    port: int
    only: str | None = None

    def kind(self, index: int) -> str:
        return self.only or kind_of(index)

    def url(self, index: int) -> str:
        """The address that the input has."""
        start = "?hop=0" if self.kind(index) == "chain" else ""
        return f"{self.origin(index)}/{self.kind(index)}/{index}{start}"

    def origin(self, index: int, host: int | None = None) -> str:
        number = index % len(HOSTS) if host is None else host
        return f"http://{HOSTS[number]}:{self.port}"

    def target(self, index: int) -> str:
        """Where a ``cross`` address redirects to."""
        return f"{self.origin(index, index % PLAIN)}/article/{index}"

    def allow_hosts(self) -> str:
        """The setting that lets the egress policy through to this web, and to nothing else."""
        return ",".join(f"{host}:{self.port}" for host in HOSTS)

    @cached_property
    def counts(self) -> Counter[str]:
        """Rows by outcome."""
        return Counter(each.outcome for each in self)

    def __iter__(self) -> Iterator[Expected]:
        return (self.expected(index) for index in range(self.pages))

    def expected(self, index: int) -> Expected:
        """What must come of one address."""
        name, url = self.kind(index), self.url(index)
        kind, host = KINDS[name], index % len(HOSTS)
        outcome, status = kind.outcome, kind.status
        if host == UNREACHABLE:
            outcome, status = "robots_unreachable", None
        elif host == LAWLESS and outcome == "robots_disallowed":
            outcome, status = OK, 200
        if outcome != OK:
            return Expected(index, url, name, outcome, status, None, "", None)
        final = {
            "chain": f"{self.origin(index)}/chain/{index}?hop={_HOPS}",
            "cross": self.target(index),
            "trap": f"{self.origin(index)}/private/{index}",
        }.get(name, url)
        repeats = index - 1 if name in ("same", "near") else None
        return Expected(index, url, name, OK, 200, final, self._phrase(index, name), repeats)

    def _phrase(self, index: int, name: str) -> str:
        if name in SENTENCES:
            return SENTENCES[name]
        if name in ("image", "cut"):
            return ""
        return phrase(index - 1 if name in ("same", "near") else index)
