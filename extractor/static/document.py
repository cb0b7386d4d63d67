"""What was parsed: the composed tree and the declarations that hold in it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from selectolax.lexbor import LexborHTMLParser, LexborNode

from extractor.static.addresses import Base
from extractor.static.bounds import Limits, Taken, bounded
from extractor.static.ours import disowned
from extractor.static.shadow import Part, composed, flatten_fragment
from extractor.styles import Shown, Styles, Viewport, shown_by, style_of
from extractor.tree import Tree, flatten

_TEMPLATE = re.compile("<template", re.I)
_SHADOW = re.compile(r"<template[^>]*\sshadowrootmode", re.I)
_CSS_TYPES = ("", "text/css")
_MAX_SHADOW_DEPTH = 32


@dataclass(frozen=True, slots=True)
class Document:
    """A parsed page: composed tree, verdicts of its styles, base address, and what was left unread."""

    tree: Tree
    shown: Shown
    base: Base
    viewport: Viewport
    sheets: Mapping[str, str]
    limits: Limits
    taken: Taken
    inline: frozenset[int]
    comment_chars: int
    template_chars: int
    rules_skipped: int
    sheets_missing: int


def read_document(
    text: str, url: str, viewport: Viewport, sheets: Mapping[str, str], limits: Limits
) -> Document:
    """Arrays, styles and declarative shadow roots of one document. Linear."""
    text, taken = bounded(text, limits)
    parser = LexborHTMLParser(text)
    comments: list[str] = []
    tree = flatten(parser.root, comments)
    base = Base.of(tree, url)
    found, missing = _sheets(tree, base, sheets)
    styles = style_of(tree, parser, found, viewport, complete=not missing)
    tree = disowned(tree)
    templates = 0
    if _TEMPLATE.search(text):
        root = parser.root
        fragments = root.template_fragments() if root is not None else []
        templates = sum(
            len(node.text_content or "")
            for fragment in fragments
            for node in fragment.traverse(include_text=True)
            if node.is_text_node
        )
        if _SHADOW.search(text):
            part = _part(tree, styles, fragments, viewport, 0)
            tree, styles = composed(part)
    return Document(
        tree,
        shown_by(tree, styles, viewport, complete=not missing),
        base,
        viewport,
        sheets,
        limits,
        taken,
        styles.inline,
        sum(map(len, comments)),
        templates,
        styles.skipped,
        missing,
    )


def _sheets(tree: Tree, base: Base, linked: Mapping[str, str]) -> tuple[list[tuple[str, str]], int]:
    """Text and media of the style sheets in document order, and how many are not known."""
    found: list[tuple[str, str]] = []
    missing = 0
    for node, tag in enumerate(tree.tag):
        if tag not in ("style", "link"):
            continue
        attrs = tree.attrs[node] or {}
        media = attrs.get("media", "")
        if tag == "style" and attrs.get("type", "").strip().lower() in _CSS_TYPES:
            found.append(("".join(tree.text[node : tree.end[node]]), media))
        elif tag == "link" and "stylesheet" in attrs.get("rel", "").lower().split():
            if "alternate" in attrs["rel"].lower() or "disabled" in attrs:
                continue
            text = linked.get(base.absolute(attrs.get("href", "")))
            if text is None:
                missing += 1
            else:
                found.append((text, media))
    return found, missing


def _part(
    tree: Tree, styles: Styles, fragments: list[LexborNode], viewport: Viewport, depth: int
) -> Part:
    """One tree scope with the shadow roots that stand in it. Recursion is as deep as roots are nested."""
    templates = (node for node in range(len(tree)) if tree.tag[node] == "template")
    roots: dict[int, Part] = {}
    for node, fragment in zip(templates, fragments, strict=False):
        mode = (tree.attrs[node] or {}).get("shadowrootmode", "").lower()
        if mode not in ("open", "closed") or depth > _MAX_SHADOW_DEPTH:
            continue
        inner = disowned(flatten_fragment(fragment))
        sheets = [
            ("".join(inner.text[n : inner.end[n]]), (inner.attrs[n] or {}).get("media", ""))
            for n in range(len(inner))
            if inner.tag[n] == "style"
        ]
        held = style_of(inner, fragment, sheets, viewport)
        roots[node] = _part(inner, held, fragment.template_fragments(), viewport, depth + 1)
    return Part(tree, styles, roots)
