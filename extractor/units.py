"""Cut a judged document into the pieces that fold keeps or takes out.

A *run* is one piece of one text node (a sentence, a line of code) or an atom (an image, a control, an empty
cell). A *unit* is a few consecutive runs that stay together: a sentence or two, a line, a list item, a row.
Runs and units depend on the snapshot alone, so a ref made of them means the same for every budget and query.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

import regex

from extractor.attributes import kept_attributes, output_tags, targets
from extractor.serialise import escape_text, open_tag
from extractor.tree import TEXT, Attrs, Tree, body_of, semantic

INLINE = frozenset(
    "a abbr acronym b bdi bdo big br button cite code data del dfn em font i img input ins kbd label mark "
    "meter output progress q ruby rt rp s samp select slot small span strike strong sub sup textarea "
    "time tt u var wbr area map picture source track embed link meta param base option optgroup".split()
)
BARE = frozenset({"div", "span", "slot", "font"})
_PRE = frozenset({"pre", "textarea"})
_SPACE = re.compile(r"[ \t\n\f\r]+")
_SENTENCE = re.compile(
    r"(?<=[.!?\u2026])[\"'\u201d\u2019)\]]*\s+(?=\S)|(?<=[\u3002\uff01\uff1f])(?=\S)"
)
_GRAPHEME = regex.compile(r"\X")
_ATOMS = frozenset({"img", "input", "select", "textarea", "hr", "progress", "meter"})

#: A text node longer than this is split at sentence ends; a sentence longer than the second, at spaces.
SENTENCE_SPLIT = 240
HARD_SPLIT = 600
ROW_CHARS = 1_500
ITEM_CHARS = 600
UNIT_CHARS = 200


@dataclass(slots=True)
class Doc:
    """Runs and units of one snapshot, with what rendering needs of each element.

    Lists named ``run_*`` have one entry a run, ``unit_*`` one a unit, the others one a node of ``tree``.
    ``run_text`` is visible text after white-space rules; ``run_glue`` what stands before a run when the
    run before it is kept too; ``run_block`` the block element that holds it; ``run_part`` its ordinal
    within its node, ``run_last`` whether it is the node's last part. ``shown`` says whether an element is
    written (bare wrappers are not), ``tags`` under which name, ``up`` is the nearest written ancestor.
    ``hidden`` lists ``(node, characters, reason)`` of what no one can see.
    """

    tree: Tree
    base_url: str
    state: list[int]
    region: list[int]
    attrs: list[Attrs | None]
    shown: list[bool]
    tags: list[str]
    up: list[int]
    block: list[int]
    run_node: list[int] = field(default_factory=list)
    run_part: list[int] = field(default_factory=list)
    run_last: list[bool] = field(default_factory=list)
    run_text: list[str] = field(default_factory=list)
    run_html: list[str] = field(default_factory=list)
    run_glue: list[str] = field(default_factory=list)
    run_block: list[int] = field(default_factory=list)
    run_parent: list[int] = field(default_factory=list)
    unit_start: list[int] = field(default_factory=list)
    unit_chars: list[int] = field(default_factory=list)
    unit_group: list[int] = field(default_factory=list)
    hidden: list[tuple[int, int, str]] = field(default_factory=list)

    @property
    def units(self) -> int:
        return len(self.unit_chars)

    def runs_of(self, unit: int) -> range:
        return range(self.unit_start[unit], self.unit_start[unit + 1])

    def text_of(self, unit: int) -> str:
        """The unit's visible text, runs joined by single spaces where white space or a line stood."""
        parts: list[str] = []
        for run in self.runs_of(unit):
            if parts and (self.run_glue[run] or self.run_block[run] != self.run_block[run - 1]):
                parts.append(" ")
            parts.append(self.run_text[run])
        return "".join(parts)


def visible_chars(tree: Tree, state: list[int]) -> list[int]:
    """Visible code points inside each node, white space collapsed. Linear."""
    chars = [0] * len(tree)
    for node in range(len(tree) - 1, 0, -1):
        if tree.tag[node] == TEXT and state[node] < 2:
            chars[node] = len(_SPACE.sub(" ", tree.text[node]).strip())
        chars[tree.parent[node]] += chars[node]
    return chars


def is_block(tree: Tree, node: int) -> bool:
    """Whether an element starts a line of its own, by its computed display where that is known."""
    attrs = tree.attrs[node]
    display = attrs.get("data-pf-d") if attrs else None
    if display:
        return not display.startswith(("inline", "ruby", "contents"))
    tag = tree.tag[node]
    return tag not in INLINE and "-" not in tag or tag == "pf-frame"


def build(
    tree: Tree,
    state: list[int],
    reasons: list[str],
    region: list[int],
    roots: dict[int, str],
    base_url: str,
) -> Doc:
    """Runs and units of a judged document.

    Args:
        state: per node 0 visible, 1 collapsed, 2 hidden; ``reasons`` says why.
        region: per node, the index of its region; ``roots`` maps a region's root node to its role.
        base_url: what relative addresses in the output are relative to; empty keeps them absolute.
    """
    size = len(tree)
    blocks = [False] * size
    for node in range(size):
        blocks[node] = tree.tag[node] != TEXT and is_block(tree, node)
    attrs = _output_attributes(tree, state, roots, base_url)
    shown = _shown(tree, blocks, attrs, roots)
    up, block = _ancestors(tree, blocks, shown)
    tags = output_tags(tree, blocks)
    doc = Doc(tree, base_url, state, region, attrs, shown, tags, up, block)
    _Runs(doc, blocks, reasons).collect()
    _group(doc)
    return doc


def _output_attributes(
    tree: Tree, state: list[int], roots: dict[int, str], base_url: str
) -> list[Attrs | None]:
    found: list[Attrs | None] = [None] * len(tree)
    pointed_at = targets(tree, base_url)
    for node in range(len(tree)):
        if tree.tag[node] == TEXT:
            continue
        kept = kept_attributes(tree, node, base_url, pointed_at)
        if state[node] == 1 and state[tree.parent[node]] == 0:
            kept["data-pf-state"] = "collapsed"
        role = roots.get(node)
        if role and role not in (tree.tag[node], kept.get("role"), "other"):
            kept["data-pf-region"] = role
        found[node] = kept or None
    return found


def _shown(
    tree: Tree, blocks: list[bool], attrs: list[Attrs | None], roots: dict[int, str]
) -> list[bool]:
    size = len(tree)
    shown = [False] * size
    children, text_inside = [0] * size, [False] * size
    block_child = [False] * size
    for node in range(1, size):
        above = tree.parent[node]
        if tree.tag[node] == TEXT:
            text_inside[above] = text_inside[above] or bool(tree.text[node].strip())
        else:
            children[above] += 1
            block_child[above] = block_child[above] or blocks[node]
    for node in range(size):
        tag = tree.tag[node]
        if tag == TEXT:
            continue
        bare = (tag in BARE or "-" in tag and tag != "pf-frame") and not attrs[node]
        if not bare:
            shown[node] = True
        elif blocks[node]:
            alone = children[node] == 1 and not text_inside[node] and block_child[node]
            shown[node] = not alone
    return shown


def _ancestors(tree: Tree, blocks: list[bool], shown: list[bool]) -> tuple[list[int], list[int]]:
    size = len(tree)
    up, block = [-1] * size, [0] * size
    for node in range(1, size):
        above = tree.parent[node]
        up[node] = above if shown[above] else up[above]
        block[node] = above if blocks[above] else block[above]
    return up, block


class _Runs:
    """One pass over the document that writes the run lists."""

    def __init__(self, doc: Doc, blocks: list[bool], reasons: list[str]) -> None:
        self.doc, self.blocks, self.reasons = doc, blocks, reasons
        self.glue = ""
        self.fresh = True
        self.pre: list[bool] = [False] * len(doc.tree)

    def collect(self) -> None:
        tree = self.doc.tree
        node, stop = body_of(tree) + 1, len(tree)
        closing: list[int] = []
        while node < stop:
            while closing and closing[-1] <= node:
                closing.pop()
                self._boundary()
            node = self._node(node, closing)

    def _boundary(self) -> None:
        self.glue, self.fresh = "", True

    def _node(self, node: int, closing: list[int]) -> int:
        doc, tree = self.doc, self.doc.tree
        tag, end = tree.tag[node], tree.end[node]
        if doc.state[node] == 2:
            if tag == TEXT:
                self._hide(node, len(_SPACE.sub(" ", tree.text[node]).strip()))
                return end
            if tree.attrs[node] and "data-pf-h" in (tree.attrs[node] or {}):
                text = " ".join(tree.text[node:end])
                self._hide(node, len(_SPACE.sub(" ", text).strip()))
                return end
        if tag == TEXT:
            self._text(node)
            return end
        attrs = tree.attrs[node] or {}
        self.pre[node] = tag in _PRE or "data-pf-pre" in attrs or self.pre[tree.parent[node]]
        if tag == "br":
            if not self.fresh:
                self.glue = "\n" if self.pre[node] else "<br>"
            return end
        if self.blocks[node]:
            self._boundary()
            closing.append(end)
        if self._is_atom(node, tag, attrs):
            self._atom(node, tag)
            return end
        return node + 1

    def _hide(self, node: int, chars: int) -> None:
        if chars:
            self.doc.hidden.append((node, chars, self.reasons[node] or "display"))

    def _is_atom(self, node: int, tag: str, attrs: Attrs) -> bool:
        if tag in _ATOMS:
            return tag != "input" or attrs.get("type") != "hidden"
        tree = self.doc.tree
        if any(tree.text[node + 1 : tree.end[node]]) or tree.end[node] - node > 3:
            return False
        if any(tree.tag[child] in _ATOMS for child in range(node + 1, tree.end[node])):
            return False
        if tag in ("td", "th", "button", "pf-frame"):
            return True
        return bool(
            attrs.get("aria-label") or attrs.get("data-pf-tex") or tag == "a" and attrs.get("title")
        )

    def _atom(self, node: int, tag: str) -> None:
        doc, tree = self.doc, self.doc.tree
        name = doc.tags[node]
        opened = open_tag(name, doc.attrs[node])
        text = ""
        if tag in ("img", "input", "hr"):
            html = opened
        elif tag == "select":
            html, text = self._select(node, opened)
        else:
            text = "".join(tree.text[node + 1 : tree.end[node]])
            guard = "\n" if text.startswith("\n") else ""
            html = f"{opened}{guard}{escape_text(text)}</{name}>"
        if tag == "hr":
            self._boundary()
        self._add(node, 0, True, text, html)
        self.fresh = tag == "hr"

    def _select(self, node: int, opened: str) -> tuple[str, str]:
        doc, tree = self.doc, self.doc.tree
        parts, words = [opened], []
        closers: list[tuple[int, str]] = []
        for child in range(node + 1, tree.end[node]):
            while closers and closers[-1][0] <= child:
                parts.append(closers.pop()[1])
            if tree.tag[child] == TEXT:
                words.append(tree.text[child].strip())
                parts.append(escape_text(words[-1]))
            else:
                parts.append(open_tag(tree.tag[child], doc.attrs[child]))
                closers.append((tree.end[child], f"</{tree.tag[child]}>"))
        parts += [closer for _, closer in reversed(closers)]
        return "".join(parts) + "</select>", " ".join(words)

    def _text(self, node: int) -> None:
        data = self.doc.tree.text[node]
        if self.pre[self.doc.tree.parent[node]]:
            lines = data.splitlines(keepends=True) if "\n" in data else [data]
            lines = (
                _only_lf(data)
                if any(c in data for c in "\v\f\x1c\x1d\x1e\x85\u2028\u2029")
                else lines
            )
            for part, line in enumerate(lines):
                self._add(node, part, part == len(lines) - 1, line, escape_text(line))
                self.glue, self.fresh = "", False
            return
        text = _SPACE.sub(" ", data)
        if text.startswith(" ") and not self.fresh and not self.glue:
            self.glue = " "
        body = text.strip(" ")
        if not body:
            return
        if self.fresh and not self.glue and self._same_block(node):
            # Something empty stood between: without a break the words on either side would join.
            self.glue = "<br>"
        pieces = split(body)
        for part, (piece, spaced) in enumerate(pieces):
            if part:
                self.glue = " " if spaced else ""
            self._add(node, part, part == len(pieces) - 1, piece, escape_text(piece))
        self.fresh = False
        self.glue = " " if text.endswith(" ") else ""

    def _same_block(self, node: int) -> bool:
        doc = self.doc
        if not doc.run_node or doc.run_block[-1] != doc.block[node]:
            return False
        return doc.tree.tag[doc.run_node[-1]] == TEXT

    def _add(self, node: int, part: int, last: bool, text: str, html: str) -> None:
        doc = self.doc
        doc.run_node.append(node)
        doc.run_part.append(part)
        doc.run_last.append(last)
        doc.run_text.append(text)
        doc.run_html.append(html)
        doc.run_glue.append(self.glue)
        doc.run_block.append(doc.block[node])
        doc.run_parent.append(doc.up[node])
        self.glue = ""


def _only_lf(data: str) -> list[str]:
    parts = data.split("\n")
    lines = [part + "\n" for part in parts[:-1]]
    return [*lines, parts[-1]] if parts[-1] else lines


def split(text: str) -> list[tuple[str, bool]]:
    """Pieces of a long text with whether white space stood before each; cut at sentence ends first,
    at spaces next, and never inside a grapheme cluster."""
    if len(text) <= SENTENCE_SPLIT:
        return [(text, False)]
    pieces: list[tuple[str, bool]] = []
    start, spaced = 0, False
    for match in _SENTENCE.finditer(text):
        cut = match.start() + len(match.group().rstrip())
        if cut - start < SENTENCE_SPLIT // 2:
            continue
        pieces.append((text[start:cut], spaced))
        start, spaced = match.end(), match.end() > cut
    pieces.append((text[start:], spaced))
    return [part for piece, was_spaced in pieces for part in _hard_split(piece, was_spaced)]


def _hard_split(text: str, spaced: bool) -> list[tuple[str, bool]]:
    parts: list[tuple[str, bool]] = []
    while len(text) > HARD_SPLIT:
        space = text.rfind(" ", HARD_SPLIT // 2, HARD_SPLIT)
        if space > 0:
            parts.append((text[:space], spaced))
            text, spaced = text[space + 1 :], True
            continue
        cut = _grapheme_cut(text, HARD_SPLIT)
        parts.append((text[:cut], spaced))
        text, spaced = text[cut:], False
    if text:
        parts.append((text, spaced))
    return parts


def _grapheme_cut(text: str, limit: int) -> int:
    """The last grapheme boundary at or before ``limit``; the first one after it when there is none."""
    cut = 0
    for match in _GRAPHEME.finditer(text):
        if match.end() > limit and cut:
            return cut
        cut = match.end()
        if cut >= limit:
            return cut
    return len(text)


def _group(doc: Doc) -> None:
    """Join runs into units."""
    tree = doc.tree
    group = _groups(doc)
    last_key, size = -2, 0
    for run in range(len(doc.run_node)):
        node = doc.run_node[run]
        owner = group[node]
        key = owner if owner >= 0 else doc.run_block[run]
        in_pre = owner < 0 and doc.run_html[run].endswith("\n")
        full = owner < 0 and size >= UNIT_CHARS
        if key != last_key or full:
            doc.unit_start.append(run)
            doc.unit_chars.append(0)
            doc.unit_group.append(key)
            size = 0
        doc.unit_chars[-1] += len(doc.run_text[run])
        size += len(doc.run_text[run])
        last_key = -2 if in_pre else key
    doc.unit_start.append(len(doc.run_node))
    assert len(tree) == len(group)


def _groups(doc: Doc) -> list[int]:
    """For each node the row or list item that is kept whole around it, or -1."""
    tree = doc.tree
    chars = visible_chars(tree, doc.state)
    group = [-1] * len(tree)
    for node in range(1, len(tree)):
        above = group[tree.parent[node]]
        if above >= 0:
            group[node] = above
            continue
        tag = semantic(tree, node) if tree.tag[node] != TEXT else TEXT
        whole = tag == "tr" and chars[node] <= ROW_CHARS
        if whole or tag in ("li", "dd", "dt", "option") and chars[node] <= ITEM_CHARS:
            group[node] = node
    return group
