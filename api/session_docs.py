"""What the OpenAPI document says about answers and failures of the session routes."""

from __future__ import annotations

from typing import Any

from api.errors import problem_responses
from api.read import PAGE_ERRORS
from api.session_examples import ANSWERS

_BUDGET = ("budget_impossible", "mandatory_does_not_fit")
_WRITE = ("not_found", "version_mismatch", "body_too_large")

OPENING = problem_responses("invalid_request", "budget_impossible", "body_too_large", "internal")
LISTING = problem_responses("invalid_request", "internal")
READING = problem_responses("invalid_request", "not_found", "internal")
EXPANDING = problem_responses("invalid_request", "not_found", "artifact_corrupt", "internal")
PLANNING = problem_responses("invalid_request", "not_found", "body_too_large", "internal")
NOTING = problem_responses("invalid_request", *_WRITE, "internal")
SENDING = problem_responses("invalid_request", *_BUDGET, "not_found", "internal")
APPENDING = problem_responses("invalid_request", *_BUDGET, *_WRITE, "conflict", "busy", "internal")
PAGING = problem_responses(
    *dict.fromkeys(("invalid_request", *_BUDGET, *_WRITE, "conflict", *PAGE_ERRORS))
)
SHORTENING = problem_responses("invalid_request", "not_found", "body_too_large", "internal")
APPLYING = problem_responses("invalid_request", *_WRITE, "internal")
PINNING = problem_responses("invalid_request", *_WRITE, "mandatory_does_not_fit", "internal")
COMPACTING = problem_responses("invalid_request", *_BUDGET, "body_too_large", "internal")
ADVISING = problem_responses("invalid_request", "not_found", "body_too_large", "internal")
ALLOCATING = problem_responses("invalid_request", "body_too_large", "internal")
LOOKING = problem_responses(
    "invalid_request", *_BUDGET, "not_found", "artifact_corrupt", "internal"
)
CHECKING = problem_responses("invalid_request", "body_too_large", "internal")


def answered(route: str, status: int = 200) -> dict[int | str, dict[str, Any]]:
    """The success of a route, with an example."""
    content = {"application/json": {"example": ANSWERS[route]}}
    return {status: {"description": "Done.", "content": content}}
