"""Data that a page embeds for machines: JSON-LD, OpenGraph and microdata, read with extruct.

extruct brings an RDF library along, so it is imported when metadata is asked for, not before.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from lxml import etree, html

from extractor.nesting import clean_text
from extractor.tree import TEXT, Tree
from extractor.visibility import HIDDEN

#: Most characters of JSON that all JSON-LD, and all microdata, of a page may take; whole blocks beyond it
#: are left out and counted.
MAX_JSON_LD_CHARS = 20_000
MAX_MICRODATA_CHARS = 10_000
#: JSON nested deeper than this is refused: writers of JSON have limits too.
MAX_JSON_DEPTH = 32
#: Elements with microdata beyond this many are not read: extruct compares all properties of an item.
MAX_MICRODATA_NODES = 5_000
_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")
#: These have no text for people; a browser does not paint them.
_DATA = frozenset({"meta", "link"})


def json_ld(blocks: Sequence[str]) -> tuple[list[Any], int, int]:
    """The objects in the blocks, how many blocks could not be read and how many had no room."""
    found: list[Any] = []
    invalid = left_out = 0
    room = MAX_JSON_LD_CHARS
    for block in blocks:
        try:
            items = _scripts().extract_items(_script(block))
            written = clean_text(json.dumps(items, ensure_ascii=False))
        except (ValueError, RecursionError):
            invalid += 1
            continue
        if _depth(items) > MAX_JSON_DEPTH:
            invalid += 1
        elif len(written) > room:
            left_out += 1
        else:
            room -= len(written)
            found += json.loads(written, parse_constant=lambda _: None)
    return found, invalid, left_out


def open_graph(tree: Tree) -> list[tuple[str, str]]:
    """OpenGraph properties in the head, in order, such as ``("og:title", "Leek pie")``."""
    root = html.Element("html")
    head = etree.SubElement(root, "head")
    for node in range(1, len(tree)):
        if tree.tag[node] == "meta":
            attrs = tree.attrs[node] or {}
            copy = etree.SubElement(head, "meta")
            for name in ("property", "content"):
                if name in attrs:
                    copy.set(name, _CONTROL.sub("", attrs[name]))
    found = _graphs().extract_items(root)
    return [pair for item in found for pair in item["properties"]]


def microdata(tree: Tree, state: Sequence[int], base_url: str) -> tuple[list[Any], int]:
    """Items of schema.org and other microdata, and how many had no room.

    What no one can see is not part of them (``meta`` and ``link`` are); ``itemref`` reaches only
    into other items.
    """
    found: list[Any] = []
    left_out, room = 0, MAX_MICRODATA_CHARS
    for item in _items().extract_items(_scopes(tree, state), base_url):
        written = clean_text(json.dumps(item, ensure_ascii=False))
        if len(written) > room or _depth(item) > MAX_JSON_DEPTH:
            left_out += 1
            continue
        room -= len(written)
        found.append(json.loads(written))
    return found, left_out


def _script(block: str) -> Any:
    root = html.Element("html")
    script = etree.SubElement(root, "script", type="application/ld+json")
    script.text = block
    return root


def _scopes(tree: Tree, state: Sequence[int]) -> Any:
    """A document of the outermost elements with ``itemscope`` and nothing else."""
    root = html.Element("html")
    body = etree.SubElement(root, "body")
    node, copied = 1, 0
    while node < len(tree) and copied < MAX_MICRODATA_NODES:
        if state[node] < HIDDEN and "itemscope" in (tree.attrs[node] or {}):
            stop = min(tree.end[node], node + MAX_MICRODATA_NODES - copied)
            copied += stop - node
            _copy(tree, state, range(node, stop), body)
            node = tree.end[node]
        else:
            node += 1
    return root


def _copy(tree: Tree, state: Sequence[int], nodes: range, target: Any) -> None:
    """What can be seen of ``nodes``, items inside items to ``MAX_JSON_DEPTH`` levels."""
    copies: dict[int, tuple[Any, int]] = {}
    for node in nodes:
        above, scopes = copies.get(tree.parent[node], (target if node == nodes.start else None, 0))
        if above is None:
            continue
        hidden = state[node] == HIDDEN and tree.tag[node] not in _DATA
        if tree.tag[node] == TEXT:
            if not hidden:
                _append(above, _CONTROL.sub("", tree.text[node]))
            continue
        attrs = (tree.attrs[node] or {}) if not hidden else {}
        scopes += "itemscope" in attrs
        if scopes <= MAX_JSON_DEPTH:
            copies[node] = (etree.SubElement(above, tree.tag[node]), scopes)
            for name, value in attrs.items():
                copies[node][0].set(name, _CONTROL.sub("", value))


def _append(element: Any, text: str) -> None:
    if len(element):
        element[-1].tail = (element[-1].tail or "") + text
    else:
        element.text = (element.text or "") + text


def _depth(value: Any) -> int:
    deepest, waiting = 0, [(value, 1)]
    while waiting:
        each, depth = waiting.pop()
        deepest = max(deepest, depth)
        inner = each.values() if isinstance(each, dict) else each if isinstance(each, list) else ()
        waiting += [(child, depth + 1) for child in inner]
    return deepest


@lru_cache(maxsize=1)
def _scripts() -> Any:
    from extruct.jsonld import JsonLdExtractor

    return JsonLdExtractor()


@lru_cache(maxsize=1)
def _graphs() -> Any:
    from extruct.opengraph import OpenGraphExtractor

    return OpenGraphExtractor()


@lru_cache(maxsize=1)
def _items() -> Any:
    from extruct.w3cmicrodata import MicrodataExtractor

    return MicrodataExtractor()
