"""The lines of single blocks, in Markdown or as plain text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from extractor.markers import Marker
from extractor.render.escape import escape_heading_end, escape_inline
from extractor.render.inline import Inline, Linked
from extractor.render.layout import HEADING, PRE, ROW, RULE, Layout, layout_of
from extractor.render.line import Place
from extractor.tree import semantic
from extractor.units import Doc


@dataclass(frozen=True, slots=True)
class Style:
    """How a format writes blocks. ``gap`` stands between two of them."""

    markdown: bool
    gap: str

    def first(self, layout: Layout, node: int) -> str:
        """What stands before the first line in a quote or list item."""
        tag = semantic(layout.doc.tree, node)
        if tag == "blockquote":
            return "> " if self.markdown else ""
        if tag == "dd":
            return ": " if self.markdown else "  "
        if tag == "dt":
            return ""
        if self.markdown and node in layout.notes:
            return f"[^{layout.notes[node]}]: "
        return self._bullet(layout, node) + self._task(layout, node)

    def rest(self, layout: Layout, node: int) -> str:
        """What stands before its other lines."""
        tag = semantic(layout.doc.tree, node)
        if tag == "blockquote" or tag == "dt":
            return self.first(layout, node)
        if self.markdown and node in layout.notes:
            return "    "
        return " " * (2 if tag == "dd" else self._indent(layout, node))

    def _indent(self, layout: Layout, item: int) -> int:
        bullet = self._bullet(layout, item)
        return 2 if bullet.startswith("- ") else len(bullet)

    def _bullet(self, layout: Layout, item: int) -> str:
        shown = layout.number(item)
        if shown:
            plain = shown.removesuffix(".").removesuffix(")")
            if plain.isascii() and plain.isdigit() and len(plain) < 10:
                return f"{plain}. "
            return (
                f"- {escape_inline(shown, in_link=False, in_cell=False)} "
                if self.markdown
                else f"{shown} "
            )
        number = layout.ordinal(item)
        if number is None:
            return "- "
        return f"{number}. " if number >= 0 or not self.markdown else f"- {number}. "

    def _task(self, layout: Layout, item: int) -> str:
        if item not in layout.tasks:
            return ""
        checked = "checked" in (layout.doc.tree.attrs[layout.tasks[item]] or {})
        return "[x] " if checked else "[ ] "


MARKDOWN = Style(markdown=True, gap="\n\n")
PLAIN = Style(markdown=False, gap="\n")


def marker_line(marker: Marker, *, markdown: bool) -> str:
    """The line that stands for what was folded."""
    items = f"{marker.items} items, " if marker.items > 1 else ""
    what = _safe(marker.what)
    what = escape_inline(what, in_link=False, in_cell=True) if markdown else what
    about = ": ".join(part for part in (marker.region, what) if part)
    return f"[folded {marker.ref}: {items}{marker.chars} characters{', ' if about else ''}{about}]"


def markup_line(said: str) -> str:
    """The line that says how much markup was left out; empty where nothing was."""
    return f"[markup {said}]" if said else ""


def _safe(text: str) -> str:
    return " ".join(text.replace("]", "").replace("[", "").replace("|", "/").split())


#: By whether it is a heading, and the term of a definition.
_PLACES = {
    (heading, term): Place(heading=heading, term=term)
    for heading in (False, True)
    for term in (False, True)
}


class Blocks:
    """The text of single blocks, for writing (``exact``) or for costs."""

    def __init__(self, doc: Doc, style: Style, *, exact: bool = True) -> None:
        self.doc, self.style = doc, style
        self.layout = doc.once(Layout, layout_of)
        self.inline = Inline(doc, markdown=style.markdown, exact=exact)
        self.inline.silent = frozenset(self.layout.tasks.values())

    def stretches(self, units: Sequence[int]) -> Iterator[list[int]]:
        """Consecutive runs of consecutive units, cut where the block changes."""
        leaf, found = self.layout.leaf, list[int]()
        for unit in units:
            for run in self.doc.runs_of(unit):
                if found and (run != found[-1] + 1 or leaf[run] != leaf[found[-1]]):
                    yield found
                    found = []
                found.append(run)
        if found:
            yield found

    def lines(self, runs: list[int], linked: Linked) -> list[str]:
        """The lines of one block, without what stands around it; none where it says nothing."""
        leaf, kind = self.layout.leaf[runs[0]], self.layout.kind[runs[0]]
        if kind == PRE:
            return self._pre(leaf, runs)
        if kind == RULE:
            # In a list item three hyphens would be read with the bullet as one rule.
            return ["***" if self.layout.chain[leaf] and self.style.markdown else "---"]
        if kind == ROW:
            return [self._row(leaf, runs, linked)]
        place = _PLACES[kind == HEADING, self._names_term(leaf)]
        text = self.inline.text(runs, place, linked)
        if not text:
            return []
        if kind == HEADING and self.style.markdown:
            return ["#" * self.layout.level(leaf) + " " + escape_heading_end(text)]
        return text.split("\n")

    def _names_term(self, leaf: int) -> bool:
        """Whether a block is the term of a definition, which has one line."""
        chain = self.layout.chain[leaf]
        return bool(chain) and semantic(self.doc.tree, chain[-1]) == "dt"

    def pre_text(self, runs: list[int]) -> str:
        parts: list[str] = []
        for run in runs:
            if parts:
                parts.append(self.pre_joint(run))
            parts.append(self.inline.raw(run))
        return "".join(parts)

    def pre_joint(self, run: int) -> str:
        doc, tree = self.doc, self.doc.tree
        glue = doc.run_glue[run]
        if "\n" in glue:
            return glue
        if glue == "<br>":
            return "\n"
        own_line = doc.run_block[run] != doc.run_block[run - 1]
        display = (tree.attrs[tree.parent[doc.run_node[run]]] or {}).get("data-pf-d", "")
        if own_line and display.endswith(("grid", "flex")) and not doc.run_text[run].strip():
            # White space between the items of a grid is not shown: this line feed is the items' own.
            return ""
        return "\n" if own_line and not doc.run_text[run - 1].endswith("\n") else ""

    def _pre(self, leaf: int, runs: list[int]) -> list[str]:
        text = self.pre_text(runs)
        lines = text.removesuffix("\n").split("\n")
        if not self.style.markdown:
            return lines
        fence = self.layout.fence(leaf)
        return [fence + self.layout.language(leaf), *lines, fence]

    def _row(self, leaf: int, runs: list[int], linked: Linked) -> str:
        tree, nodes, texts = self.doc.tree, self.doc.run_node, list[str]()
        for cell in self.layout.tables.grid[leaf]:
            inside = (
                [run for run in runs if cell <= nodes[run] < tree.end[cell]] if cell >= 0 else []
            )
            texts.append(self.inline.text(inside, Place(cell=True), linked))
        return self.row_line(texts)

    def row_line(self, cells: list[str]) -> str:
        return f"| {' | '.join(cells)} |" if self.style.markdown else "\t".join(cells)

    def table_head(self, table: int, *, named: bool) -> list[str]:
        """The lines that a pipe table needs before, or after, its first row."""
        if not self.style.markdown:
            return []
        width = self.layout.tables.columns[table]
        rule = self.row_line(["---"] * width)
        return [rule] if named else [self.row_line([""] * width), rule]

    def prefix(self, chain: tuple[int, ...]) -> str:
        return "".join(self.style.rest(self.layout, node) for node in chain)

    def widest(self, chain: tuple[int, ...]) -> int:
        """Most characters that may stand before a line in these quotes and items."""
        style, layout = self.style, self.layout
        return sum(max(len(style.first(layout, n)), len(style.rest(layout, n))) for n in chain)
