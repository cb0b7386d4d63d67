"""What the markup of a page says about its use: meta elements and links to licences."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

import orjson
from selectolax.lexbor import LexborHTMLParser, LexborNode

from batch.rights.headers import Directive, absolute, directives

#: Links without ``rel="license"`` that are licences all the same.
_KNOWN_LICENCE = re.compile(
    r"https?://(?:[a-z]+\.)?creativecommons\.org/(?:licenses|publicdomain)/[^\s]", re.IGNORECASE
)
_MAX_LICENCES = 50
_MAX_JSON_CHARS = 1_000_000
_MAX_JSON_NODES = 10_000


@dataclass(frozen=True, slots=True)
class Licence:
    """A licence that a page names.

    Attributes:
        url: where it stands, or its name where the page gives no address.
        source: how it is named: ``link-header``, ``rel-license``, ``json-ld``, ``meta``, ``cc-link``,
            ``robots.txt``.
    """

    url: str
    source: str


@dataclass(frozen=True, slots=True)
class MarkupSignals:
    """What one page says about its use.

    Attributes:
        robots: directives of its robots meta elements, those for other crawlers included.
        tdm_reservation: content of ``<meta name="tdm-reservation">``; ``None`` without one.
        tdm_policy: content of ``<meta name="tdm-policy">``, made absolute; ``None`` without one.
        licences: licences in the order of the page, none twice.
    """

    robots: tuple[Directive, ...] = ()
    tdm_reservation: str | None = None
    tdm_policy: str | None = None
    licences: tuple[Licence, ...] = ()


def markup_signals(html: str, url: str, agent: str) -> MarkupSignals:
    """Read the signals of a page.

    Args:
        html: its markup.
        url: its address, to make links absolute.
        agent: our product token: meta elements by that name are ours.
    """
    tree = LexborHTMLParser(html)
    robots: list[Directive] = []
    named: dict[str, str] = {}
    for meta in tree.css("meta[name][content]"):
        name = (meta.attributes.get("name") or "").strip().lower()
        content = meta.attributes.get("content") or ""
        if name == "robots":
            robots += directives(content)
        elif name == agent.lower() or name.endswith(("bot", "-extended")):
            robots += directives(content, name)
        else:
            named.setdefault(name, content.strip())
    policy = named.get("tdm-policy")
    return MarkupSignals(
        robots=tuple(robots),
        tdm_reservation=named.get("tdm-reservation"),
        tdm_policy=absolute(url, policy) or None if policy else None,
        licences=tuple(_licences(tree, url, named)),
    )


def _licences(tree: LexborHTMLParser, url: str, named: dict[str, str]) -> list[Licence]:
    found: dict[str, Licence] = {}
    for licence in _named_licences(tree, url, named):
        if licence.url and len(found) < _MAX_LICENCES:
            found.setdefault(licence.url, licence)
    return list(found.values())


def _named_licences(tree: LexborHTMLParser, url: str, named: dict[str, str]) -> Iterator[Licence]:
    for node in tree.css('link[rel~="license" i][href], a[rel~="license" i][href]'):
        yield Licence(_href(node, url), "rel-license")
    for script in tree.css('script[type="application/ld+json" i]'):
        for value in _json_licences(script.text(deep=True)):
            yield Licence(absolute(url, value) if "/" in value else value, "json-ld")
    for name in ("dcterms.license", "dc.rights", "dcterms.rights", "copyright"):
        if stated := named.get(name):
            yield Licence(stated[:500], "meta")
    for node in tree.css('a[href*="creativecommons.org/" i]'):
        href = _href(node, url)
        if _KNOWN_LICENCE.match(href):
            yield Licence(href, "cc-link")


def _href(node: LexborNode, url: str) -> str:
    return absolute(url, node.attributes.get("href") or "")


def _json_licences(text: str) -> Iterator[str]:
    """Values of ``license`` in JSON-LD, at any depth; malformed or huge data gives none."""
    if len(text) > _MAX_JSON_CHARS:
        return
    try:
        waiting = [orjson.loads(text)]
    except orjson.JSONDecodeError:
        return
    for _ in range(_MAX_JSON_NODES):
        if not waiting:
            return
        node = waiting.pop()
        if isinstance(node, list):
            waiting.extend(reversed(node))
        elif isinstance(node, dict):
            yield from _licence_values(node.get("license"))
            waiting.extend(node.values())


def _licence_values(value: object) -> Iterator[str]:
    for entry in value if isinstance(value, list) else [value]:
        if isinstance(entry, dict):
            entry = entry.get("url") or entry.get("@id") or entry.get("name")
        if isinstance(entry, str) and entry.strip():
            yield entry.strip()[:2_000]
