"""What a page says about itself: in its head and in data embedded for machines."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from extractor.markers import shorten
from extractor.render.addresses import full_url, is_safe
from extractor.render.dates import normal_date
from extractor.render.embedded import json_ld, microdata, open_graph
from extractor.snapshot import SnapshotMeta
from extractor.tree import Tree

#: Most characters of one value, most values of one name and most names of one kind.
MAX_VALUE_CHARS = 1_000
MAX_VALUES = 20
MAX_NAMES = 60
_AUTHORS = ("author", "article:author", "dc.creator", "dcterms.creator", "parsely-author")
_PUBLISHED = ("article:published_time", "date", "dc.date", "dcterms.created", "pubdate",
              "datepublished", "parsely-pub-date")  # fmt: skip
_MODIFIED = ("article:modified_time", "og:updated_time", "last-modified", "dcterms.modified",
             "datemodified")  # fmt: skip
_ICONS = frozenset({"icon", "apple-touch-icon", "apple-touch-icon-precomposed", "mask-icon"})

_Names = list[tuple[str, str]]


def metadata_of(
    tree: Tree, meta: SnapshotMeta, state: Sequence[int] | None = None
) -> dict[str, Any]:
    """Title, language, description, type, site name, image, author, dates, canonical address, keywords,
    robots, icons, ``open_graph``, ``twitter``, ``json_ld`` and ``microdata``.

    Only what is there has a key, but for ``title`` and ``json_ld``. The head speaks before JSON-LD. Names
    that stand more than once become lists. Dates are ISO 8601 where they can be read. JSON-LD that
    does not parse is counted under ``json_ld_invalid``, what had no room under ``left_out``.
    ``state`` (see ``visibility``) keeps hidden text out of microdata. Pure.
    """
    names, links = _head(tree)
    parsed, invalid, no_room = json_ld(meta.json_ld)
    items, more = microdata(tree, state or [0] * len(tree), meta.final_url)
    graph = [(name.lower(), _line(value)) for name, value in open_graph(tree)]
    said = _Said(names, parsed)
    found: dict[str, Any] = {
        "title": meta.title,
        "lang": meta.lang,
        "description": said.first(("description", "og:description", "twitter:description"))
        or said.linked("description"),
        "type": said.first(("og:type",)) or said.linked("@type"),
        "site_name": said.first(("og:site_name", "application-name")) or said.linked("publisher"),
        "image": full_url(
            said.first(("og:image", "og:image:url", "twitter:image"))
            or said.linked("image", "url"),
            meta.final_url,
        ),
        "canonical": next((href for rel, href in links if "canonical" in rel), ""),
        "author": said.first(_AUTHORS) or said.linked("author"),
        "published": normal_date(said.first(_PUBLISHED) or said.linked("datePublished")),
        "modified": normal_date(said.first(_MODIFIED) or said.linked("dateModified")),
        "keywords": said.first(("keywords",)),
        "robots": said.first(("robots",)),
        "open_graph": _grouped(graph, "og:"),
        "twitter": _grouped(names, "twitter:"),
        "icons": [href for rel, href in links if rel & _ICONS][:MAX_VALUES],
        "microdata": items,
        "json_ld_invalid": invalid,
        "left_out": no_room + more,
    }
    return {"title": meta.title, "json_ld": parsed} | {
        key: value for key, value in found.items() if value
    }


class _Said:
    """Looks up what the head, or JSON-LD, says under a name."""

    def __init__(self, names: _Names, parsed: list[Any]) -> None:
        self.names = dict(reversed(names))
        self.parsed = parsed

    def first(self, wanted: Iterable[str]) -> str:
        return next((self.names[want] for want in wanted if want in self.names), "")

    def linked(self, name: str, inner: str = "name") -> str:
        """The first value of ``name`` in JSON-LD; of an object, what it has under ``inner``."""
        for item in _objects(self.parsed):
            values = item.get(name)
            texts = [
                value.get(inner) if isinstance(value, dict) else value
                for value in (values if isinstance(values, list) else [values])
            ]
            text = ", ".join(_line(text) for text in texts[:MAX_VALUES] if isinstance(text, str))
            if text:
                return shorten(text, MAX_VALUE_CHARS)
        return ""


def _objects(parsed: list[Any]) -> Iterator[dict[str, Any]]:
    for item in parsed:
        if isinstance(item, dict):
            yield item
            graph = item.get("@graph")
            yield from (
                (each for each in graph if isinstance(each, dict))
                if isinstance(graph, list)
                else ()
            )


def _head(tree: Tree) -> tuple[_Names, list[tuple[set[str], str]]]:
    """Names with content, and link relations with addresses, in document order."""
    names: _Names = []
    links: list[tuple[set[str], str]] = []
    for node in range(1, len(tree)):
        attrs = tree.attrs[node] or {}
        if tree.tag[node] == "meta":
            name = attrs.get("property") or attrs.get("name") or attrs.get("itemprop") or ""
            content = _line(attrs.get("content", ""))
            if name and content:
                names.append((name.strip().lower(), content))
        elif tree.tag[node] == "link" and attrs.get("href"):
            address = attrs["href"] if is_safe(attrs["href"]) else ""
            if address:
                links.append((set(attrs.get("rel", "").lower().split()), address))
    return names, links


def _grouped(names: _Names, prefix: str) -> dict[str, str | list[str]]:
    grouped: dict[str, list[str]] = {}
    for name, content in names:
        if name.startswith(prefix) and (len(grouped) < MAX_NAMES or name in grouped):
            values = grouped.setdefault(name.removeprefix(prefix)[:MAX_VALUE_CHARS], [])
            if len(values) < MAX_VALUES:
                values.append(content)
    return {name: values[0] if len(values) == 1 else values for name, values in grouped.items()}


def _line(text: str) -> str:
    return shorten(" ".join(text.split()), MAX_VALUE_CHARS)
