"""``POST /v1/pages``: a full request in, the page with its map as JSON out."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Body, Request
from fastapi.openapi.models import Example
from starlette.responses import Response

from api.disconnect import while_connected
from api.errors import problem_responses
from api.pages_json import page_bytes
from api.read import PAGE_ERRORS
from api.state import ExtractorOf
from extractor.request import PageRequest

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
    "html": {
        "summary": "Markup in hand",
        "value": {"html": "<p>Low water at <a href='/tides'>four</a></p>", "format": ["text"]},
    },
}

_PAGE_EXAMPLE = {
    "url": "https://example.org/",
    "final_url": "https://example.org/",
    "status": 200,
    "title": "The harbour ledger",
    "content": {"markdown": "# The harbour ledger\n…"},
    "folds": [
        {
            "ref": "f12",
            "items": 42,
            "chars": 18211,
            "what": "list items: Blue kettle, Red kettle, …",
            "region": "list",
            "rule": "budget",
        }
    ],
    "complete": True,
    "snapshot": {"id": "0123456789abcdef0123456789abcdef"},
}

router = APIRouter(prefix="/v1/pages", tags=["pages"])


@router.post(
    "",
    summary="Capture and filter a page",
    response_class=Response,
    responses={
        200: {
            "description": "The page with regions, folds, ledger, links and sizes.",
            "content": {"application/json": {"example": _PAGE_EXAMPLE}},
        },
        **problem_responses("invalid_selector", "body_too_large", *PAGE_ERRORS),
    },
)
async def create_page(
    request: Request,
    wanted: Annotated[PageRequest, Body(openapi_examples=_EXAMPLES)],
    extractor: ExtractorOf,
) -> Response:
    """The page that `wanted` describes; the snapshot stands in it as its id."""
    page = await while_connected(request.receive, extractor.extract(wanted))
    return Response(page_bytes(page), media_type="application/json")
