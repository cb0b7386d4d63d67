"""The links of a page, in reading order."""

from __future__ import annotations

from collections.abc import Callable

from extractor.page import Link
from extractor.render.addresses import full_url
from extractor.render.controls import control_text
from extractor.tree import TEXT, semantic
from extractor.units import Doc

_SCHEMES = ("http://", "https://", "mailto:", "tel:")


def links_of(doc: Doc, role_of_run: Callable[[int], str]) -> tuple[Link, ...]:
    """Visible links, absolute, unique by address and text; ``role_of_run`` names a run's region."""
    texts: dict[int, list[str]] = {}
    first: dict[int, int] = {}
    anchors = _anchors(doc)
    for run, node in enumerate(doc.run_node):
        anchor = anchors[node]
        if anchor < 0:
            continue
        first.setdefault(anchor, run)
        words = texts.setdefault(anchor, [])
        text = doc.run_text[run] if doc.tree.tag[node] == TEXT else _atom(doc, node)
        spaced = doc.run_glue[run] or doc.run_block[run] != doc.run_block[run - 1]
        words.append(" " + text if words and spaced else text)
    found: dict[tuple[str, str], Link] = {}
    for anchor, run in first.items():
        url = _absolute(doc, anchor)
        text = " ".join("".join(texts[anchor]).split())
        if url and (url, text) not in found:
            found[url, text] = Link(url, text, role_of_run(run), _rel(doc, anchor))
    return tuple(found.values())


def _anchors(doc: Doc) -> list[int]:
    tree = doc.tree
    anchors = [-1] * len(tree)
    for node, attrs in enumerate(tree.attrs):
        if attrs and "href" in attrs and node and semantic(tree, node) == "a":
            end = tree.end[node]
            anchors[node:end] = [node] * (end - node)
    return anchors


def _rel(doc: Doc, anchor: int) -> tuple[str, ...]:
    return tuple(dict.fromkeys((doc.tree.attrs[anchor] or {}).get("rel", "").lower().split()))


def _atom(doc: Doc, node: int) -> str:
    if doc.tree.tag[node] == "img":
        return (doc.tree.attrs[node] or {}).get("alt", "")
    return control_text(doc, node)


def _absolute(doc: Doc, anchor: int) -> str:
    url = full_url((doc.tree.attrs[anchor] or {})["href"].strip(), doc.base_url)
    return url if url.startswith(_SCHEMES) or not doc.base_url else ""
