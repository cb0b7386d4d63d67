"""Kept units and markers written as one well-formed HTML document."""

from __future__ import annotations

from extractor.markers import Folded, Marker
from extractor.render.linktable import LinkTable
from extractor.render.markers import WRAPPERS, marker_html, place
from extractor.render.ranges import Ranges
from extractor.render.shell import Shell
from extractor.serialise import escape_text, leading_newline_guard, open_tag
from extractor.units import Doc


class HtmlWriter:
    """Writes in document order; an element is open while what is kept stands in it."""

    def __init__(self, doc: Doc, shell: Shell, scope: range) -> None:
        self.doc, self.shell, self.scope = doc, shell, scope
        self.out = [shell.opening()]
        self.stack: list[int] = []
        self.just_opened_pre = False
        self.links = LinkTable(doc)
        self.ranges = Ranges()

    def write(self, folded: Folded) -> str:
        doc, previous = self.doc, -2
        self._count_links(folded)
        markers = iter(folded.markers)
        marker = next(markers, None)
        for unit in self.scope:
            while marker is not None and marker.first == unit:
                self._marker(marker)
                marker = next(markers, None)
            if not folded.keep[unit]:
                continue
            for run in doc.runs_of(unit):
                self._run(run, previous == run - 1)
                previous = run
        self._close_to(0)
        return "".join(self.out) + self.links.entries() + self.shell.closing()

    def _count_links(self, folded: Folded) -> None:
        """Which links will be written must be known before the first of them is."""
        doc, seen = self.doc, set[int]()
        for unit in self.scope if self.links.shared else ():
            for run in doc.runs_of(unit) if folded.keep[unit] else ():
                node = doc.run_parent[run]
                while node > 0 and node not in seen:
                    seen.add(node)
                    if node in self.links.shared:
                        self.links.use(node, 1)
                    node = doc.up[node]

    def _run(self, run: int, follows: bool) -> None:
        doc = self.doc
        node = doc.run_node[run]
        self._close_around(node)
        if follows and doc.run_glue[run]:
            self.out.append(
                escape_text(doc.run_glue[run]) if doc.run_glue[run] != "<br>" else "<br>"
            )
            self.just_opened_pre = False
        chain = []
        above = doc.run_parent[run]
        while above > 0 and (not self.stack or above != self.stack[-1]):
            if doc.tree.tag[above] == "body":
                break
            chain.append(above)
            above = doc.up[above]
        for opened in reversed(chain):
            self.out.append(self._open(opened))
            self.stack.append(opened)
            self.just_opened_pre = doc.tree.tag[opened] == "pre"
        if self.just_opened_pre:
            self.out.append(leading_newline_guard("pre", doc.run_html[run]))
        self.ranges.add(len(self.out), len(self.out) + 1, run, run)
        self.out.append(doc.run_html[run])
        self.just_opened_pre = False

    def _marker(self, marker: Marker) -> None:
        node = place(self.doc, marker, self.scope)
        if node <= 0 or node not in self.stack and not self._openable(node):
            self._close_around(self.doc.run_node[self.doc.unit_start[marker.first]])
            node = self.stack[-1] if self.stack else 0
        while self.stack and self.stack[-1] != node and node in self.stack:
            self._pop()
        wrappers = WRAPPERS.get(self.doc.tree.tag[node], ()) if node > 0 else ()
        opened = "".join(f"<{tag}>" for tag in wrappers)
        closed = "".join(f"</{tag}>" for tag in reversed(wrappers))
        self.out.append(f"{opened}{marker_html(marker)}{closed}")
        self.just_opened_pre = False

    def _openable(self, node: int) -> bool:
        """Open the elements down to ``node``, which what is kept next stands in as well."""
        chain = []
        while node > 0 and node not in self.stack:
            if self.doc.tree.tag[node] == "body":
                break
            chain.append(node)
            node = self.doc.up[node]
        while self.stack and self.stack[-1] != node:
            self._pop()
        for opened in reversed(chain):
            self.out.append(self._open(opened))
            self.stack.append(opened)
        return True

    def _close_around(self, node: int) -> None:
        ends = self.doc.tree.end
        while self.stack and not (self.stack[-1] < node < ends[self.stack[-1]]):
            self._pop()

    def _open(self, node: int) -> str:
        return open_tag(self.doc.tags[node], self.links.written(node))

    def _pop(self) -> None:
        self.out.append(f"</{self.doc.tags[self.stack.pop()]}>")

    def _close_to(self, depth: int) -> None:
        while len(self.stack) > depth:
            self._pop()
