"""What can be done without a network: filter markup in hand or a capture, and unfold parts of it."""

from __future__ import annotations

from typing import Literal

from extractor.judged import Markup
from extractor.page import Page
from extractor.pipeline import Options, filtered, judged_once
from extractor.snapshot import Snapshot
from extractor.static import StaticOptions, snapshot_from_bytes
from extractor.static.answer import DEFAULT_OPTIONS
from extractor.unfold import unfold_judged
from extractor.visibility import SR_ONLY_CHARS

Collapsed = Literal["keep", "drop"]
Fold = Literal["value", "head_tail"]


def filter_snapshot(
    snapshot: Snapshot,
    *,
    budget: int | None = None,
    format: str | tuple[str, ...] = "html",
    query: str | None = None,
    main_only: bool | None = None,
    include: tuple[str, ...] = (),
    exclude: tuple[str, ...] = (),
    collapsed: Collapsed = "keep",
    filter: str = "pagefold",
    fold: Literal["value", "head_tail"] = "value",
    explain: bool = False,
    provenance: bool = False,
    include_hidden: bool = False,
    sr_only_chars: int = SR_ONLY_CHARS,
    markup: Markup = "auto",
) -> Page:
    """Filter a capture again; nothing is fetched. Pure and synchronous.

    Args:
        budget: most code points of each output; ``None`` for the format's default, 0 for no limit.
        format: one or several of ``html``, ``text``, ``markdown``, ``outline``, ``links``, ``metadata``.
        filter: ``pagefold``, ``visible``, ``raw``, ``readability`` or one that is installed.
        fold: what stays under the budget: the most valuable, or head and tail.
        explain, provenance: whether regions say why, and stretches of the output where they stand.
        include_hidden: whether hidden text stays, labelled.
        sr_only_chars: characters of one label for screen readers; more is hidden text.
        markup: how much of it HTML and Markdown have; ``auto``: as much as fits beside the text.

    Raises:
        BudgetImpossible: the budget is under 500.
        InvalidRequest: there is no such filter.
        InvalidSelector: ``include`` or ``exclude`` holds no CSS selector.
    """
    formats = (format,) if isinstance(format, str) else format
    wanted = formats, budget, query, main_only, include, exclude, collapsed, filter, fold
    options = Options(
        *wanted,
        explain=explain,
        provenance=provenance,
        include_hidden=include_hidden,
        sr_only_chars=sr_only_chars,
        markup=markup,
    )
    return filtered(snapshot, options)


def filter_html(
    html: str | bytes,
    *,
    url: str | None = None,
    budget: int | None = 35_000,
    format: str | tuple[str, ...] = "html",
    query: str | None = None,
    main_only: bool | None = None,
    fold: Fold = "value",
    markup: Markup = "auto",
) -> Page:
    """Filter markup in hand, without a browser. Pure and synchronous.

    Raises:
        EmptyPage: there is nothing to read.
        BudgetImpossible: the budget is under 500.
    """
    snapshot = snapshot_of_html(html, url or "about:blank")
    return filter_snapshot(
        snapshot,
        budget=budget,
        format=format,
        query=query,
        main_only=main_only,
        fold=fold,
        markup=markup,
    )


def unfold(
    snapshot: Snapshot,
    ref: str,
    *,
    budget: int | None = None,
    format: str = "html",
    sr_only_chars: int = SR_ONLY_CHARS,
) -> str:
    """The part behind a ref, whole or folded again under a budget of its own.

    Raises:
        NotFound: the ref names nothing in this snapshot.
        BudgetImpossible: the budget is under 500.
    """
    page = judged_once(snapshot, sr_only_chars=sr_only_chars)
    return unfold_judged(page, ref, budget, format)


def snapshot_of_html(
    html: str | bytes, url: str, options: StaticOptions = DEFAULT_OPTIONS
) -> Snapshot:
    """The snapshot of markup in hand.

    Raises:
        EmptyPage: there is nothing to read.
    """
    if isinstance(html, str):
        body, content_type = html.encode("utf-8", "replace"), "text/html; charset=utf-8"
    else:
        body, content_type = html, "text/html"
    return snapshot_from_bytes(
        body, url=url, content_type=content_type, render="given", options=options
    )
