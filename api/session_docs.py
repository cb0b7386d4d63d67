"""What the OpenAPI document says about failures of the session routes."""

from __future__ import annotations

from api.errors import problem_responses
from api.read import PAGE_ERRORS

_BUDGET = ("budget_impossible", "mandatory_does_not_fit")
_WRITE = ("not_found", "version_mismatch", "body_too_large")

OPENING = problem_responses("invalid_request", "budget_impossible", "body_too_large", "internal")
READING = problem_responses("invalid_request", "not_found", "internal")
EXPANDING = problem_responses("invalid_request", "not_found", "artifact_corrupt", "internal")
NOTING = problem_responses("invalid_request", *_WRITE, "internal")
SENDING = problem_responses("invalid_request", *_BUDGET, "not_found", "internal")
APPENDING = problem_responses("invalid_request", *_BUDGET, *_WRITE, "conflict", "internal")
PAGING = problem_responses(
    *dict.fromkeys(("invalid_request", *_BUDGET, *_WRITE, "conflict", *PAGE_ERRORS))
)
COMPACTING = problem_responses("invalid_request", *_BUDGET, "body_too_large", "internal")
CHECKING = problem_responses("invalid_request", "body_too_large", "internal")
