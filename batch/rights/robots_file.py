"""What one robots.txt says to one crawler (RFC 9309). Pure: bytes in, answers out.

Which group of rules applies is decided here, by the RFC's letter: the product token alone counts, whole and
whatever its case, while Protego also takes ``Foo`` for a part of ``Foobot``. Which rule of the group decides
is Protego's part: wildcards, percent-encoding, precedence.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from protego import Protego

_LINE = re.compile(r"\r\n|\r|\n")
_AGENT = re.compile(r"user[- ]?agents?(?:\s*:|\s)\s*(.*)", re.IGNORECASE)
#: Lines that end the list of agents of a group; Protego forgives the misspellings.
_RULE = re.compile(
    r"(allow|diss?all?[oa]w|disalow|diasllow|crawl[- ]delay|request[- ]rate|visit[- ]time)\s*[:\s]",
    re.IGNORECASE,
)
_DISALLOW = re.compile(r"(?:diss?all?[oa]w|disalow|diasllow)(?:\s*:|\s)\s*(.+)", re.IGNORECASE)
#: What a group may say about the use of its pages, beside whether they may be fetched.
_SIGNAL = re.compile(r"(content-signal|content-usage)\s*:\s*(.+)", re.IGNORECASE)
_LICENCE = re.compile(r"licen[sc]e\s*:\s*(\S+)", re.IGNORECASE)
_TOKEN = re.compile(r"[A-Za-z_-]+")
_ALL = "*"


@dataclass(slots=True)
class _Group:
    rules: list[str] = field(default_factory=list)
    signals: list[str] = field(default_factory=list)


class RobotsFile:
    """The rules of one file for one crawler.

    Args:
        body: the file; what is past ``max_bytes`` is not read.
        agent: the crawler's product token.
        max_bytes: at least 512,000 by the RFC.

    Attributes:
        signals: lines on the use of the pages, such as ``Content-Signal: ai-train=no``, as they stand.
        licences: addresses of ``License`` lines, which hold for the whole site.
    """

    def __init__(self, body: bytes, agent: str, *, max_bytes: int = 512_000) -> None:
        lines = [line.partition("#")[0].strip() for line in _LINE.split(decoded(body, max_bytes))]
        group = _group_for(lines, agent.lower())
        self._rules = group.rules
        self.signals = tuple(group.signals)
        self.licences = tuple(match[1] for line in lines if (match := _LICENCE.match(line)))
        self._parsed = _parsed(group.rules)
        self._disallowing: list[tuple[str, Protego | None]] | None = None

    def disallowing(self, url: str) -> str | None:
        """The rule that forbids an address, as it stands in the file; ``None`` where it is allowed."""
        url = _plain_query(url)
        if self._parsed.can_fetch(url, _ALL):
            return None
        if self._disallowing is None:
            found = [(match[1], line) for line in self._rules if (match := _DISALLOW.match(line))]
            found.sort(key=lambda pair: -len(pair[0]))
            self._disallowing = [(line, None) for _, line in found]
        for at, (line, parsed) in enumerate(self._disallowing):
            if parsed is None:
                parsed = _parsed([line])
                self._disallowing[at] = (line, parsed)
            if not parsed.can_fetch(url, _ALL):
                return line
        return "Disallow"

    @property
    def crawl_delay_s(self) -> float | None:
        """Seconds between two requests, by ``Crawl-delay`` or ``Request-rate``, whichever is longer."""
        delay = self._parsed.crawl_delay(_ALL)
        rate = self._parsed.request_rate(_ALL)
        if rate is None:
            return delay
        return max(delay or 0.0, rate.seconds / rate.requests)


def decoded(body: bytes, max_bytes: int) -> str:
    """The text of a file: UTF-8, or UTF-16 by its mark; a line that ``max_bytes`` cuts is left out.

    Bytes that are no UTF-8 come out percent-encoded, as they stand in the addresses that they are about.
    """
    if len(body) > max_bytes:
        cut = body[:max_bytes]
        body = cut[: max(cut.rfind(b"\n"), cut.rfind(b"\r")) + 1]
    if body.startswith((b"\xff\xfe", b"\xfe\xff")):
        return body.decode("utf-16", "replace").lstrip("\ufeff")
    text = body.removeprefix(b"\xef\xbb\xbf").decode("utf-8", "surrogateescape")
    return re.sub("[\udc80-\udcff]", lambda byte: f"%{ord(byte[0]) - 0xDC00:02X}", text)


def _group_for(lines: list[str], agent: str) -> _Group:
    """The rules of every group that names the agent, else of every group for all (RFC 9309, 2.2.1)."""
    own, everyone = _Group(), _Group()
    named = in_own = in_everyone = ended = False
    for line in lines:
        if match := _AGENT.match(line):
            if ended:
                in_own = in_everyone = ended = False
            token = _TOKEN.match(match[1])
            in_own = in_own or (token is not None and token[0].lower() == agent)
            in_everyone = in_everyone or match[1].split(None, 1)[:1] == [_ALL]
            named = named or in_own
            continue
        ended = ended or _RULE.match(line) is not None
        kind = "rules" if _RULE.match(line) else "signals" if _SIGNAL.match(line) else None
        if kind is not None:
            for group, inside in ((own, in_own), (everyone, in_everyone)):
                if inside:
                    getattr(group, kind).append(line)
    return own if named else everyone


def _parsed(rules: list[str]) -> Protego:
    return Protego.parse("\n".join([f"User-agent: {_ALL}", *map(_plain_query, rules)]))


def _plain_query(text: str) -> str:
    # In a query a slash and its escape are one (RFC 9309, 2.2.2); Protego takes them for two everywhere.
    path, mark, query = text.partition("?")
    return path + mark + re.sub("%2F", "/", query, flags=re.IGNORECASE)
