"""The rights record: what a site said about the use of one page, as it stood when the page was read.

A record is evidence, not a verdict: it keeps what was said, by whom and when, and leaves to the reader of the
data set what follows from it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any

from batch.rights.headers import Directive, Headers, linked_licences, values, x_robots_tag
from batch.rights.markup import Licence, MarkupSignals, markup_signals
from batch.rights.robots import NOT_ASKED, RobotsDecision
from batch.rights.tdm import Reservation, reservation_of
from extractor.encoding import decode
from extractor.sniff import kind_of

#: Raised whenever a field comes, goes or changes its meaning.
RECORD_VERSION = 1
#: Directives by which a page asks not to be indexed, kept, quoted, or used to train models.
OPT_OUTS = frozenset(
    {"noindex", "none", "noarchive", "nosnippet", "noai", "noimageai", "noml", "notranslate"}
)


@dataclass(frozen=True, slots=True)
class Document:
    """One answer as it came.

    Attributes:
        url: its address after redirects.
        headers: as they were sent.
        body: decoded bytes; empty where none were kept.
        fetched_at: when it was fetched or archived, ISO 8601 in UTC.
        markup: the body as text where it is known to be markup; ``None``: told and read by headers and body.
    """

    url: str
    headers: tuple[tuple[str, str], ...]
    body: bytes
    fetched_at: str
    markup: str | None = None


def rights_record(
    document: Document,
    *,
    agent: str,
    robots: RobotsDecision = NOT_ASKED,
    site: Reservation | None = None,
) -> dict[str, Any]:
    """The record of one document: JSON types alone, the same keys in the same order every time.

    Args:
        document: the answer.
        agent: our product token.
        robots: what robots.txt said of its address.
        site: what the ``tdmrep.json`` of its origin said; ``None`` where it was not asked for.
    """
    headers = document.headers
    html = document.markup if document.markup is not None else _markup(document)
    markup = markup_signals(html, document.url, agent) if html else MarkupSignals()
    tags = x_robots_tag(headers)
    tdm = reservation_of(headers, markup, site or Reservation())
    licences = _licences(headers, document.url, markup, robots)
    return {
        "version": RECORD_VERSION,
        "agent": agent,
        "recorded_at": document.fetched_at,
        "content_sha256": hashlib.sha256(document.body).hexdigest(),
        "robots": _robots(robots),
        "x_robots_tag": [_directive(found) for found in tags],
        "meta_robots": [_directive(found) for found in markup.robots],
        "opt_outs": _opt_outs([*tags, *markup.robots], agent),
        "tdm": asdict(tdm),
        "content_usage": values(headers, "content-usage"),
        "licences": [asdict(licence) for licence in licences],
    }


def _markup(document: Document) -> str:
    """The body as text; empty where it is no markup."""
    content_type = next(iter(values(document.headers, "content-type")), None)
    if kind_of(content_type, document.body[:1024]) != "html":
        return ""
    return decode(document.body, content_type).text


def _robots(decision: RobotsDecision) -> dict[str, Any]:
    return {
        "allowed": decision.allowed,
        "state": decision.state,
        "rule": decision.rule,
        "sha256": decision.robots_hash,
        "status": decision.status,
        "fetched_at": decision.fetched_at or None,
        "crawl_delay_s": decision.crawl_delay_s,
        "signals": list(decision.signals),
        "error": decision.error,
    }


def _directive(found: Directive) -> dict[str, str | None]:
    return {"name": found.name, "value": found.value, "agent": found.agent}


def _opt_outs(found: Iterable[Directive], agent: str) -> list[str]:
    """What holds for us: said to all crawlers, or to ours by name."""
    meant = (entry.name for entry in found if entry.agent in (None, agent.lower()))
    return sorted(set(meant) & OPT_OUTS)


def _licences(
    headers: Headers, url: str, markup: MarkupSignals, robots: RobotsDecision
) -> list[Licence]:
    named = [
        *(Licence(address, "link-header") for address in linked_licences(headers, url)),
        *markup.licences,
        *(Licence(address, "robots.txt") for address in robots.licences),
    ]
    first: dict[str, Licence] = {}
    for licence in named:
        first.setdefault(licence.url, licence)
    return list(first.values())
