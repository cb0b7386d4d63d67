"""Write what was kept as HTML, and say what each part of it costs."""

from __future__ import annotations

from dataclasses import dataclass

from extractor.fold import Folded, Marker, shorten
from extractor.serialise import escape_attribute, escape_text, leading_newline_guard, open_tag
from extractor.units import Doc

_WRAPPERS = {
    "table": ("tbody", "tr", "td"),
    "thead": ("tr", "td"),
    "tbody": ("tr", "td"),
    "tfoot": ("tr", "td"),
    "tr": ("td",),
}
_PRE_GUARD = len("\n<!---->")
_WIDEST_WRAPPER = len("<tbody><tr><td></td></tr></tbody>")
MAX_TITLE_CHARS = 80
MAX_LANG_CHARS = 16


@dataclass(frozen=True, slots=True)
class Shell:
    """What stands around the units: the document's head and the snapshot that refs belong to."""

    snapshot_id: str
    title: str
    lang: str
    base_url: str

    def opening(self) -> str:
        attrs = {"lang": self.lang[:MAX_LANG_CHARS]} if self.lang else {}
        attrs["data-pf-snapshot"] = self.snapshot_id
        base = f'<base href="{escape_attribute(self.base_url)}">' if self.base_url else ""
        title = escape_text(shorten(" ".join(self.title.split()), MAX_TITLE_CHARS))
        return (
            f'<!DOCTYPE html>{open_tag("html", attrs)}<head><meta charset="utf-8">'
            f"<title>{title}</title>{base}</head><body>"
        )

    def closing(self) -> str:
        return "</body></html>"


def marker_html(marker: Marker) -> str:
    """The element that stands for what was folded."""
    attrs = {"ref": marker.ref}
    if marker.items > 1:
        attrs["items"] = str(marker.items)
    attrs["chars"] = str(marker.chars)
    if marker.region:
        attrs["region"] = marker.region
    if marker.what:
        attrs["what"] = marker.what
    return open_tag("pf-fold", attrs) + "</pf-fold>"


def common_ancestor(doc: Doc, run: int, other: int) -> int:
    """The deepest written element around both runs."""
    node, target = doc.run_parent[run], doc.run_node[other]
    while node > 0 and not (node < target < doc.tree.end[node]):
        node = doc.up[node]
    return node


def place(doc: Doc, marker: Marker, scope: range) -> int:
    """The element inside which a marker stands."""
    first_run, last_run = doc.unit_start[marker.first], doc.unit_start[marker.last + 1] - 1
    found = []
    if marker.first > scope.start and marker.edge in ("any", "before"):
        found.append(common_ancestor(doc, first_run - 1, first_run))
    if marker.last + 1 < scope.stop and marker.edge in ("any", "after"):
        found.append(common_ancestor(doc, last_run + 1, last_run))
    return max(found, default=-1)


class HtmlCosts:
    """Costs of the HTML form; see ``fold.Costs``."""

    def __init__(self, doc: Doc, shell: Shell, scope: range) -> None:
        self.doc, self.scope = doc, scope
        self.shell_chars = len(shell.opening()) + len(shell.closing())
        self.inside = [0] * len(doc.tree)
        self.element_chars = [0] * len(doc.tree)
        self.unit_own = [0] * doc.units
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
                node = doc.up[node]
        self.unit_own[unit] = own

    def _element(self, node: int) -> int:
        tag = self.doc.tags[node]
        if tag in ("body", "html"):
            return 0
        guard = _PRE_GUARD if tag == "pre" else 0
        return len(open_tag(tag, self.doc.attrs[node])) + len(tag) + 3 + guard

    def total(self) -> int:
        joints = sum(self.joint(unit) for unit in self.scope[1:])
        return self.shell_chars + sum(self.unit_own) + sum(self.element_chars) + joints

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
                node = doc.up[node]
        return saved

    def joint(self, unit: int) -> int:
        return len(self.doc.run_glue[self.doc.unit_start[unit]])

    def marker(self, marker: Marker) -> int:
        chars = len(marker_html(marker))
        if marker.edge != "any":
            return chars + _WIDEST_WRAPPER
        node = place(self.doc, marker, self.scope)
        wrappers = _WRAPPERS.get(self.doc.tree.tag[node], ()) if node > 0 else ()
        return chars + sum(2 * len(tag) + 5 for tag in wrappers)


def render_html(doc: Doc, folded: Folded, shell: Shell, scope: range) -> str:
    """The document of the kept units, a marker for each fold. Well-formed; linear."""
    return _Writer(doc, shell, scope).write(folded)


class _Writer:
    def __init__(self, doc: Doc, shell: Shell, scope: range) -> None:
        self.doc, self.shell, self.scope = doc, shell, scope
        self.out = [shell.opening()]
        self.stack: list[int] = []
        self.just_opened_pre = False

    def write(self, folded: Folded) -> str:
        doc, previous = self.doc, -2
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
        return "".join(self.out) + self.shell.closing()

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
            self.out.append(open_tag(doc.tags[opened], doc.attrs[opened]))
            self.stack.append(opened)
            self.just_opened_pre = doc.tree.tag[opened] == "pre"
        if self.just_opened_pre:
            self.out.append(leading_newline_guard("pre", doc.run_html[run]))
        self.out.append(doc.run_html[run])
        self.just_opened_pre = False

    def _marker(self, marker: Marker) -> None:
        node = place(self.doc, marker, self.scope)
        if node <= 0 or node not in self.stack and not self._openable(node):
            self._close_around(self.doc.run_node[self.doc.unit_start[marker.first]])
            node = self.stack[-1] if self.stack else 0
        while self.stack and self.stack[-1] != node and node in self.stack:
            self._pop()
        wrappers = _WRAPPERS.get(self.doc.tree.tag[node], ()) if node > 0 else ()
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
            self.out.append(open_tag(self.doc.tags[opened], self.doc.attrs[opened]))
            self.stack.append(opened)
        return True

    def _close_around(self, node: int) -> None:
        ends = self.doc.tree.end
        while self.stack and not (self.stack[-1] < node < ends[self.stack[-1]]):
            self._pop()

    def _pop(self) -> None:
        self.out.append(f"</{self.doc.tags[self.stack.pop()]}>")

    def _close_to(self, depth: int) -> None:
        while len(self.stack) > depth:
            self._pop()
