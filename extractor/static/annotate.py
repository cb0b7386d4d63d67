"""One pass over the parsed tree: what stays, under which attributes, with which marks."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from selectolax.lexbor import LexborHTMLParser

from extractor.nesting import RULES
from extractor.static import atoms
from extractor.static.collapsed import Openers, is_shut_details, summary_of
from extractor.static.document import Document, read_document
from extractor.static.kept import NEVER, kept_attributes
from extractor.static.reveal import revealed
from extractor.static.splice import Edit, spliced
from extractor.tree import TEXT, Attrs, Tree, body_of

_NONE: Attrs = {}
_MAX_FRAMES_DEEP = 4
#: Modes of what is read: as shown, inside something closed, inside a label for screen readers.
_SHOWN, _COLLAPSED, _LABEL = "", "collapsed", "sr_only"
_SPECIAL = frozenset(
    {"svg", "math", "canvas", "video", "audio", "iframe", "frame", "mjx-container"}
)


@dataclass(slots=True)
class Facts:
    """What is known of a page besides its tree. ``dropped`` counts characters by tag."""

    title: str = ""
    json_ld: list[str] = field(default_factory=list)
    dropped: dict[str, int] = field(default_factory=dict)
    deep: int = 0
    cut: int = 0
    revealed: int = 0
    rules_skipped: int = 0
    sheets_missing: int = 0

    def drop(self, tag: str, chars: int) -> None:
        """Count characters that were left out."""
        if chars:
            self.dropped[tag] = self.dropped.get(tag, 0) + chars


def annotated(document: Document, facts: Facts, depth: int = 0) -> Tree:
    """The tree that the snapshot holds, before it is brought to normal form. Linear."""
    facts.rules_skipped += document.rules_skipped
    facts.sheets_missing += document.sheets_missing
    facts.drop("comment", document.comment_chars)
    facts.drop("template", document.template_chars)
    shown, count = revealed(document)
    facts.revealed += count
    return _Pass(replace(document, shown=shown), facts, depth).run()


class _Pass:
    def __init__(self, document: Document, facts: Facts, depth: int) -> None:
        self.document, self.tree, self.facts, self.depth = document, document.tree, facts, depth
        self.shown, self.base = document.shown, document.base
        self.openers = Openers(self.tree, self.shown)
        self.edits: list[Edit] = []
        #: Ends and kinds of the modes that are open.
        self.modes: list[tuple[int, str]] = []
        self.mode = _SHOWN
        #: The last element seen under each parent, and details that are shut with their summary.
        self.before: dict[int, int] = {}
        self.shut: dict[int, int] = {}

    def run(self) -> Tree:
        tree = self.tree
        tags, parents, attrs = tree.tag, tree.parent, tree.attrs
        node, size = 0, len(tree)
        while node < size:
            while self.modes and self.modes[-1][0] <= node:
                self.modes.pop()
                self.mode = self.modes[-1][1] if self.modes else _SHOWN
            tag = tags[node]
            if tag == TEXT:
                if parents[node] in self.shut:
                    self._fold_text(node)
                node += 1
                continue
            stop = self._element(node, tag, attrs[node] or _NONE)
            self.before[parents[node]] = node
            node = stop
        return spliced(tree, self.edits)

    def _element(self, node: int, tag: str, raw: Attrs) -> int:
        """Deal with one element; the index of the next node to look at."""
        tree = self.tree
        if tag in NEVER:
            return self._never(node, tag, raw)
        if tag == "title":
            self.facts.title = self.facts.title or atoms.text_inside(tree, node)
        if tag == "input" and raw.get("type", "").strip().lower() == "hidden":
            return self._replace(node, None)
        kept = kept_attributes(tag, raw, self.base) if raw else {}
        if not self._judge(node, tag, raw, kept):
            return self._hide(node, kept["data-pf-h"])
        if tag in _SPECIAL or "class" in raw and atoms.is_typeset(tag, raw):
            stop = self._special(node, tag, kept)
            if stop:
                return stop
        if tag == "noscript" and RULES.p_closers.isdisjoint(tree.tag[node + 1 : tree.end[node]]):
            # Part of its sentence, not a block.
            kept["data-pf-tag"], tree.tag[node] = tag, "span"
        if tag == "details" and is_shut_details(tree, node):
            self.shut[node] = summary_of(tree, node)
        tree.attrs[node] = kept or None
        return node + 1

    def _judge(self, node: int, tag: str, raw: Attrs, kept: Attrs) -> bool:
        """Write the marks of an element; ``False`` when its subtree is hidden."""
        reason = self.shown.subtree.get(node, "")
        if not reason and _is_off(tag, raw) and node not in self.shown.displayed:
            reason = "display"
        if self.mode and reason != "display":
            reason = ""
        above = self.tree.parent[node]
        kind = ""
        if above in self.shut and node != self.shut[above]:
            kind = "details"
        elif reason or raw.get("hidden") == "until-found":
            kind = self.openers.kind_of(node, self.before.get(above, -1))
        if reason and not kind:
            kept["data-pf-h"] = reason
            # A select holds nothing but options: these stay as they are.
            return tag in ("option", "optgroup")
        if kind:
            kept["data-pf-c"] = kind
            self._enter(node, _COLLAPSED)
        elif not self.mode:
            self._mark(node, raw, kept)
        if raw.get("aria-hidden") == "true" or "inert" in raw:
            self._label(kept, "aria_hidden" if raw.get("aria-hidden") == "true" else "inert")
        return True

    def _mark(self, node: int, raw: Attrs, kept: Attrs) -> None:
        reason = self.shown.text.get(node)
        if reason:
            kept["data-pf-t"] = reason
        if node in self.shown.label:
            self._label(kept, self.shown.label[node])
            self._enter(node, _LABEL)
        keeps = self.shown.keeps_space.get(node)
        if keeps is not None:
            kept["data-pf-pre"] = "1" if keeps else "0"

    def _label(self, kept: Attrs, label: str) -> None:
        kept["data-pf-l"] = f"{kept['data-pf-l']} {label}" if "data-pf-l" in kept else label

    def _enter(self, node: int, mode: str) -> None:
        self.modes.append((self.tree.end[node], mode))
        self.mode = mode

    def _fold_text(self, node: int) -> None:
        """Text straight inside shut details: an element must carry the mark."""
        if self.tree.text[node].strip():
            marked = atoms.leaf({"data-pf-c": "details"}, self.tree.text[node])
            self.edits.append((node, node + 1, marked))

    def _hide(self, node: int, reason: str) -> int:
        """Of what nobody sees only the text stays, marked."""
        tree, words = self.tree, []
        inner, stop = node, tree.end[node]
        while inner < stop:
            tag = tree.tag[inner]
            if tag in NEVER:
                inner = self._never(inner, tag, tree.attrs[inner] or _NONE, edit=False)
                continue
            if tag == TEXT:
                words += tree.text[inner].split()
            inner = tree.end[inner] if tag in ("textarea", "svg", "iframe") else inner + 1
        text = " ".join(words)
        holder = atoms.leaf({"data-pf-h": reason}, text)
        holder.tag[0] = "div" if tree.tag[node] in RULES.p_closers else "span"
        return self._replace(node, holder if text else None)

    def _replace(self, node: int, part: Tree | None) -> int:
        stop = self.tree.end[node]
        self.edits.append((node, stop, part))
        return stop

    def _never(self, node: int, tag: str, raw: Attrs, *, edit: bool = True) -> int:
        tree, stop = self.tree, self.tree.end[node]
        kind = raw.get("type", "").strip().lower() if tag == "script" else ""
        part = None
        if tag == "meta" and "itemprop" in raw and self._in_body(node):
            tree.attrs[node] = kept_attributes(tag, raw, self.base) or None
            return stop
        if tag not in ("link", "meta", "base") or tag == "meta" and self._in_body(node):
            text = "".join(tree.text[node:stop])
            if kind == "application/ld+json":
                self.facts.json_ld.append(text)
            if kind.startswith("math/tex") and edit:
                part = atoms.tex_leaf(text.strip(), text.strip())
            else:
                self.facts.drop(tag, len(text))
        elif not self._in_body(node):
            tree.attrs[node] = kept_attributes(tag, raw, self.base) or None
            return stop
        return self._replace(node, part) if edit else stop

    def _in_body(self, node: int) -> bool:
        parent = self.tree.parent[node]
        return parent >= 0 and self.tree.tag[parent] != "head"

    def _special(self, node: int, tag: str, kept: Attrs) -> int:
        """Drawings, formulas, media and frames; 0 for an element that stays as it is."""
        tree, part = self.tree, None
        if tag == "svg":
            part, paths = atoms.drawing(tree, node)
            self.facts.drop("svg", paths)
        elif tag in ("canvas", "video", "audio"):
            part = atoms.media(tree, node, self.base)
        elif tag in ("iframe", "frame"):
            part = self._frame(node)
        else:
            math = node if tag == "math" else atoms.math_inside(tree, node)
            if math < 0:
                return 0
            part = atoms.formula(tree, math)
        marks = {name: value for name, value in kept.items() if name.startswith("data-pf-")}
        if part is not None and marks:
            part.attrs[0] = {**(part.attrs[0] or {}), **marks}
        return self._replace(node, part)

    def _frame(self, node: int) -> Tree:
        """A frame as ``pf-frame``, with its content where that stands in the page itself."""
        raw = self.tree.attrs[node] or _NONE
        attrs: Attrs = {}
        if raw.get("title"):
            attrs["title"] = raw["title"]
        if raw.get("src") and "srcdoc" not in raw:
            attrs["src"] = self.base.absolute(raw["src"])
        out = Tree(["pf-frame"], [-1], [1], [attrs or None], [""])
        if "srcdoc" in raw and self.depth < _MAX_FRAMES_DEEP:
            content = raw["srcdoc"]
            held = read_document(
                LexborHTMLParser(content), content, self.base.url, self.document.viewport, {}
            )
            inner = annotated(held, self.facts, self.depth + 1)
            body = body_of(inner)
            _graft(out, inner, body + 1, inner.end[body] if body else 0)
        return out


def _graft(out: Tree, inner: Tree, start: int, stop: int) -> None:
    shift = len(out) - start
    out.tag += inner.tag[start:stop]
    out.attrs += inner.attrs[start:stop]
    out.text += inner.text[start:stop]
    out.parent += [max(above + shift, 0) for above in inner.parent[start:stop]]
    out.end += [end + shift for end in inner.end[start:stop]]
    out.end[0] = len(out)


def _is_off(tag: str, raw: Attrs) -> bool:
    """Whether markup alone keeps an element from being rendered."""
    if "hidden" in raw:
        return raw["hidden"] != "until-found"
    return tag == "dialog" and "open" not in raw or "popover" in raw
