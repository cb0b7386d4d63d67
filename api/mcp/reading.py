"""Pages: opening one, seeing it again, and unfolding parts of it."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress

import anyio

from api.client import Page, PagefoldError
from api.mcp.arguments import OpenIn, ScanIn, UnfoldIn
from api.mcp.failures import Refused
from api.mcp.ranges import lines_within, shown_range, text_range
from api.mcp.tabs import is_tab, scanned
from api.mcp.visit import Visit

_TITLE_CHARS, _URL_CHARS = 120, 200


async def web_open(visit: Visit, given: OpenIn) -> str:
    """The page at a URL, under a line with its id; kept as a tab when asked."""
    if given.as_tab:
        return await _kept_open(visit, given)
    options = visit.filtering(given.budget, given.query)
    page = await visit.api.page(url=given.url, format=["markdown"], **options)
    return f"{_head(page)}\n{page['content']['markdown']}"


async def _kept_open(visit: Visit, given: OpenIn) -> str:
    tab = (await visit.api.open_tab(url=given.url))["id"]
    try:
        return await scanned(visit, tab, given.budget, given.query)
    except BaseException:
        # Nobody has heard of its id: it would take a place until it is idle for long enough.
        with anyio.CancelScope(shield=True), suppress(PagefoldError):
            await visit.api.close_tab(tab)
        raise


async def web_scan(visit: Visit, given: ScanIn) -> str:
    """A page that was opened, under another budget or for another question; a tab as it stands now."""
    if is_tab(given.page):
        changes = given.changes_only
        return await scanned(visit, given.page, given.budget, given.query, changes_only=changes)
    if given.changes_only:
        raise Refused("invalid_request", "Only a tab changes.", field="changes_only")
    options = visit.filtering(given.budget, given.query)
    text = await visit.api.again(given.page, format="markdown", **options)
    return f"[page {given.page}]\n{text}"


async def unfold(visit: Visit, given: UnfoldIn) -> str:
    """What a marker stands for, whoever put it there: a page's fold, or a session's archive."""
    ref = given.ref.removeprefix("ref=")
    if ref.startswith("a:"):
        return await _unarchived(visit, ref, given)
    if given.page is None:
        raise Refused(
            "invalid_request", "Whose part? Pass the page id from the first line.", field="page"
        )
    part = await visit.api.unfold(given.page, ref)
    if given.keyword is not None:
        return _found(enumerate(part.splitlines(), 1), given.keyword, visit.most_chars)
    return text_range(part, given.start, visit.most_chars)


async def _unarchived(visit: Visit, ref: str, given: UnfoldIn) -> str:
    most = visit.most_chars
    if given.page is not None and is_tab(given.page):
        value = await visit.api.value(ref)
        if given.keyword is not None:
            return _found(enumerate(value.splitlines(), 1), given.keyword, most)
        return text_range(value, given.start, most)
    session = visit.session_for(given.page)
    if given.keyword is not None:
        found = await visit.api.grep(session, ref, given.keyword)
        lines = [(line["line"], line["text"]) for line in found]
        return _found(lines, given.keyword, most)
    part = await visit.api.expand(session, ref, start=given.start, count=most)
    return shown_range(part["text"], given.start, part["total"], most)


def _found(lines: Iterable[tuple[int, str]], keyword: str, most: int) -> str:
    wanted = keyword.casefold()
    shown = [f"{number}: {text}" for number, text in lines if wanted in text.casefold()]
    return lines_within(shown, most) or f"No line holds {keyword!r}."


def _head(page: Page) -> str:
    title, url = page["title"][:_TITLE_CHARS], page["final_url"][:_URL_CHARS]
    about = f"page {page['snapshot']['id']} | {page['status']} | {title} | {url}"
    why = "" if page["complete"] else f" | incomplete: {page['incomplete_reason']}"
    return f"[{' '.join(about.split())}{why}]"
