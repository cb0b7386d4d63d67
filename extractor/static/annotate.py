"""One pass over the parsed tree: what stays, under which attributes, with which marks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from extractor.nesting import RULES
from extractor.static import atoms
from extractor.static.collapsed import Openers, is_shut_details, summary_of
from extractor.static.document import Document
from extractor.static.edits import SPECIAL, Edits
from extractor.static.facts import Facts
from extractor.static.frames import MAX_FRAMES_DEEP
from extractor.static.kept import NEVER, kept_attributes
from extractor.static.reveal import revealed
from extractor.static.splice import spliced
from extractor.tree import TEXT, Attrs, Tree

_NONE: Attrs = {}
#: Modes of what is read: as shown, inside something closed, inside a label for screen readers.
_SHOWN, _COLLAPSED, _LABEL = "", "collapsed", "sr_only"
#: Attributes for which an element needs a closer look; others are read as they stand.
_TELLING = frozenset({"hidden", "popover", "aria-hidden", "inert"})
#: Tags that need a closer look.
_UNLIKE = NEVER | SPECIAL | frozenset({"title", "input", "noscript", "details", "dialog"})


def annotated(document: Document, facts: Facts, depth: int = 0) -> Tree:
    """The tree that the snapshot holds, before it is brought to normal form. Linear."""
    facts.rules_skipped += document.rules_skipped
    facts.sheets_missing += document.sheets_missing
    facts.attributes += document.taken.attributes
    facts.deep += document.taken.deep
    facts.formatting += document.taken.formatting
    facts.drop("comment", document.comment_chars)
    facts.drop("template", document.template_chars)
    shown, count = revealed(document)
    facts.revealed += count

    def read_frame(held: Document) -> Tree:
        return annotated(held, facts, depth + 1)

    held = replace(document, shown=shown)
    return _Pass(held, facts, read_frame if depth < MAX_FRAMES_DEEP else None).run()


class _Pass(Edits):
    def __init__(
        self, document: Document, facts: Facts, read_frame: Callable[[Document], Tree] | None
    ) -> None:
        super().__init__(document, facts, read_frame)
        self.shown = document.shown
        self.openers = Openers(self.tree, self.shown)
        #: Elements that declarations say something of.
        self.judged = {
            *self.shown.subtree,
            *self.shown.text,
            *self.shown.label,
            *self.shown.keeps_space,
        }
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
            raw, above, this = attrs[node], parents[node], node
            if tag in _UNLIKE or node in self.judged or above in self.shut:
                node = self._element(node, tag, raw or _NONE)
            elif raw is None:
                node += 1
            elif not _TELLING.isdisjoint(raw) or atoms.is_typeset(tag, raw):
                node = self._element(node, tag, raw)
            else:
                attrs[node] = kept_attributes(tag, raw, self.base) or None
                node += 1
            self.before[above] = this
        return spliced(tree, self.edits)

    def _element(self, node: int, tag: str, raw: Attrs) -> int:
        """Deal with one element; the index of the next node to look at."""
        tree = self.tree
        if tag in NEVER:
            return self.never(node, tag, raw)
        if tag == "title":
            self.facts.title = self.facts.title or atoms.text_inside(tree, node)
        if tag == "input" and raw.get("type", "").strip().lower() == "hidden":
            return self.replace(node, None)
        kept = kept_attributes(tag, raw, self.base) if raw else {}
        if not self._judge(node, tag, raw, kept):
            return self.hide(node, kept["data-pf-h"])
        if tag in SPECIAL or "class" in raw and atoms.is_typeset(tag, raw):
            stop = self.special(node, tag, kept)
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


def _is_off(tag: str, raw: Attrs) -> bool:
    """Whether markup alone keeps an element from being rendered."""
    if "hidden" in raw:
        return raw["hidden"] != "until-found"
    return tag == "dialog" and "open" not in raw or "popover" in raw
