"""Text inside one block: emphasis, links, code, images, maths."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from extractor.render.controls import control_text
from extractor.render.escape import (
    escape_inline,
    escape_line_start,
    longest_run,
    markdown_url,
)
from extractor.tree import TEXT, semantic
from extractor.units import Doc

_KINDS = {
    "a": "link", "del": "del", "s": "del", "strike": "del", "strong": "strong", "b": "strong",
    "em": "em", "i": "em", "code": "code", "kbd": "code", "samp": "code", "tt": "code",
}  # fmt: skip
_RANK = {"link": 0, "button": 1, "del": 2, "strong": 3, "em": 4, "code": 5}
_MARKS = {"del": "~~", "strong": "**", "em": "*"}
#: Kinds whose neighbours must not be joined into one.
_SINGLE = frozenset({"link", "button", "code"})
_SPACE = re.compile(r"[ \t\n\r\f]+")
HARD_BREAK = "\\\n"
COLLAPSED = "(collapsed) "


def flat(text: str) -> str:
    """``text`` on one line; no-break and other wide spaces stay as they are."""
    return _SPACE.sub(" ", text).strip(" ")


@dataclass(frozen=True, slots=True)
class Wrap:
    """Markup around a stretch of text; ``close`` is written when the stretch ends."""

    kind: str
    node: int
    open: str
    close: str

    def joins(self, other: Wrap) -> bool:
        return self.kind == other.kind and (self.kind not in _SINGLE or self.node == other.node)


@dataclass(frozen=True, slots=True)
class Place:
    """Where inline text stands: in a table cell, in a heading (both on one line)."""

    cell: bool = False
    heading: bool = False

    @property
    def one_line(self) -> bool:
        return self.cell or self.heading


@dataclass(slots=True)
class Linked:
    """Links written in blocks before; one around several blocks is written in the first."""

    done: set[int] = field(default_factory=set)


class Inline:
    """Inline Markdown, or plain text, of consecutive runs."""

    def __init__(self, doc: Doc, *, markdown: bool) -> None:
        self.doc, self.markdown = doc, markdown
        self.above = _above(doc) if markdown else {}
        self.starts = _starts(doc)

    def text(self, runs: Iterable[int], place: Place, linked: Linked) -> str:
        """The runs as one stretch, balanced whatever they are."""
        line = _Line(place, markdown=self.markdown)
        last_math = -1
        here: set[int] = set()
        previous = -2
        for run in runs:
            glue = self.doc.run_glue[run] if previous == run - 1 else ""
            if previous == run - 1 and self.doc.run_block[run] != self.doc.run_block[previous]:
                glue = glue or " "
            previous = run
            node = self.doc.run_node[run]
            math = self._math(node)
            if math >= 0 and math == last_math:
                continue
            last_math = math
            wraps = self._wraps(node, linked)
            body, raw = self._body(run, math, wraps, place)
            here.update(wrap.node for wrap in wraps if wrap.kind == "link" and raw)
            ends_line = raw.endswith("\n")
            body, raw = flat(body), flat(raw)
            line.add(glue, wraps, body, raw)
            if ends_line:
                line.glue = "<br>"
        linked.done |= here
        return line.finish()

    def raw(self, run: int) -> str:
        """A run of preformatted text as it stands."""
        node = self.doc.run_node[run]
        return self.doc.run_text[run] if self._plain(node) else control_text(self.doc, node)

    def _plain(self, node: int) -> bool:
        return self.doc.tree.tag[node] == TEXT

    def _math(self, node: int) -> int:
        tree = self.doc.tree
        for _ in range(4):
            attrs = tree.attrs[node]
            if attrs and attrs.get("data-pf-tex"):
                return node
            node = tree.parent[node]
            if node <= 0:
                break
        return -1

    def _wraps(self, node: int, linked: Linked) -> tuple[Wrap, ...]:
        if not self.markdown:
            return ()
        holder = node if self.doc.tree.tag[node] != TEXT else self.doc.tree.parent[node]
        return tuple(
            wrap
            for wrap in self.above.get(holder, ())
            if wrap.kind != "link" or wrap.node not in linked.done
        )

    def _body(self, run: int, math: int, wraps: tuple[Wrap, ...], place: Place) -> tuple[str, str]:
        """The run as Markdown and as plain text."""
        doc = self.doc
        node = doc.run_node[run]
        label = self.starts.get(run, "")
        if math >= 0:
            tex = " ".join((doc.tree.attrs[math] or {})["data-pf-tex"].split())
            raw = f"{label}${tex}$"
            return (raw.replace("|", "\\|") if place.cell else raw), raw
        if doc.tree.tag[node] == "img":
            return self._image(node, place, label)
        if self._plain(node):
            raw = label + doc.run_text[run]
        else:
            said = control_text(doc, node)
            raw = label + said if said else ""
        if not self.markdown:
            return raw, raw
        in_link = any(wrap.kind in ("link", "button") for wrap in wraps)
        if raw.endswith("]") and not self._plain(node):
            inner = escape_inline(flat(raw)[:-1], in_link=in_link, in_cell=place.cell)
            return inner + ("\\]" if in_link else "]"), raw
        return escape_inline(flat(raw), in_link=in_link, in_cell=place.cell), raw

    def _image(self, node: int, place: Place, label: str) -> tuple[str, str]:
        attrs = self.doc.attrs[node] or {}
        alt = " ".join(attrs.get("alt", "").split())
        if not alt:
            return "", ""
        if not self.markdown:
            return f"{label}[image: {alt}]", f"{label}[image: {alt}]"
        source = attrs.get("src", "")
        url = "" if source.startswith("data:") else markdown_url(source, self.doc.base_url)
        escaped = escape_inline(alt, in_link=True, in_cell=place.cell)
        return f"{label}![{escaped}]({url})", label + alt


class _Line:
    """Writes pieces, opening and closing markup between them."""

    def __init__(self, place: Place, *, markdown: bool) -> None:
        self.place = place
        self.line_break = HARD_BREAK if markdown else "\n"
        self.guarded = markdown and not place.one_line
        self.parts: list[str] = []
        self.stack: list[Wrap] = []
        self.code = ""
        self.glue = ""

    def add(self, glue: str, wraps: tuple[Wrap, ...], body: str, raw: str) -> None:
        self.glue = "<br>" if "<br>" in (glue, self.glue) or "\n" in glue else glue or self.glue
        if not raw:
            return
        glue, self.glue = self.glue, ""
        kept = 0
        while kept < min(len(wraps), len(self.stack)) and self.stack[kept].joins(wraps[kept]):
            kept += 1
        if kept == len(wraps) == len(self.stack) and wraps and wraps[-1].kind == "code":
            self.code += (" " if glue else "") + raw
            return
        self._close_to(kept)
        if glue and self.parts:
            self.parts.append(" " if glue == " " or self.place.one_line else self.line_break)
        for wrap in wraps[kept:]:
            self.stack.append(wrap)
            self.parts.append(wrap.open)
        if wraps and wraps[-1].kind == "code":
            self.code = raw
            return
        fresh = not self.parts or self.parts[-1] == self.line_break
        self.parts.append(escape_line_start(body) if fresh and self.guarded else body)

    def finish(self) -> str:
        self._close_to(0)
        return "".join(self.parts)

    def _close_to(self, depth: int) -> None:
        while len(self.stack) > depth:
            wrap = self.stack.pop()
            if wrap.kind == "code":
                self.parts.append(self._span(self.code))
                self.code = ""
            else:
                self.parts.append(wrap.close)

    def _span(self, text: str) -> str:
        if self.place.cell:
            text = text.replace("|", "\\|")
        fence = "`" * (longest_run(text, "`") + 1)
        pad = " " if text.startswith("`") or text.endswith("`") else ""
        return f"{fence}{pad}{text}{pad}{fence}"


def _above(doc: Doc) -> dict[int, tuple[Wrap, ...]]:
    """For each element, the markup around text that stands in it; only those that have any."""
    tree, found = doc.tree, dict[int, tuple[Wrap, ...]]()
    for node in range(1, len(tree)):
        if tree.tag[node] == TEXT:
            continue
        inherited = found.get(tree.parent[node], ())
        wrap = _wrap(doc, node)
        if wrap is not None and all(other.kind != wrap.kind for other in inherited):
            inherited = tuple(sorted((*inherited, wrap), key=lambda each: _RANK[each.kind]))
        if inherited:
            found[node] = inherited
    return found


def _wrap(doc: Doc, node: int) -> Wrap | None:
    tag, attrs = semantic(doc.tree, node), doc.attrs[node] or {}
    if tag == "button" and doc.tree.end[node] > node + 1:
        return Wrap("button", node, "[", "]")
    kind = _KINDS.get(tag)
    if kind == "link":
        href = attrs.get("href") or attrs.get("data-pf-href")
        url = markdown_url(href, doc.base_url) if href else ""
        return Wrap("link", node, "[", f"]({url})") if url else None
    if kind is None:
        return None
    mark = _MARKS.get(kind, "")
    return Wrap(kind, node, mark, mark)


def _starts(doc: Doc) -> dict[int, str]:
    """What is written before a run: that a collapsed part begins, that it is a power."""
    tree, found = doc.tree, dict[int, str]()
    collapsed = {n for n, attrs in enumerate(doc.attrs) if attrs and "data-pf-state" in attrs}
    previous = -1
    for run, node in enumerate(doc.run_node):
        up, label = node, ""
        while up > previous and up > 0:
            if up in collapsed:
                label = COLLAPSED
            elif tree.tag[up] == "sup" and doc.run_text[run][:1].isalnum():
                label = label or "^"
            up = tree.parent[up]
        if label:
            found[run] = label
        previous = node
    return found
