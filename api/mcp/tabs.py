"""Tabs: looking at them, acting on them, running scripts in them."""

from __future__ import annotations

import base64
from functools import cache
from typing import Any

from mcp_types import ImageContent
from pydantic import TypeAdapter

from api.client.answers import Outcome as OutcomeAnswer
from api.client.answers import Scan as ScanAnswer
from api.client.options import ActOptions
from api.mcp.arguments import ActIn, ExecuteIn, TabsIn
from api.mcp.ranges import lines_within
from api.mcp.visit import Visit
from extractor.tabs import Changes, Control, Outcome, Scan, Tab, picture_type, text_of

_TAB = "t_"
#: Of a result: what the page may take; the list of its controls gets the rest.
_PAGE_SHARE = 0.7
_MOST_CONTROLS = 150
#: For the line above a scan.
_HEAD_CHARS = 120
#: For what is said beside the value of a script.
_BESIDE_CHARS = 2_000
_VALUE_CHARS = 8_000
_LEAST_VALUE_CHARS = 500


def is_tab(page: str) -> bool:
    """Whether an id is that of a tab; the others are those of stored pages."""
    return page.startswith(_TAB)


async def scanned(
    visit: Visit, tab: str, budget: int | None, query: str | None, *, changes_only: bool = False
) -> str:
    """A tab as it stands: a line with its ids, its controls with refs, and the page or what changed."""
    options = visit.filtering(budget, query)
    options["budget"] = min(options["budget"], int(visit.most_chars * _PAGE_SHARE))
    answer = await visit.api.scan(
        tab,
        format="markdown",
        changes_only=changes_only,
        max_controls=_MOST_CONTROLS,
        **options,
    )
    page = answer["page"]
    known = f" | page {page['snapshot']['id']}" if page is not None else ""
    content = f"\n\n{page['content']['markdown']}" if page is not None else ""
    room = visit.most_chars - len(content) - _HEAD_CHARS
    return f"[tab {tab}{known}]\n{text_of(_scan(answer), room)}{content}"


async def web_act(visit: Visit, given: ActIn) -> str:
    """One action on something of the last scan, and what it changed."""
    options: ActOptions = {
        "action": given.action,
        "dialogs": "accept" if given.accept_dialogs else "dismiss",
    }
    if given.ref is not None:
        options["ref"] = given.ref
    if given.text is not None:
        options.update(_worded(given.action, given.text))
    elif given.action == "scroll":
        options["to"] = "view" if given.ref is not None else "down"
    return _told(visit, await visit.api.act(given.tab, **options))


async def web_execute_js(visit: Visit, given: ExecuteIn) -> str:
    """What a script gives, and what it changed."""
    most = max(_LEAST_VALUE_CHARS, min(_VALUE_CHARS, visit.most_chars - _BESIDE_CHARS))
    done = await visit.api.execute(
        given.tab,
        script=given.script,
        save_to_file=given.save_value,
        max_chars=most,
    )
    saved = f"Kept: unfold ref={done['saved']} page={given.tab}\n" if done["saved"] else ""
    return saved + _told(visit, done, len(saved))


async def web_tabs(visit: Visit, given: TabsIn) -> str | ImageContent:
    """The tabs that are open; or close one, or see it as a picture."""
    if given.tab is None:
        tabs = await visit.api.tabs()
        lines = [f"{tab['id']} {tab['title'][:100]} <{tab['url'][:200]}>" for tab in tabs]
        return lines_within(lines, visit.most_chars) or "No tab is open."
    if given.action == "close":
        await visit.api.close_tab(given.tab)
        return "Closed."
    picture = await visit.api.screenshot(given.tab, max_bytes=visit.most_picture_bytes)
    data = base64.b64encode(picture).decode()
    return ImageContent(data=data, mime_type=picture_type(picture))


def _worded(action: str, text: str) -> Any:
    """The field of a step that its one text is."""
    if action == "select":
        return {"values": [text]}
    return {{"type": "text", "press": "key", "scroll": "to"}[action]: text}


def _told(visit: Visit, done: OutcomeAnswer, taken: int = 0) -> str:
    return text_of(_reader(Outcome).validate_python(done), visit.most_chars - taken)


def _scan(answer: ScanAnswer) -> Scan:
    """The scan without its page."""
    changes = answer["changes"]
    return Scan(
        tab=_reader(Tab).validate_python(answer["tab"]),
        page=None,
        controls=tuple(map(_reader(Control).validate_python, answer["controls"])),
        more_controls=answer["more_controls"],
        changes=None if changes is None else _reader(Changes).validate_python(changes),
    )


@cache
def _reader(kind: type[Any]) -> TypeAdapter[Any]:
    return TypeAdapter(kind)
