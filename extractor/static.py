"""A snapshot from bytes, without a browser: what markup and simple style rules tell."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import Literal
from urllib.parse import urljoin

from selectolax.lexbor import LexborHTMLParser

from extractor.documents import document_of
from extractor.encoding import decode
from extractor.errors import EmptyPage
from extractor.nesting import normalise
from extractor.serialise import serialise
from extractor.snapshot import Notice, Snapshot, SnapshotMeta, Wait
from extractor.sniff import kind_of
from extractor.tree import TEXT, Attrs, Tree, parse

_DROP = frozenset({"script", "style", "template", "noembed", "noframes"})
_KEPT = frozenset(
    "id class role href src alt title lang dir type name value placeholder for colspan rowspan headers scope "
    "datetime open checked selected disabled start reversed action method rel content property itemprop "
    "itemtype itemscope cite label aria-label aria-expanded aria-controls aria-hidden charset".split()
)
_HIDING = (
    ("display", re.compile(r"(?<![\w-])display\s*:\s*none", re.I)),
    ("visibility", re.compile(r"(?<![\w-])visibility\s*:\s*(hidden|collapse)", re.I)),
    ("opacity", re.compile(r"(?<![\w-])opacity\s*:\s*0?(\.0\d*)?\s*(;|$|!)", re.I)),
    (
        "font_size",
        re.compile(
            r"font-size\s*:\s*([01]?(\.\d+)?px|2(\.0*)?px|0+(\.0+)?[a-z%]*)\s*(;|$|!)", re.I
        ),
    ),
    ("text_indent", re.compile(r"text-indent\s*:\s*-\d{3,}", re.I)),
    ("offscreen", re.compile(r"(left|top)\s*:\s*-\d{4,}px", re.I)),
    ("clip", re.compile(r"clip-path\s*:\s*(inset\(\s*(50|100)%|circle\(\s*0)", re.I)),
    ("transform", re.compile(r"transform\s*:\s*[^;]*scale\(\s*0\s*[,)]", re.I)),
)
_SIMPLE = re.compile(r"[a-zA-Z0-9_.#\s,>-]+\Z")
_AT_BLOCK = re.compile(
    r"@(?:media|supports|font-face|keyframes|-webkit-keyframes|layer|container)[^{]*\{", re.I
)
#: Not ``p``, ``li``, ``tr``, ``td``: without end tags, as old pages write them, they do not nest.
_NESTED = re.compile(r"<(/?)(div|span|section|ul|ol|b|i|font|blockquote|a|table)\b[^<>]*>", re.I)
_MAX_DEPTH = 512


def needs_browser(body: bytes, content_type: str) -> bool:
    """Whether scripts or style sheets could change what of a page can be seen."""
    head = body.lower()
    return b"<script" in head or b"<style" in head or b"stylesheet" in head


def snapshot_from_bytes(
    body: bytes,
    *,
    url: str,
    final_url: str | None = None,
    content_type: str | None = None,
    status: int = 200,
    redirects: tuple[str, ...] = (),
    render: Literal["static", "given"] = "static",
    disposition: str | None = None,
) -> Snapshot:
    """Decode, parse and annotate one answer. Linear.

    Raises:
        EmptyPage: there are no bytes.
        UnsupportedMedia, DownloadError: it is nothing that can be read.
    """
    if not body.strip() or status == 204:
        raise EmptyPage("the answer has no body")
    where = final_url or url
    kind = kind_of(content_type, body[:1024], disposition)
    decoded = decode(body, content_type)
    text = (
        decoded.text
        if kind == "html"
        else document_of(kind, body, decoded.text, where, content_type)
    )
    page = _Static(_bounded_depth(text), where)
    tree = normalise(page.tree)
    notices = [Notice("undecodable", "bytes that make no sense became U+FFFD", decoded.replaced)]
    if kind != "html":
        notices.append(Notice("not_html", f"made from {kind}"))
    meta = SnapshotMeta(
        url=url,
        final_url=where,
        render=render,
        status=status,
        redirects=redirects,
        content_type=(content_type or "text/html").split(";")[0].strip().lower(),
        charset=decoded.charset,
        title=page.title,
        lang=(tree.attrs[0] or {}).get("lang", ""),
        captured_at=datetime.now(UTC).isoformat(timespec="seconds") if render == "static" else "",
        wait=Wait(),
        notices=tuple(notice for notice in notices if notice.count),
        raw_chars=len(decoded.text),
        nodes=len(tree),
        dropped=page.dropped,
        json_ld=tuple(page.json_ld),
    )
    return Snapshot(serialise(tree), meta)


def _bounded_depth(text: str) -> str:
    """Markup nested no deeper than parsers can bear; deeper tags are taken out, never their text."""
    depth, out, last = 0, [], 0
    if text.count("<") < _MAX_DEPTH:
        return text
    for match in _NESTED.finditer(text):
        closing = match[1] == "/"
        depth += -1 if closing else 1
        if depth > _MAX_DEPTH or closing and depth == _MAX_DEPTH:
            out.append(text[last : match.start()] + " ")
            last = match.end()
        depth = max(depth, 0)
    return "".join(out) + text[last:] if out else text


class _Static:
    """Annotates the parsed tree in place of what a browser would know."""

    def __init__(self, text: str, url: str) -> None:
        source = parse(text)
        self.dropped: dict[str, int] = {}
        self.json_ld: list[str] = []
        self.title = ""
        self.base = url
        self.hidden = _style_rules(text, source)
        self.targets = _collapsed_targets(source)
        self.tree = Tree([], [], [], [], [])
        self._copy(source)

    def _copy(self, source: Tree) -> None:
        out, moved = self.tree, [-1] * len(source)
        node = 0
        open_nodes: list[int] = []
        while node < len(source):
            while open_nodes and source.end[open_nodes[-1]] <= node:
                out.end[moved[open_nodes.pop()]] = len(out)
            tag = source.tag[node]
            if (
                tag in _DROP
                or tag == "link"
                and "stylesheet" in (source.attrs[node] or {}).get("rel", "")
            ):
                self._drop(source, node)
                node = source.end[node]
                continue
            above = source.parent[node]
            index = moved[node] = len(out)
            name, attrs = self._element(source, node) if tag != TEXT else (TEXT, None)
            out.tag.append(name)
            out.parent.append(moved[above] if above >= 0 else -1)
            out.end.append(index + 1)
            out.attrs.append(attrs)
            out.text.append(source.text[node])
            if tag == "title" and not self.title and source.tag[above] == "head":
                self.title = " ".join("".join(source.text[node : source.end[node]]).split())
            open_nodes.append(node)
            node += 1
        while open_nodes:
            out.end[moved[open_nodes.pop()]] = len(out)

    def _drop(self, source: Tree, node: int) -> None:
        tag = source.tag[node]
        text = "".join(source.text[node : source.end[node]])
        self.dropped[tag] = self.dropped.get(tag, 0) + len(text)
        if tag == "script" and "ld+json" in (source.attrs[node] or {}).get("type", ""):
            self.json_ld.append(text)

    def _element(self, source: Tree, node: int) -> tuple[str, Attrs | None]:
        tag, raw = source.tag[node], source.attrs[node] or {}
        kept = {name: value for name, value in raw.items() if name in _KEPT}
        if tag == "base" and raw.get("href"):
            self.base = urljoin(self.base, raw["href"])
        if tag in ("svg", "canvas", "video", "audio", "math"):
            kept = {"data-pf-tag": tag, **kept}
        if tag == "input" and raw.get("type", "").lower() in ("password", "hidden"):
            kept.pop("value", None)
        if tag == "img":
            lazy = raw.get("data-src") or raw.get("data-lazy-src") or raw.get("data-original")
            if lazy and (not raw.get("src") or raw["src"].startswith("data:")):
                kept["src"] = lazy
        for name in ("href", "src", "action", "cite"):
            if name in kept:
                kept[name] = _absolute(self.base, kept[name])
        self._hide(source, node, tag, raw, kept)
        return (
            "span" if "data-pf-tag" in kept and tag in ("svg", "canvas", "math") else tag
        ), kept or None

    def _hide(self, source: Tree, node: int, tag: str, raw: Attrs, kept: Attrs) -> None:
        style = raw.get("style", "")
        reason = self.hidden.get(node, "")
        for name, pattern in _HIDING if style else ():
            if pattern.search(style):
                reason = name
        if "hidden" in raw or tag == "dialog" and "open" not in raw:
            reason = "display"
        if tag == "input" and raw.get("type", "").lower() == "hidden":
            reason = "display"
        if raw.get("hidden") == "until-found":
            kept["data-pf-c"] = "until_found"
        elif reason and (raw.get("role") == "tabpanel" or raw.get("id") in self.targets):
            kept["data-pf-c"] = "tab" if raw.get("role") == "tabpanel" else "accordion"
        elif reason == "visibility":
            kept["data-pf-t"] = reason
        elif reason:
            kept["data-pf-h"] = reason
        above = source.parent[node]
        if (
            tag != "summary"
            and source.tag[above] == "details"
            and "open" not in (source.attrs[above] or {})
        ):
            kept["data-pf-c"] = "details"


def _absolute(base: str, address: str) -> str:
    address = address.strip()
    if not address or address.startswith(("data:", "javascript:", "mailto:", "tel:")):
        return address
    try:
        return urljoin(base, address)
    except ValueError:
        return ""


def _collapsed_targets(source: Tree) -> set[str]:
    """Ids of what a closed button or tab would open."""
    found = set()
    for attrs in source.attrs:
        if attrs and "aria-controls" in attrs and attrs.get("aria-expanded", "false") == "false":
            found.update(attrs["aria-controls"].split())
    return found


def _style_rules(text: str, source: Tree) -> dict[int, str]:
    """Nodes that a simple rule of the page's own style elements hides."""
    css = [
        "".join(source.text[node : source.end[node]])
        for node in range(len(source))
        if source.tag[node] == "style"
        and "print" not in (source.attrs[node] or {}).get("media", "")
    ]
    wanted: list[tuple[str, str]] = []
    for sheet in css:
        for selectors, body in _rules(_without_at_blocks(_without_comments(sheet))):
            for reason, pattern in _HIDING[:2]:
                if pattern.search(body) and _SIMPLE.match(selectors):
                    wanted.append((selectors.strip(), reason))
    if not wanted:
        return {}
    parser = LexborHTMLParser(text)
    chosen: dict[int, str] = {}
    for selectors, reason in wanted[:500]:
        try:
            chosen.update({node.mem_id: reason for node in parser.css(selectors)})
        except Exception:  # selectolax raises plain errors for what it cannot parse
            continue
    if not chosen or parser.root is None:
        return {}
    elements = [node for node in range(len(source)) if source.tag[node] != TEXT]
    walked = (node for node in parser.root.traverse() if node.is_element_node)
    pairs = zip(elements, walked, strict=False)
    return {node: chosen[element.mem_id] for node, element in pairs if element.mem_id in chosen}


def _rules(css: str) -> list[tuple[str, str]]:
    """Selectors and declarations of each plain rule. Linear, whatever a page writes."""
    found = []
    for chunk in css.split("}")[:-1]:
        selectors, brace, body = chunk.rpartition("{")
        if brace and "{" not in selectors and "@" not in selectors:
            found.append((selectors, body))
    return found


def _without_comments(css: str) -> str:
    """Style text outside ``/* … */``; a comment that is never closed runs to the end."""
    first, *rest = css.split("/*")
    out = [first]
    for piece in rest:
        _, closed, after = piece.partition("*/")
        if closed:
            out.append(after)
    return "".join(out)


def _without_at_blocks(css: str) -> str:
    """Style rules outside ``@media`` and the like, which may not apply."""
    out, last = [], 0
    for match in _AT_BLOCK.finditer(css):
        if match.start() < last:
            continue
        depth, at = 1, match.end()
        while at < len(css) and depth:
            depth += {"{": 1, "}": -1}.get(css[at], 0)
            at += 1
        out.append(css[last : match.start()])
        last = at
    return "".join(out) + css[last:]
