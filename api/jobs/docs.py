"""What the OpenAPI document says about answers and failures of the routes of jobs."""

from __future__ import annotations

from typing import Any

from fastapi.openapi.models import Example

from api.errors import problem_responses
from api.jobs.shapes import JobOut, JobsOut, ResultsOut

_ID = "4f1c9a52d0b34e67a8c1f0e2d3b4a596"
_COUNTS = {"total": 3, "waiting": 1, "running": 1, "done": 1, "failed": 0, "cancelled": 0}
_WEBHOOK = {
    "url": "https://hooks.example.org/pagefold",
    "every": None,
    "messages": {"waiting": 0, "delivered": 0, "failed": 0},
    "last": None,
}
JOB = {
    "id": _ID,
    "state": "running",
    "created_at": "2026-11-30T12:00:00.000Z",
    "started_at": "2026-11-30T12:00:00.412Z",
    "ended_at": None,
    "pages": _COUNTS,
    "failures": {},
    "progress": 0.3333,
    "eta_s": 4.2,
    "webhook": _WEBHOOK,
}
_CANCELLED = {
    **JOB,
    "state": "cancelled",
    "ended_at": "2026-11-30T12:00:04.000Z",
    "pages": {**_COUNTS, "waiting": 0, "running": 0, "cancelled": 2},
    "progress": 1.0,
    "eta_s": 0.0,
}
_JOBS = {
    "jobs": [
        {
            **{name: JOB[name] for name in ("id", "state", "created_at", "started_at", "ended_at")},
            "pages": {"total": 3, "waiting": 2, "done": 1, "failed": 0, "cancelled": 0},
        }
    ],
    "next": None,
}
_RESULTS = {
    "results": [
        {
            "position": 0,
            "number": 1,
            "url": "https://nowhere.example/",
            "state": "failed",
            "tries": 3,
            "ended_at": "2026-11-30T12:00:02.118Z",
            "problem": {
                "type": "urn:pagefold:error:dns",
                "title": "The host name could not be resolved",
                "status": 502,
                "detail": "The name has no address.",
                "code": "dns",
                "phase": "resolve",
                "retryable": True,
            },
            "page": None,
        }
    ],
    "next": "c1",
    "complete": False,
}
EXAMPLES: dict[str, Example] = {
    "addresses": {
        "summary": "Addresses alone",
        "value": {"pages": ["https://example.org/", "https://example.org/ledger"]},
    },
    "requests": {
        "summary": "Shared options, one page with its own, and a webhook",
        "value": {
            "pages": [
                "https://example.org/",
                {"url": "https://example.org/log", "scroll": {"steps": 30}},
            ],
            "options": {"format": ["markdown"], "render": "auto", "budget": 8000},
            "webhook": {
                "url": "https://hooks.example.org/pagefold",
                "secret": "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
                "every": 100,
            },
        },
    },
}
_EVENTS = (
    "An event `page` for each page that ends: `id` is its `number`, the data are its result without the "
    "page, with `total`. The last event is `end` (id `end`) with the job. Comments come in silence. "
    "A stream that is cut off goes on behind `Last-Event-ID`; behind `end` the answer is 204."
)


def add_examples(schema: dict[str, Any]) -> None:
    """Put examples of answers into the OpenAPI document as they are: FastAPI drops their nulls.

    And say that a page is a page request, each of which is checked on its own.
    """
    pages = schema["components"]["schemas"]["JobIn"]["properties"]["pages"]
    pages["items"] = {"anyOf": [{"type": "string"}, {"$ref": "#/components/schemas/PageRequest"}]}
    for (path, method, status), example in _ANSWERS.items():
        answer = schema["paths"][path][method]["responses"][status]
        answer["content"]["application/json"]["example"] = example


def _answer(model: Any, description: str) -> dict[str, Any]:
    return {"model": model, "description": description}


_ANSWERS = {
    ("/v1/jobs", "post", "201"): JOB,
    ("/v1/jobs", "get", "200"): _JOBS,
    ("/v1/jobs/{job_id}", "get", "200"): JOB,
    ("/v1/jobs/{job_id}", "delete", "200"): _CANCELLED,
    ("/v1/jobs/{job_id}/results", "get", "200"): _RESULTS,
}
Responses = dict[int | str, dict[str, Any]]
CREATING: Responses = {
    201: _answer(JobOut, "The job; `Location` names it."),
    **problem_responses(
        "invalid_request", "invalid_url", "blocked_address", "dns", "busy", "body_too_large",
        "storage_full", "internal",
    ),
}  # fmt: skip
LISTING: Responses = {
    200: _answer(JobsOut, "The tenant's jobs."),
    **problem_responses("invalid_request", "internal"),
}
SHOWING: Responses = {
    200: _answer(JobOut, "The job."),
    **problem_responses("invalid_request", "not_found", "internal"),
}
RESULTS: Responses = {
    200: _answer(ResultsOut, "Results after the cursor."),
    **problem_responses("invalid_request", "not_found", "artifact_corrupt", "internal"),
}
FOLLOWING: Responses = {
    200: {
        "description": "The job as events.",
        "content": {"text/event-stream": {"schema": {"type": "string", "description": _EVENTS}}},
    },
    204: {"description": "The whole stream has been seen."},
    **problem_responses("invalid_request", "not_found", "internal"),
}
ENDING: Responses = {
    200: _answer(JobOut, "It was running and is cancelled."),
    204: {"description": "It had ended, and is forgotten with its results."},
    **problem_responses("invalid_request", "not_found", "storage_full", "internal"),
}
