"""What Markdown and plain text charge for each unit."""

from __future__ import annotations

from collections.abc import Collection

from extractor.markers import Marker
from extractor.render.blocks import MARKDOWN, Blocks, marker_line, markup_line
from extractor.render.html import Shell
from extractor.render.inline import Linked
from extractor.render.layout import PRE, ROW
from extractor.units import Doc

#: Line breaks between two blocks.
_GAP = 2


class BlockCosts:
    """Upper bounds: each unit alone is never shorter than what it adds beside others.

    A code block or table is paid for once, and again by a marker that cuts it in two. Units that are
    ``absent`` from the beginning are not looked at, and cost nothing.
    """

    style = MARKDOWN

    def __init__(
        self, doc: Doc, shell: Shell, scope: range, absent: Collection[int] = frozenset()
    ) -> None:
        self.doc, self.scope = doc, scope
        note = markup_line(shell.markup)
        self.note_chars = len(note) + _GAP if note else 0
        self.blocks = Blocks(doc, self.style, exact=False)
        self.own = [0] * doc.units
        self.holders: list[tuple[int, ...]] = [()] * doc.units
        self.inside: dict[int, int] = {}
        self.absent = absent
        #: Most characters before a line, by what stands around it.
        self.widths: dict[tuple[int, ...], int] = {}
        for unit in scope:
            held = self._held_by(unit) if unit in absent else self._count(unit)
            self.holders[unit] = tuple(sorted(held))

    def _held_by(self, unit: int) -> set[int]:
        """The code blocks and tables that a unit stands in."""
        layout = self.blocks.layout
        found = set[int]()
        for run in self.doc.runs_of(unit):
            leaf, kind = layout.leaf[run], layout.kind[run]
            if kind == PRE:
                found.add(leaf)
            elif kind == ROW:
                found.add(layout.tables.holder[leaf])
        return found

    def _count(self, unit: int) -> set[int]:
        layout, held = self.blocks.layout, set[int]()
        for runs in self.blocks.stretches([unit]):
            leaf, kind = layout.leaf[runs[0]], layout.kind[runs[0]]
            width = self._width(leaf)
            if kind == PRE:
                held.add(leaf)
                text = self.blocks.pre_text(runs)
                joint = self.blocks.pre_joint(runs[0]) if runs[0] else ""
                self.own[unit] += len(text) + len(joint) + width * (text + joint).count("\n")
                continue
            lines = self.blocks.lines(runs, Linked())
            self.own[unit] += sum(len(line) + width + 1 for line in lines)
            if kind == ROW:
                held.add(layout.tables.holder[leaf])
            else:
                self.own[unit] += 1 + width
        for holder in held:
            self.inside[holder] = self.inside.get(holder, 0) + 1
        return held

    def _width(self, node: int) -> int:
        chain = self.blocks.layout.chain[node]
        width = self.widths.get(chain)
        if width is None:
            width = self.widths[chain] = self.blocks.widest(chain)
        return width

    def _holder(self, node: int) -> int:
        """What a code block's fences or a table's head take."""
        layout, width = self.blocks.layout, self._width(node)
        if node in layout.tables.columns:
            head = self.blocks.table_head(node, named=False)
            return _GAP + width + sum(len(line) + width + 1 for line in head)
        fences = 2 * len(layout.fence(node)) + len(layout.language(node))
        return _GAP + fences + 2 + 5 * (width + 1)

    def total(self) -> int:
        return self.note_chars + sum(self.own) + sum(self._holder(node) for node in self.inside)

    def remove(self, unit: int) -> int:
        if unit in self.absent:
            return 0
        saved = self.own[unit]
        for holder in self.holders[unit]:
            self.inside[holder] -= 1
            if not self.inside[holder]:
                saved += self._holder(holder)
        return saved

    def joint(self, unit: int) -> int:
        return 0

    def marker(self, marker: Marker) -> int:
        """The line, its gap, and what is opened again after it."""
        scope, chars = self.scope, len(marker_line(marker, markdown=self.style.markdown)) + _GAP
        before, after = marker.first - 1, marker.last + 1
        around: tuple[int, ...] = ()
        if before in scope:
            around = self.blocks.layout.chain[self._leaf(self.doc.unit_start[marker.first] - 1)]
        chars += 2 * self.blocks.widest(around)
        if marker.edge != "any":
            return chars + sum(
                self._holder(h) for u in (before, after) if u in scope for h in self.holders[u]
            )
        if before in scope and after in scope:
            both = set(self.holders[before]) & set(self.holders[after])
            chars += sum(self._holder(holder) for holder in both)
        return chars

    def _leaf(self, run: int) -> int:
        return self.blocks.layout.leaf[run]
