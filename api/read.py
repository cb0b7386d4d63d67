"""``GET /read``: a URL in, the page as Markdown out."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Header, Query
from starlette.responses import Response

from api.callers import CallerOf
from api.errors import problem_responses
from api.media import chosen_format, content_format, page_contents, page_response
from api.models import ReadQuery
from api.page_request import extract_for, page_request
from api.state import ExtractorOf, MetricsOf

#: What can go wrong between a URL and its page.
PAGE_ERRORS = (
    "invalid_request",
    "invalid_url",
    "invalid_selector",
    "budget_impossible",
    "blocked_address",
    "dns",
    "connect",
    "tls",
    "http_protocol",
    "deadline",
    "too_large",
    "too_many_redirects",
    "too_many_navigations",
    "unsupported_media",
    "download",
    "empty",
    "page_crashed",
    "browser_crashed",
    "page_unresponsive",
    "browser_missing",
    "busy",
    "draining",
    "internal",
)

router = APIRouter(tags=["pages"])


@router.get(
    "/read",
    summary="Read a page",
    response_class=Response,
    responses={
        200: {
            "description": "The page; `X-Pagefold-Snapshot` names the stored capture.",
            "content": page_contents(),
        },
        **problem_responses(*PAGE_ERRORS),
    },
)
async def read(
    params: Annotated[ReadQuery, Query()],
    extractor: ExtractorOf,
    caller: CallerOf,
    metrics: MetricsOf,
    accept: Annotated[str | None, Header()] = None,
) -> Response:
    """The page at `url` as Markdown, or in the form that `format` or `Accept` picks."""
    form = chosen_format(params.format, accept)
    fields = params.model_dump(exclude_unset=True, exclude={"format"})
    wanted = page_request({"main_only": True, **fields, "format": [content_format(form)]})
    page = await extract_for(caller, extractor, wanted, metrics=metrics)
    return page_response(page, form)
