"""How far a very large page is read, where nobody can ask for the rest of it later."""

from __future__ import annotations

from dataclasses import dataclass

from extractor.filters import OURS
from extractor.pipeline import DEFAULT_BUDGETS
from extractor.request import PageRequest
from extractor.request_shape import Variant
from extractor.settings import ExtractorSettings

#: Formats that are bounded documents; the others are about the whole page.
_BOUNDED = frozenset({"html", "markdown", "text"})
_BESIDE = frozenset({"metadata"})
#: Characters that are read for each of the budget: what is read is judged anew, and not all of it is main.
_SPARE = 1.25


@dataclass(frozen=True, slots=True)
class Reach:
    """A document with more than ``elements`` is read up to ``chars`` of text, what fits ``query`` first."""

    elements: int
    chars: int
    query: str = ""


def reach_of(request: PageRequest, settings: ExtractorSettings) -> Reach | None:
    """How far to read; ``None`` where all of the page is wanted, whatever its size.

    It is wanted where refs are to be unfolded, where there is no budget, and where selectors, other filters
    or other formats than documents look at all of it.
    """
    if settings.budget_first_elements is None or request.unfold or not _is_bounded(request):
        return None
    wanted = [(name, request.budget) for name in request.format if name in _BOUNDED]
    wanted += [(variant.format, variant.budget) for variant in request.variants]
    budgets = [DEFAULT_BUDGETS[name] if budget is None else budget for name, budget in wanted]
    queries = {request.query or "", *(variant.query or "" for variant in request.variants)}
    return Reach(
        settings.budget_first_elements,
        int(max(budgets) * _SPARE),
        " ".join(sorted(queries)).strip(),
    )


def _is_bounded(request: PageRequest) -> bool:
    formats = set(request.format)
    return (
        bool(formats & _BOUNDED)
        and formats <= _BOUNDED | _BESIDE
        and request.filter == OURS
        and request.fold == "value"
        and not (request.include or request.exclude or request.expand or request.scroll)
        and not (request.include_hidden or request.provenance)
        and all(map(_is_bounded_variant, request.variants))
    )


def _is_bounded_variant(variant: Variant) -> bool:
    return variant.format in _BOUNDED and variant.filter == OURS
