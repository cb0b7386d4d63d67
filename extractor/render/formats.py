"""Fold a judged page to a budget and write it in one format."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from extractor.errors import BudgetImpossible
from extractor.fence import FENCED, fence_chars, fenced, origin_of
from extractor.fold import MIN_BUDGET, fold
from extractor.judged import Judged, Options
from extractor.markers import Folded, Frame
from extractor.page import Span
from extractor.provenance import spans_of
from extractor.render.blocks import MARKDOWN, PLAIN, Blocks
from extractor.render.html import HtmlCosts
from extractor.render.html_writer import HtmlWriter
from extractor.render.markdown import MarkdownCosts
from extractor.render.outline import render_outline
from extractor.render.shell import NOT_KEPT, Shell
from extractor.render.text import TextCosts
from extractor.render.writer import BlockWriter
from extractor.units import Doc

_Costs = Callable[[Doc, Shell, range], HtmlCosts | MarkdownCosts | TextCosts]
_Writer = Callable[[Doc, Shell, range], HtmlWriter | BlockWriter]
_FORMATS: dict[str, tuple[_Costs, _Writer]] = {
    "html": (HtmlCosts, HtmlWriter),
    "markdown": (MarkdownCosts, lambda doc, _, scope: BlockWriter(Blocks(doc, MARKDOWN), scope)),
    "text": (TextCosts, lambda doc, _, scope: BlockWriter(Blocks(doc, PLAIN), scope)),
}


@dataclass(frozen=True, slots=True)
class Output:
    """One format and its budget (``None``: no limit)."""

    name: str
    budget: int | None
    options: Options


@dataclass(frozen=True, slots=True)
class Written:
    """The document, what was folded, and where its text stands in the page (when asked for)."""

    text: str
    folded: Folded
    spans: tuple[Span, ...] = ()


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
    return Written(text, found.folded, _shifted(text, found, shift, output.name))


def _shifted(text: str, found: Written, shift: int, name: str) -> tuple[Span, ...]:
    if name == "html":
        shift = text.index("<pf-fence") and text.index(">", text.index("<pf-fence")) + 1
        shift -= found.text.index("<body>") + len("<body>")
    return tuple(
        Span(s.start + shift, s.stop + shift, s.path, s.frame, s.shadow, s.box) for s in found.spans
    )


def _written(page: Judged, output: Output, ranked: Sequence[int], frame: Frame) -> Written:
    doc, meta, budget = page.doc, page.snapshot.meta, output.budget
    if output.name == "outline":
        text = render_outline(doc, page.regions, budget, title=page.title)
        return Written(text, Folded([], []))
    snapshot_id = page.snapshot_id if output.options.refs_resolve else NOT_KEPT
    direction = (doc.attrs[0] or {}).get("dir", "") if doc.attrs else ""
    shell = Shell(snapshot_id, page.title, meta.lang, doc.base_url, direction)
    costs, writer = _FORMATS[output.name]

    def written(folded: Folded) -> Written:
        pen = writer(doc, shell, frame.scope)
        text = pen.write(folded)
        wanted = output.options.provenance
        return Written(text, folded, spans_of(doc, pen.ranges.within(pen.out)) if wanted else ())

    charged = None
    if not any(frame.rule[unit] for unit in frame.scope):
        # A cost is an upper bound; only the real length may say that something must go.
        likely = budget is None or output.name == "html" and _may_fit(doc, frame.scope, budget)
        if budget is not None and output.name != "html":
            charged = costs(doc, shell, frame.scope)
            likely = charged.total() <= budget * 1.5
        if likely:
            whole = written(Folded([unit in frame.scope for unit in range(doc.units)], []))
            if budget is None or len(whole.text) <= budget and budget >= MIN_BUDGET:
                return whole
    return written(fold(doc, ranked, charged or costs(doc, shell, frame.scope), frame, budget))


def _may_fit(doc: Doc, scope: range, budget: int) -> bool:
    """Whether the text alone, without the elements around it, leaves that open."""
    runs = range(doc.unit_start[scope.start], doc.unit_start[scope.stop])
    return sum(len(doc.run_html[run]) for run in runs) <= budget
