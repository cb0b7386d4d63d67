"""Fold a judged page to a budget and write it in one format."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from extractor.errors import BudgetImpossible
from extractor.fence import FENCED, fence_chars, fenced, origin_of
from extractor.fold import MIN_BUDGET
from extractor.judged import Judged, Options
from extractor.lean import FULL, left_out
from extractor.markers import Costs, Folded, Frame, NoCosts
from extractor.page import Span
from extractor.provenance import spans_of
from extractor.render.blocks import MARKDOWN, PLAIN, Blocks, markup_line
from extractor.render.html import HtmlCosts
from extractor.render.html_writer import HtmlWriter
from extractor.render.layout import Layout, layout_of
from extractor.render.markdown import MarkdownCosts
from extractor.render.outline import render_outline
from extractor.render.shell import NOT_KEPT, Shell
from extractor.render.text import TextCosts
from extractor.render.writer import BlockWriter
from extractor.spend import Spent, Wanted, Way, degrees_said, spend
from extractor.units import Doc

_COSTS = {"markdown": MarkdownCosts, "text": TextCosts}
#: Share of a budget that text may take for all of it to be sure to fit, or nearly.
_ROOMY = {"text": 0.95, "markdown": 0.6}
#: Formats whose markup has degrees.
_MARKED_UP = ("html", "markdown")


@dataclass(frozen=True, slots=True)
class Output:
    """One format and its budget (``None``: no limit)."""

    name: str
    budget: int | None
    options: Options


@dataclass(frozen=True, slots=True)
class Written:
    """The document, what was folded, and where its text stands in the page (when asked for).

    ``markup`` says how much markup it has, if not all; ``left_out`` how many attributes it lacks.
    """

    text: str
    folded: Folded
    spans: tuple[Span, ...] = ()
    markup: str = ""
    left_out: int = 0


def write(page: Judged, output: Output, ranked: Sequence[int], frame: Frame) -> Written:
    """The page in one format, within its budget, its fence included.

    Raises:
        BudgetImpossible: the budget is under the smallest possible one.
    """
    key, budget = output.options.fence_key, output.budget
    if key is None or output.name not in FENCED:
        return _written(page, output, ranked, frame)
    origin = origin_of(page.snapshot.meta.final_url)
    extra = fence_chars(output.name, origin)
    least = MIN_BUDGET + extra
    if budget is not None and budget < least and output.name != "outline":
        raise BudgetImpossible(
            f"budget is {budget}; with a fence the smallest possible is {least} characters",
            field="budget",
        )
    inner = Output(output.name, None if budget is None else max(budget - extra, 0), output.options)
    found = _written(page, inner, ranked, frame)
    text = fenced(found.text, output.name, key, origin)
    shift = len(text[: text.index(found.text)]) if output.name != "html" else 0
    return replace(found, text=text, spans=_shifted(text, found, shift, output.name))


def _shifted(text: str, found: Written, shift: int, name: str) -> tuple[Span, ...]:
    if name == "html":
        shift = text.index("<pf-fence") and text.index(">", text.index("<pf-fence")) + 1
        shift -= found.text.index("<body>") + len("<body>")
    return tuple(
        Span(s.start + shift, s.stop + shift, s.path, s.frame, s.shadow, s.box) for s in found.spans
    )


def _written(page: Judged, output: Output, ranked: Sequence[int], frame: Frame) -> Written:
    doc, budget = page.doc, output.budget
    if output.name == "outline":
        text = render_outline(doc, page.regions, budget, title=page.title)
        return Written(text, Folded([], []))
    press, markup = _Press(page, output, frame), output.options.markup
    if output.name not in _MARKED_UP:
        markup = "full"
    if markup in ("auto", "full") and press.may_fit_whole():
        everything = Folded([unit in frame.scope for unit in range(doc.units)], [])
        whole = press.written(Spent(doc, everything, Way(FULL, FULL)))
        if budget is None or len(whole.text) <= budget and budget >= MIN_BUDGET:
            return whole
    wanted = Wanted(doc, ranked, page.regions.main, frame)
    return press.written(spend(wanted, press.costs, budget, markup))


class _Press:
    """One page in one format: what a state of it costs, and how it is written."""

    def __init__(self, page: Judged, output: Output, frame: Frame) -> None:
        self.doc, self.output, self.scope = page.doc, output, frame.scope
        self.ruled_out = frozenset(unit for unit in frame.scope if frame.rule[unit])
        self.shell = _shell(page, output)
        self.ready: Costs | None = None

    def costs(self, doc: Doc, way: Way) -> Costs:
        """Costs with everything kept that may be."""
        if self.output.budget is None:
            return NoCosts()
        found, self.ready = self.ready, None
        if found is None or doc is not self.doc:
            found = self._charged(doc, way)
        return found

    def _charged(self, doc: Doc, way: Way) -> Costs:
        shell = self._shell(way)
        if self.output.name == "html":
            return HtmlCosts(doc, shell, self.scope)
        doc.once(Layout, self.doc.once(Layout, layout_of).of)
        return _COSTS[self.output.name](doc, shell, self.scope, self.ruled_out)

    def _shell(self, way: Way) -> Shell:
        return replace(self.shell, markup=way.said(self.doc, self.scope))

    def _writer(self, doc: Doc, shell: Shell) -> HtmlWriter | BlockWriter:
        if self.output.name == "html":
            return HtmlWriter(doc, shell, self.scope)
        style = MARKDOWN if self.output.name == "markdown" else PLAIN
        return BlockWriter(Blocks(doc, style), self.scope, markup_line(shell.markup))

    def may_fit_whole(self) -> bool:
        """Whether all of it may fit: a cost is an upper bound, and only the real length may say that not.

        Where the text alone leaves enough room for its markup, no costs are counted: to write it and see
        is as quick.
        """
        budget, doc = self.output.budget, self.doc
        if self.ruled_out or budget is None:
            return not self.ruled_out
        if self.output.name == "html":
            runs = range(doc.unit_start[self.scope.start], doc.unit_start[self.scope.stop])
            return sum(len(doc.run_html[run]) for run in runs) <= budget
        if sum(doc.unit_chars[unit] for unit in self.scope) <= budget * _ROOMY[self.output.name]:
            return True
        self.ready = self._charged(doc, Way(FULL, FULL))
        return self.ready.total() <= budget * 1.5

    def written(self, spent: Spent) -> Written:
        """What was kept, as a document."""
        shell = self._shell(spent.way)
        pen = self._writer(spent.doc, shell)
        text, spans = pen.write(spent.folded), tuple[Span, ...]()
        if self.output.options.provenance:
            spans = spans_of(self.doc, pen.ranges.within(pen.out))
        degrees = degrees_said(spent.way) if shell.markup else ""
        return Written(text, spent.folded, spans, degrees, left_out(self.doc, spent.doc))


def _shell(page: Judged, output: Output) -> Shell:
    doc, meta = page.doc, page.snapshot.meta
    snapshot_id = page.snapshot_id if output.options.refs_resolve else NOT_KEPT
    direction = (doc.attrs[0] or {}).get("dir", "") if doc.attrs else ""
    return Shell(snapshot_id, page.title, meta.lang, doc.base_url, direction)
