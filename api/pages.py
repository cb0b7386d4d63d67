"""``POST /v1/pages``: a full request in, the page with its map as JSON out."""

from __future__ import annotations

from fastapi import APIRouter, Request
from starlette.responses import Response

from api.disconnect import while_connected
from api.errors import problem_responses
from api.pages_json import page_bytes
from api.read import PAGE_ERRORS
from api.state import ExtractorOf
from extractor.request import PageRequest

router = APIRouter(prefix="/v1/pages", tags=["pages"])
