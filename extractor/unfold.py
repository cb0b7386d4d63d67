"""What stands behind a ref, folded again where it does not fit: always a step further, until nothing is left.

Where not even one unit fits, units are taken apart into their runs; where not even a run fits with what
stands around it, its text is handed out without markup, as much as fits, with refs to the rest.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import accumulate

from extractor.errors import BudgetImpossible, NotFound
from extractor.fold import MIN_BUDGET
from extractor.frame import frame_of
from extractor.graphemes import cut_within
from extractor.judged import Judged, Options
from extractor.markers import Marker
from extractor.order import order
from extractor.refs import offset_of, part_ref, ref_of, resolve
from extractor.render.blocks import marker_line
from extractor.render.escape import escape_inline, escape_line_start
from extractor.render.formats import Output, write
from extractor.render.lookalikes import defused
from extractor.render.markers import marker_html
from extractor.render.shell import Shell
from extractor.serialise import escape_text, leading_newline_guard
from extractor.units import Doc, cut_before

#: Says of text that it stands here without the markup that it has in the page.
TEXT_ALONE = '<pre data-pf-label="text_alone">'


def unfold_judged(page: Judged, ref: str, budget: int | None, name: str) -> str:
    """The units behind a ref, folded again if they do not fit.

    Raises:
        NotFound: the ref names nothing in this snapshot, or what its capture did not read.
        BudgetImpossible: the budget is under the smallest possible one.
    """
    first, last = resolve(page.doc, ref)
    if all(run in page.doc.unread for run in range(first, last + 1)):
        raise NotFound(
            f"what stands under {ref!r} was never read: the page was very large, and with unfold=false such "
            "a page is read only as far as its budget reaches. Ask for it without unfold=false.",
            field="ref",
        )
    offset = offset_of(ref)
    if offset:
        return _text_alone(page, (first, last), offset, budget, name)
    scope, starts = page.doc.units_of(first, last), page.doc.unit_start
    # A region may begin or end inside a unit.
    cut = {scope.start} if starts[scope.start] < first else set[int]()
    cut |= {scope.stop - 1} if starts[scope.stop] > last + 1 else set()
    ranked = order(page.doc, page.regions.main)
    best = next((unit for unit in ranked if unit in scope), scope.start)
    for apart in (cut, cut | {best}, set(scope)):
        doc = cut_before(page.doc, {run for unit in apart for run in page.doc.runs_of(unit)})
        if apart:
            ranked = order(doc, page.regions.main)
        scoped = replace(page, doc=doc), doc.units_of(first, last)
        found = _written(*scoped, ranked, Output(name, budget, Options()))
        if found is not None:
            return found
    return _text_alone(page, (first, last), 0, budget, name)


def _written(page: Judged, scope: range, ranked: list[int], output: Output) -> str | None:
    """The units of the scope as far as they fit; ``None`` where not one does."""
    frame = frame_of(page, main_only=False, scope=scope)
    try:
        found = write(page, output, ranked, frame)
    except BudgetImpossible:
        if output.budget is None or output.budget < MIN_BUDGET:
            raise
        return None
    kept = found.folded.keep
    return found.text if not kept or any(kept[unit] for unit in scope) else None


def _text_alone(
    page: Judged, runs: tuple[int, int], offset: int, budget: int | None, name: str
) -> str:
    """Text of the first run from ``offset`` on without its markup, and markers for what does not fit."""
    doc, (first, last) = page.doc, runs
    text = doc.run_text[first][offset:]
    after = _rest(doc, first + 1, last) if first < last else None
    html = name == "html"
    shell = Shell(page.snapshot_id, "", "", "")

    def whole(cut: int) -> str:
        markers = [after] if after else []
        if cut < len(text):
            ref = part_ref(doc, first, offset + cut)
            markers.insert(0, Marker(0, 0, ref, len(text) - cut, 1))
        if html:
            body = "".join(map(marker_html, markers))
            guard = leading_newline_guard("pre", text)
            words = f"{TEXT_ALONE}{guard}{escape_text(text[:cut])}</pre>" if cut else ""
            return f"{shell.opening()}{words}{body}{shell.closing()}"
        lines = [marker_line(marker, markdown=name == "markdown") for marker in markers]
        return "\n".join([*([_as_text(text[:cut], name)] if cut else []), *lines])

    if budget is None or len(whole(len(text))) <= budget:
        return whole(len(text))
    sizes = [0, *accumulate(_size_of(char, name) for char in text[:budget])]
    room = max(budget - len(whole(0)) - 2 * len(TEXT_ALONE), 1)
    most = max(size for size in range(len(sizes)) if sizes[size] <= room)
    return whole(max(cut_within(text, 0, most), 1))


def _as_text(text: str, name: str) -> str:
    """Text without markup: in Markdown nothing in it may be read as markup either."""
    if name == "markdown":
        lines = text.split("\n")
        text = "\n".join(
            escape_line_start(escape_inline(line, in_link=True, in_cell=False)) for line in lines
        )
    return defused(text)


def _size_of(char: str, name: str) -> int:
    """Most characters that one of the text may take."""
    if name == "html":
        return len(escape_text(char))
    if name == "text":
        return 1
    return 2 if char == "\n" else len(escape_inline(char, in_link=True, in_cell=False))


def _rest(doc: Doc, first: int, last: int) -> Marker:
    chars = sum(map(len, doc.run_text[first : last + 1]))
    return Marker(0, 0, ref_of(doc, first, last), chars, last - first + 1)
