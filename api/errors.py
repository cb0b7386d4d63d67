"""The only place that knows HTTP statuses: a failure becomes a problem document (RFC 9457)."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from typing import Any

import structlog
from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from pydantic import BaseModel, Field
from pydantic import ValidationError as PydanticValidationError
from starlette.exceptions import HTTPException
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from api.near import near_names
from api.route import route_of
from extractor.errors import ExtractorError

MEDIA_TYPE = "application/problem+json"
#: Where an ASGI scope holds the code of the problem that was answered.
CODE_IN_SCOPE = "pagefold.code"

#: code → (status, title). Codes of every package stand here once.
CATALOGUE: Mapping[str, tuple[int, str]] = {
    "invalid_request": (422, "The request cannot be used"),
    "invalid_url": (422, "The URL cannot be used"),
    "not_actionable": (422, "The element cannot be acted on"),
    "script_failed": (422, "The script failed"),
    "stale_ref": (409, "The ref is stale"),
    "invalid_selector": (422, "The CSS selector cannot be used"),
    "budget_impossible": (422, "The budget is too small"),
    "mandatory_does_not_fit": (422, "What must stay does not fit the budget"),
    "blocked_address": (403, "The address is not allowed"),
    "dns": (502, "The host name could not be resolved"),
    "connect": (502, "The host could not be reached"),
    "tls": (502, "The secure connection failed"),
    "http_protocol": (502, "The host did not answer in valid HTTP"),
    "deadline": (504, "Nothing usable by the deadline"),
    "too_large": (502, "The page is too large"),
    "lookups_exhausted": (502, "The model does not stop looking things up"),
    "unreadable_answer": (502, "The provider's answer cannot be read"),
    "too_many_redirects": (502, "Too many redirects"),
    "too_many_navigations": (502, "Too many navigations"),
    "unsupported_media": (502, "The answer is not a page"),
    "download": (502, "The address starts a download"),
    "empty": (502, "The page is empty"),
    "page_crashed": (502, "The page crashed"),
    "browser_crashed": (502, "The browser crashed"),
    "page_unresponsive": (504, "The page does not respond"),
    "browser_missing": (503, "No browser is installed"),
    "worker_lost": (503, "The process that read the page was lost"),
    "busy": (429, "All places are taken"),
    "rate_limited": (429, "Too many requests"),
    "draining": (503, "The service is stopping"),
    "unhealthy": (503, "The service is not ready"),
    "unauthorized": (401, "A valid key is needed"),
    "forbidden": (403, "The key does not allow this"),
    "foreign_origin": (403, "A page of another origin asks"),
    "foreign_host": (421, "The service has another name"),
    "not_found": (404, "There is no such thing"),
    "version_mismatch": (412, "The session has moved on"),
    "conflict": (409, "The same request is still running"),
    "method_not_allowed": (405, "The path does not take this method"),
    "body_too_large": (413, "The request body is too large"),
    "request_timeout": (408, "The request body came too slowly"),
    "malformed_http": (400, "The request is not valid HTTP"),
    "headers_too_large": (431, "The request's headers are too large"),
    "client_closed": (499, "The client went away"),
    "artifact_corrupt": (500, "A stored copy is damaged"),
    "log_corrupt": (500, "A session's log is damaged"),
    "prefix_broken": (500, "A request is not the start of the next"),
    "layout_too_new": (500, "A newer version has written the database"),
    "storage_full": (507, "The disk is full"),
    "internal": (500, "Something failed on our side"),
}

_RETRY_AFTER_S = 1.0
_SOURCES = frozenset({"body", "query", "path", "header"})
#: What pydantic puts into the path of a value that may be of several types; no field is named like this.
_TYPE_NAME = re.compile(r"(bool|int|float|str|none|[A-Z]\w*)$|(literal|list|tuple|dict|function-)")
_log = structlog.get_logger("pagefold.errors")


class Problem(BaseModel):
    """The body of every answer that is not a success."""

    type: str = Field(examples=["urn:pagefold:error:blocked_address"])
    title: str = Field(examples=["The address is not allowed"])
    status: int = Field(examples=[403])
    detail: str = Field(examples=["This address is not allowed by the egress policy."])
    code: str = Field(examples=["blocked_address"])
    phase: str = Field(examples=["resolve"])
    retryable: bool = Field(examples=[False])
    field: str | None = Field(None, examples=["url"])


class ProblemResponse(Response):
    """An answer that leaves its code in the scope, for those who count."""

    media_type = MEDIA_TYPE
    code = "internal"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        scope[CODE_IN_SCOPE] = self.code
        await super().__call__(scope, receive, send)


def problem(
    code: str,
    detail: str,
    *,
    phase: str = "request",
    retryable: bool = False,
    field: str | None = None,
    retry_after_s: float | None = None,
) -> ProblemResponse:
    """One problem document; an unknown ``code`` answers as 500 and keeps its name.

    ``Retry-After`` (whole seconds, at least 1) stands on every 429 and 503.
    """
    status, title = CATALOGUE.get(code, CATALOGUE["internal"])
    body = Problem(
        type=f"urn:pagefold:error:{code}",
        title=title,
        status=status,
        detail=_encodable(detail),
        code=code,
        phase=phase,
        retryable=retryable,
        field=None if field is None else _encodable(field),
    )
    headers = {}
    if status in (429, 503):
        headers["Retry-After"] = str(max(1, math.ceil(retry_after_s or _RETRY_AFTER_S)))
    answer = ProblemResponse(body.model_dump_json(exclude_none=True), status, headers)
    answer.code = code
    return answer


def _encodable(text: str) -> str:
    """Without halves of surrogate pairs, which a caller's own field name may hold."""
    return text.encode("utf-8", "replace").decode("utf-8")


def body_too_large(detail: str) -> Response:
    """413; the connection is closed, because what is left of the body is never read."""
    return _closing(problem("body_too_large", detail))


def _closing(answer: Response) -> Response:
    answer.headers["Connection"] = "close"
    return answer


def problem_responses(*codes: str) -> dict[int | str, dict[str, Any]]:
    """The OpenAPI ``responses`` of a route that may fail with ``codes``, one example each."""
    grouped: dict[int | str, dict[str, Any]] = {}
    # A body that may be too large may be too slow.
    for code in (*codes, *(["request_timeout"] if "body_too_large" in codes else [])):
        status, title = CATALOGUE[code]
        entry = grouped.setdefault(
            status, {"description": "", "content": {MEDIA_TYPE: {"examples": {}}}}
        )
        entry["description"] = "; ".join(filter(None, (entry["description"], f"`{code}`")))
        media = entry["content"][MEDIA_TYPE]
        media["schema"] = {"$ref": "#/components/schemas/Problem"}
        media["examples"][code] = {"value": json.loads(bytes(problem(code, f"{title}.").body))}
    return grouped


def install(app: FastAPI) -> None:
    """Answer every known failure of ``app`` with a problem document."""
    app.add_exception_handler(ExtractorError, _typed)
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_exception_handler(HTTPException, _http)
    try:
        from compactor.errors import CompactorError
    except ImportError:  # the compactor is a package of its own and may be left out
        return
    app.add_exception_handler(CompactorError, _typed)


def explain_validation(error: RequestValidationError | PydanticValidationError) -> tuple[str, str]:
    """(field, sentence) for the first finding of a validation error."""
    finding, field = _first_finding(error)
    if finding["type"] == "extra_forbidden":
        return field, f"Unknown field {field!r}. The OpenAPI document lists the valid ones."
    if finding["type"] == "missing":
        return (
            field,
            f"The field {field!r} is missing." if field else "The request body is missing.",
        )
    if finding["type"] == "json_invalid":
        return "", "The request body is not valid JSON."
    if not field and finding["type"] in {"model_attributes_type", "dict_type", "model_type"}:
        return (
            "",
            "The request body must be a JSON object, sent with Content-Type: application/json.",
        )
    message = finding["msg"].removeprefix("Value error, ")
    return field, f"{field}: {message}." if field else f"{message}."


def _first_finding(
    error: RequestValidationError | PydanticValidationError,
) -> tuple[Mapping[str, Any], str]:
    """The first finding and its field; of several about a value of several types the deepest."""
    found = []
    for each in error.errors():
        path = [str(part) for part in each["loc"]]
        # A model of ours may have a field of such a name; a request's path begins with where it stood.
        sourced = isinstance(error, RequestValidationError) and path and path[0] in _SOURCES
        found.append((each, path[1:] if sourced else path))
    same = [(each, path) for each, path in found if path[:1] == found[0][1][:1]]
    if len(same) > 1:
        same = [(each, [p for p in path if not _TYPE_NAME.match(p)]) for each, path in same]
    finding, path = max(same, key=lambda item: len(item[1]))
    return finding, ".".join(path)


async def _typed(request: Request, error: Exception) -> Response:
    code = str(getattr(error, "code", "internal"))
    _log.info(
        "request_failed",
        code=code,
        route=route_of(request.scope),
        detail=str(getattr(error, "detail", "")),
    )
    return problem_of(error)


def problem_of(error: Exception) -> ProblemResponse:
    """The problem document of an error of ours."""
    return problem(
        str(getattr(error, "code", "internal")),
        str(getattr(error, "message", "") or error),
        phase=str(getattr(error, "phase", "request")),
        retryable=bool(getattr(error, "retryable", False)),
        field=getattr(error, "field", None),
        retry_after_s=getattr(error, "retry_after_s", None),
    )


async def _invalid(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)
    field, detail = explain_validation(error)
    if near := near_names(error, request.scope.get("route")):
        detail = f"Unknown field {field!r}. Did you mean {' or '.join(map(repr, near))}?"
    elif detail.startswith("Unknown field") and request.url.path == "/read":
        detail += " If it is a part of the page's own address, write the & before it as %26."
    return problem("invalid_request", detail, field=field or None)


async def _http(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    if error.status_code == 404:
        return problem("not_found", "There is nothing at this path; /openapi.json lists all calls.")
    if error.status_code == 405:
        answer = problem("method_not_allowed", "The path takes only the methods in `Allow`.")
        answer.headers.update(error.headers or {})
        return answer
    if error.status_code == 413:
        return body_too_large(str(error.detail))
    if error.status_code == 408:
        return _closing(problem("request_timeout", str(error.detail)))
    if error.status_code == 429:
        return problem("busy", str(error.detail), retryable=True)
    if error.status_code < 500:
        return problem("invalid_request", str(error.detail))
    return problem("internal", "The request failed for a reason that is ours, not yours.")
