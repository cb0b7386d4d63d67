"""What a page's row says of it, from what the extractor found."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from functools import cache
from importlib.metadata import entry_points, version
from typing import cast

from batch.plan import Content
from batch.rows import (
    FilterUsed,
    Hashes,
    Json,
    Row,
    RowFold,
    RowRegion,
    RowWarning,
    Sizes,
)
from extractor.answers import Answer
from extractor.filters import GROUP
from extractor.judged import Options
from extractor.page import Page
from extractor.settings import ExtractorSettings

#: Markdown first: what it leaves out is what ``folds`` lists.
FORMATS = ("markdown", "html", "text", "metadata")


def options_of(content: Content, settings: ExtractorSettings) -> Options:
    """How the pipeline is to filter a page of this plan."""
    return Options(
        format=FORMATS,
        budget=content.budget,
        query=content.query,
        # Its own default is what is wanted: the main content in Markdown, all of the page elsewhere.
        main_only=None if content.main_only else False,
        filter=content.filter,
        unfold=False,
        sr_only_chars=settings.sr_only_chars,
    )


def filled(row: Row, page: Page, answer: Answer | None) -> Row:
    """The row with the page in it."""
    text = {name: page.content.get(name, "") for name in ("html", "text", "markdown")}
    return replace(
        row,
        final_url=page.final_url,
        content_type=page.content_type,
        charset=page.charset,
        title=page.title,
        lang=page.lang,
        html=text["html"],
        text=text["text"],
        markdown=text["markdown"],
        metadata=cast("Json", page.metadata),
        regions=tuple(
            RowRegion(r.role, r.ref, r.chars, r.path, r.confidence) for r in page.regions
        ),
        folds=tuple(RowFold(f.ref, f.items, f.chars, f.what, f.region, f.rule) for f in page.folds),
        # That refs lead nowhere holds for every row, and is said once: in the reference.
        warnings=tuple(
            RowWarning(w.code, w.text, w.count) for w in page.warnings if w.code != "not_kept"
        ),
        complete=page.complete,
        incomplete_reason=page.incomplete_reason,
        sizes=_sizes(page, text, answer),
        hashes=Hashes(
            body_sha256=hashlib.sha256(answer.body).hexdigest() if answer else "",
            html_sha256=_sha256(text["html"]),
            text_sha256=_sha256(text["text"]),
            markdown_sha256=_sha256(text["markdown"]),
        ),
    )


def _sizes(page: Page, text: dict[str, str], answer: Answer | None) -> Sizes:
    stats = page.stats
    return Sizes(
        body_bytes=len(answer.body) if answer else 0,
        raw_chars=stats.raw_chars,
        visible_chars=stats.visible_chars,
        kept_chars=stats.kept_chars,
        hidden_chars=stats.hidden_chars,
        html_chars=len(text["html"]),
        text_chars=len(text["text"]),
        markdown_chars=len(text["markdown"]),
        nodes=stats.nodes,
    )


@cache
def filter_used(name: str) -> FilterUsed:
    """A filter with the version of the package that brings it."""
    for entry in entry_points(group=GROUP):
        if entry.name == name and entry.dist is not None:
            return FilterUsed(name, entry.dist.version)
    return FilterUsed(name, version("readability-lxml" if name == "readability" else "pagefold"))


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()
