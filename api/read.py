"""``GET /read``: a URL in, the page as Markdown out."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Header, Query, Request
from starlette.responses import Response

from api.disconnect import while_connected
from api.errors import problem_responses
from api.media import MEDIA_TYPES, chosen_format, content_format, page_response
from api.models import ReadQuery
from api.state import ExtractorOf
from extractor.request import PageRequest

#: What can go wrong between a URL and its page.
PAGE_ERRORS = (
    "invalid_request",
    "invalid_url",
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

_EXAMPLE = "# The harbour ledger\n\nFor a hundred and twelve years …\n"

router = APIRouter(tags=["pages"])


@router.get(
    "/read",
    summary="Read a page",
    response_class=Response,
    responses={
        200: {
            "description": "The page; `X-Pagefold-Snapshot` names the stored capture.",
            "content": {
                media.partition(";")[0]: {"example": _EXAMPLE if name == "markdown" else "…"}
                for name, media in MEDIA_TYPES.items()
            },
        },
        **problem_responses(*PAGE_ERRORS),
    },
)
async def read(
    request: Request,
    params: Annotated[ReadQuery, Query()],
    extractor: ExtractorOf,
    accept: Annotated[str | None, Header()] = None,
) -> Response:
    """The page at `url` as Markdown, or in the form that `format` or `Accept` picks."""
    wanted = chosen_format(params.format, accept)
    form = content_format(wanted)
    page = await while_connected(
        request.receive,
        extractor.extract(
            PageRequest(
                url=params.url,
                format=(form,),
                budget=params.budget,
                query=params.query,
                render=params.render,
                main_only=params.main_only,
            )
        ),
    )
    return page_response(page, wanted)
