"""``POST /v1/pages``: a full request in, the page with its map as JSON out."""

from __future__ import annotations

from collections.abc import Awaitable
from typing import Annotated

from fastapi import APIRouter, Body, Header
from fastapi.openapi.models import Example
from starlette.responses import Response

from api.callers import CallerOf
from api.errors import problem_responses
from api.events import MEDIA_TYPE, Streaming, event_response, wants_events
from api.page_request import extract_for
from api.pages_json import page_bytes
from api.read import PAGE_ERRORS
from api.state import ExtractorOf, RunningOf
from extractor.page import Page
from extractor.request import PageRequest
from extractor.stages import Listener

_EVENTS = (
    "Events `stage` (`stage`, `elapsed_ms`, `deadline_ms`), then one `page` (as in JSON) or `problem` "
    "(a problem document). A stream that ends without either was cut off: send the request again."
)
_EXAMPLES: dict[str, Example] = {
    "url": {"summary": "A page by its address", "value": {"url": "https://example.org/"}},
    "query": {
        "summary": "Steered by a question, in two formats",
        "value": {
            "url": "https://example.org/ledger",
            "format": ["html", "markdown"],
            "budget": 8000,
            "query": "harbour dues in 1871",
        },
    },
    "variants": {
        "summary": "One load under several budgets and filters, with a screenshot",
        "value": {
            "url": "https://example.org/",
            "format": ["markdown", "screenshot"],
            "variants": [{"format": "text", "budget": 2000}, {"filter": "readability"}],
        },
    },
    "everything": {
        "summary": "A long list behind a click, with what was done and why",
        "value": {
            "url": "https://example.org/log",
            "scroll": {"steps": 30},
            "expand": True,
            "wait": {"selector": "#results li"},
            "explain": True,
            "provenance": True,
        },
    },
    "html": {
        "summary": "Markup in hand",
        "value": {"html": "<p>Low water at <a href='/tides'>four</a></p>", "format": ["text"]},
    },
}

router = APIRouter(prefix="/v1/pages", tags=["pages"])


@router.post(
    "",
    summary="Capture and filter a page",
    response_class=Response,
    responses={
        200: {
            "description": "The page with regions, folds, ledger, links and sizes.",
            "content": {
                "application/json": {"schema": {"$ref": "#/components/schemas/Page"}},
                MEDIA_TYPE: {"schema": {"type": "string", "description": _EVENTS}},
            },
        },
        **problem_responses("body_too_large", *PAGE_ERRORS),
    },
)
async def create_page(
    wanted: Annotated[PageRequest, Body(openapi_examples=_EXAMPLES)],
    extractor: ExtractorOf,
    caller: CallerOf,
    running: RunningOf,
    accept: Annotated[str | None, Header()] = None,
) -> Response:
    """The page that `wanted` describes; the snapshot stands in it as its id.

    With `Accept: text/event-stream` the stages come as events, and the page or the problem as the last.
    """
    settings, metrics = running.settings, running.metrics

    def read(also: Listener | None = None) -> Awaitable[Page]:
        return extract_for(caller, extractor, wanted, metrics=metrics, also=also)

    if wants_events(accept):
        deadline_s = min(wanted.deadline_s or settings.deadline_s, settings.deadline_s)
        return event_response(
            Streaming(read, deadline_s, settings.events_quiet_s, running.drain, metrics)
        )
    page = await read()
    return Response(page_bytes(page), media_type="application/json")
