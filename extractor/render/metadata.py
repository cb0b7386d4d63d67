"""What a page says about itself in its head."""

from __future__ import annotations

import json
from typing import Any

from extractor.snapshot import SnapshotMeta
from extractor.tree import Attrs, Tree

_AUTHORS = ("author", "article:author", "dc.creator", "dcterms.creator", "parsely-author")
_DATES = {
    "published": ("article:published_time", "date", "dc.date", "dcterms.created", "pubdate",
                  "datepublished"),
    "modified": ("article:modified_time", "og:updated_time", "last-modified", "dcterms.modified",
                 "datemodified"),
}  # fmt: skip
_ICONS = frozenset({"icon", "apple-touch-icon", "apple-touch-icon-precomposed", "mask-icon"})


def metadata_of(tree: Tree, meta: SnapshotMeta) -> dict[str, Any]:
    """Title, description, canonical address, OpenGraph, Twitter, author, dates, JSON-LD, icons.

    Only what is there has a key, but for ``title`` and ``json_ld``. Repeated OpenGraph names become
    lists. JSON-LD that does not parse is left out and counted under ``json_ld_invalid``.
    """
    names, links = _head(tree)
    parsed, invalid = _json_ld(meta.json_ld)
    found: dict[str, Any] = {
        "title": meta.title,
        "lang": meta.lang,
        "description": _first(names, ("description", "og:description", "twitter:description")),
        "canonical": next((href for rel, href in links if "canonical" in rel), ""),
        "author": _first(names, _AUTHORS),
        **{key: _first(names, wanted) for key, wanted in _DATES.items()},
        "keywords": _first(names, ("keywords",)),
        "robots": _first(names, ("robots",)),
        "open_graph": _prefixed(names, "og:"),
        "twitter": _prefixed(names, "twitter:"),
        "icons": [href for rel, href in links if rel & _ICONS],
        "json_ld_invalid": invalid,
    }
    return {"title": meta.title, "json_ld": parsed} | {
        key: value for key, value in found.items() if value
    }


def _head(tree: Tree) -> tuple[list[tuple[str, str]], list[tuple[set[str], str]]]:
    """Names with content, and link relations with addresses, in document order."""
    names: list[tuple[str, str]] = []
    links: list[tuple[set[str], str]] = []
    for node in range(1, len(tree)):
        attrs: Attrs = tree.attrs[node] or {}
        if tree.tag[node] == "meta":
            name = attrs.get("property") or attrs.get("name") or attrs.get("itemprop") or ""
            content = " ".join(attrs.get("content", "").split())
            if name and content:
                names.append((name.strip().lower(), content))
        elif tree.tag[node] == "link" and attrs.get("href"):
            links.append((set(attrs.get("rel", "").lower().split()), attrs["href"]))
    return names, links


def _first(names: list[tuple[str, str]], wanted: tuple[str, ...]) -> str:
    for want in wanted:
        for name, content in names:
            if name == want:
                return content
    return ""


def _prefixed(names: list[tuple[str, str]], prefix: str) -> dict[str, str | list[str]]:
    grouped: dict[str, list[str]] = {}
    for name, content in names:
        if name.startswith(prefix):
            grouped.setdefault(name.removeprefix(prefix), []).append(content)
    return {name: values[0] if len(values) == 1 else values for name, values in grouped.items()}


def _json_ld(blocks: tuple[str, ...]) -> tuple[list[Any], int]:
    parsed: list[Any] = []
    invalid = 0
    for block in blocks:
        try:
            parsed.append(json.loads(block))
        except (ValueError, RecursionError):
            invalid += 1
    return parsed, invalid
