"""What the headers of an answer say about the use of its page."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from urllib.parse import urljoin

Headers = Iterable[tuple[str, str]]
_AGENT = re.compile(r"([A-Za-z][A-Za-z0-9_.-]*)\s*:\s*(.*)", re.DOTALL)
#: Directives that have a value after a colon, which is no name of an agent.
_VALUED = frozenset({"max-snippet", "max-image-preview", "max-video-preview", "unavailable_after"})
_DAY = re.compile(r"(mon|tue|wed|thu|fri|sat|sun)[a-z]*\Z", re.IGNORECASE)
_LINK = re.compile(r"<([^<>]*)>([^<]*)")
_REL = re.compile(r"\brel\s*=\s*(?:\"([^\"]*)\"|([^\s;,\"]+))", re.IGNORECASE)
_MAX_DIRECTIVES = 100


@dataclass(frozen=True, slots=True)
class Directive:
    """One word of ``X-Robots-Tag`` or of a robots meta element.

    Attributes:
        name: in lower case: ``noindex``, ``noai``, ``max-snippet``, …
        value: what follows its colon; ``None`` without one.
        agent: the crawler that it is meant for, in lower case; ``None``: for all.
    """

    name: str
    value: str | None = None
    agent: str | None = None


def values(headers: Headers, name: str) -> list[str]:
    """The values of a header in order, whatever the case of its name."""
    return [value for key, value in headers if key.lower() == name]


def directives(text: str, agent: str | None = None) -> list[Directive]:
    """The directives of one header or meta element; ``agent`` is who it is meant for when it says nothing.

    In ``googlebot: noindex, nofollow`` the name holds for all that follows in the same header.
    """
    found: list[Directive] = []
    parts = iter(text.split(","))
    for part in parts:
        word, value = part.strip(), None
        if match := _AGENT.match(word):
            if match[1].lower() in _VALUED:
                word, value = match[1], match[2].strip()
            else:
                agent, word = match[1].lower(), match[2].strip()
                if inner := _AGENT.match(word):
                    word, value = inner[1], inner[2].strip()
        if value is not None and _DAY.match(value):
            # A date has a comma of its own after the day of the week.
            value = f"{value}, {next(parts, '').strip()}"
        if word:
            found.append(Directive(word.lower(), value, agent))
        if len(found) >= _MAX_DIRECTIVES:
            break
    return found


def x_robots_tag(headers: Headers) -> list[Directive]:
    """The directives of every ``X-Robots-Tag`` header, in order."""
    return [found for value in values(headers, "x-robots-tag") for found in directives(value)]


def linked_licences(headers: Headers, url: str) -> list[str]:
    """Addresses of ``Link: <…>; rel="license"`` headers (RFC 8288), made absolute."""
    found = []
    for value in values(headers, "link"):
        for target, parameters in _LINK.findall(value):
            rel = _REL.search(parameters)
            if rel is not None and "license" in (rel[1] or rel[2]).lower().split():
                found.append(absolute(url, target))
    return [licence for licence in found if licence]


def absolute(base: str, target: str) -> str:
    """A link made absolute; empty for one that is no address."""
    try:
        return urljoin(base, target.strip())
    except ValueError:
        return ""
