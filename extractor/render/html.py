"""Write what was kept as HTML, and say what each part of it costs."""

from __future__ import annotations

from extractor.markers import Folded, Marker
from extractor.render.html_writer import HtmlWriter
from extractor.render.linktable import LinkTable
from extractor.render.markers import WIDEST_WRAPPER, WRAPPERS, marker_html, place
from extractor.render.shell import Shell as Shell
from extractor.serialise import open_tag
from extractor.units import Doc

_PRE_GUARD = len("\n<!---->")


class HtmlCosts:
    """Costs of the HTML form; see ``fold.Costs``."""

    def __init__(self, doc: Doc, shell: Shell, scope: range) -> None:
        self.doc, self.scope = doc, scope
        self.shell_chars = len(shell.opening()) + len(shell.closing())
        self.inside = [0] * len(doc.tree)
        self.element_chars = [0] * len(doc.tree)
        self.unit_own = [0] * doc.units
        self.links, self.link_chars = LinkTable(doc), 0
        for unit in scope:
            self._count(unit)

    def _count(self, unit: int) -> None:
        doc, runs = self.doc, self.doc.runs_of(unit)
        own = 0
        for run in runs:
            own += len(doc.run_html[run])
            if run != runs.start:
                own += len(doc.run_glue[run])
            node = doc.run_parent[run]
            while node > 0:
                self.inside[node] += 1
                if self.inside[node] > 1:
                    break
                self.element_chars[node] = self._element(node)
                if node in self.links.shared:
                    self.link_chars += self.links.use(node, 1)
                node = doc.up[node]
        self.unit_own[unit] = own

    def _element(self, node: int) -> int:
        tag = self.doc.tags[node]
        if tag in ("body", "html"):
            return 0
        guard = _PRE_GUARD if tag == "pre" else 0
        address = self.links.without(node) if node in self.links.shared else 0
        return len(open_tag(tag, self.doc.attrs[node])) - address + len(tag) + 3 + guard

    def total(self) -> int:
        joints = sum(self.joint(unit) for unit in self.scope[1:])
        own = sum(self.unit_own) + sum(self.element_chars)
        return self.shell_chars + own + self.link_chars + joints

    def remove(self, unit: int) -> int:
        doc = self.doc
        saved = self.unit_own[unit]
        for run in doc.runs_of(unit):
            node = doc.run_parent[run]
            while node > 0:
                self.inside[node] -= 1
                if self.inside[node]:
                    break
                saved += self.element_chars[node]
                if node in self.links.shared:
                    saved -= self.links.use(node, -1)
                node = doc.up[node]
        return saved

    def joint(self, unit: int) -> int:
        return len(self.doc.run_glue[self.doc.unit_start[unit]])

    def marker(self, marker: Marker) -> int:
        chars = len(marker_html(marker))
        if marker.edge != "any":
            return chars + WIDEST_WRAPPER
        node = place(self.doc, marker, self.scope)
        wrappers = WRAPPERS.get(self.doc.tree.tag[node], ()) if node > 0 else ()
        return chars + sum(2 * len(tag) + 5 for tag in wrappers)


def render_html(doc: Doc, folded: Folded, shell: Shell, scope: range) -> str:
    """The document of the kept units, a marker for each fold. Well-formed; linear."""
    return HtmlWriter(doc, shell, scope).write(folded)
