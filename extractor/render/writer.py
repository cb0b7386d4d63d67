"""Blocks written one under the other, with a line for each fold."""

from __future__ import annotations

from extractor.markers import Folded, Marker
from extractor.render.blocks import Blocks, marker_line
from extractor.render.inline import Linked
from extractor.render.layout import ROW
from extractor.render.lookalikes import defused
from extractor.render.ranges import Ranges
from extractor.tree import semantic


class BlockWriter:
    """Writes kept units and markers in order, and last ``note``, a line of our own."""

    def __init__(self, blocks: Blocks, scope: range, note: str = "") -> None:
        self.blocks, self.scope, self.note = blocks, scope, note
        self.out: list[str] = []
        self.open: tuple[int, ...] = ()
        self.table = -1
        self.linked = Linked()
        self.ranges = Ranges()

    def write(self, folded: Folded) -> str:
        kept: list[int] = []
        starts = {marker.first: marker for marker in folded.markers}
        for unit in self.scope:
            if unit in starts and not self._says_nothing(starts[unit]):
                self._flush(kept)
                self._marker(starts[unit])
            if folded.keep[unit]:
                kept.append(unit)
        self._flush(kept)
        if self.note:
            self.table = -1
            self._block((), [self.note], ours=True)
        return "".join(self.out)

    def _says_nothing(self, marker: Marker) -> bool:
        """Whether this format would write nothing for what was folded (images without a text)."""
        if marker.chars:
            return False
        folded = range(marker.first, marker.last + 1)
        return not any(self.blocks.lines(runs, Linked()) for runs in self.blocks.stretches(folded))

    def _flush(self, kept: list[int]) -> None:
        layout = self.blocks.layout
        for runs in self.blocks.stretches(kept):
            leaf, kind = layout.leaf[runs[0]], layout.kind[runs[0]]
            lines = self.blocks.lines(runs, self.linked)
            if not lines:
                continue
            start = len(self.out)
            if kind == ROW:
                self._row(leaf, lines)
            else:
                self.table = -1
                self._block(layout.chain[leaf], lines)
            self.ranges.add(start, len(self.out), runs[0], runs[-1])
        kept.clear()

    def _row(self, leaf: int, lines: list[str]) -> None:
        table, layout = self.blocks.layout.tables.holder[leaf], self.blocks.layout
        chain = layout.chain[table]
        if table != self.table:
            named = leaf in layout.tables.header
            head = self.blocks.table_head(table, named=named)
            self._block(chain, [*lines, *head] if named else [*head, *lines])
            self.table = table
            return
        prefix = self.blocks.prefix(chain)
        self.out += ["\n", prefix, defused(lines[0])]

    def _block(self, chain: tuple[int, ...], lines: list[str], *, ours: bool = False) -> None:
        common = 0
        while common < min(len(chain), len(self.open)) and chain[common] == self.open[common]:
            common += 1
        style, layout = self.blocks.style, self.blocks.layout
        held = self.blocks.prefix(chain[:common])
        if self.out:
            tight = style.gap == "\n" or self._tight(chain, common)
            self.out.append("\n" if tight else f"\n{held.rstrip()}\n")
        opened = "".join(style.first(layout, node) for node in chain[common:])
        rest = self.blocks.prefix(chain)
        written = [held + opened + lines[0]]
        for line in lines[1:]:
            written += ["\n", (rest + line) if line else rest.rstrip()]
        self.out += written if ours else map(defused, written)
        self.open = chain

    def _tight(self, chain: tuple[int, ...], common: int) -> bool:
        """Whether a list item or definition follows its neighbour or parent at once."""
        tree, layout = self.blocks.doc.tree, self.blocks.layout
        if common == len(chain) or semantic(tree, chain[common]) not in ("li", "dd"):
            return False
        if common < len(self.open):
            return tree.parent[self.open[common]] == tree.parent[chain[common]]
        inner = common > 0 and semantic(tree, chain[common - 1]) == "li"
        return inner and layout.ordinal(chain[common]) in (None, 1)

    def _line(self, marker: Marker) -> str:
        return marker_line(marker, markdown=self.blocks.style.markdown)

    def _marker(self, marker: Marker) -> None:
        doc, layout, line = self.blocks.doc, self.blocks.layout, self._line(marker)
        chain: tuple[int, ...] = ()
        after = marker.last + 1
        if marker.edge == "any" and self.out and after in self.scope:
            run = doc.unit_start[after]
            leaf = layout.leaf[run]
            if layout.kind[run] == ROW and self.table == layout.tables.holder[leaf]:
                self.out += ["\n", self.blocks.prefix(layout.chain[self.table]), line]
                return
            for mine, other in zip(self.open, layout.chain[leaf], strict=False):
                if mine != other:
                    break
                chain = (*chain, mine)
        self.table = -1
        self._block(chain, [line], ours=True)
