"""The reference page of ``/v1/jobs``: what is sent and what is answered."""

from __future__ import annotations

from collections.abc import Iterator

from pydantic import BaseModel

from api.jobs.models import JobIn, JobsQuery, ResultsQuery
from api.jobs.shapes import JobOut, JobsOut, ResultsOut
from api.reference.tables import Schema, code, default, example, kind, limits, prose, table

_SENT = ("field", "type", "default", "limits", "meaning", "example")
_ROUTES = (
    ("POST /v1/jobs", "starts a job; with `Idempotency-Key` one, however often it is sent",
     "201 [JobOut](#jobout), `Location`"),
    ("GET /v1/jobs", "lists the tenant's jobs, the newest first", "[JobsOut](#jobsout)"),
    ("GET /v1/jobs/{id}", "says how far a job is", "[JobOut](#jobout)"),
    ("GET /v1/jobs/{id}/events", "follows it: `page` for each that ends (its result without the page, "
     "and `total`), `end` with the job; goes on behind `Last-Event-ID`",
     "`text/event-stream`; 204 behind `end`"),
    ("GET /v1/jobs/{id}/results", "what became of the pages, in pieces", "[ResultsOut](#resultsout)"),
    ("DELETE /v1/jobs/{id}", "cancels a job that runs, forgets one that has ended",
     "200 [JobOut](#jobout), or 204"),
)  # fmt: skip
_SIGNED = (
    "A POST with `webhook-id` (the same over all tries), `webhook-timestamp` (seconds since 1970, of this "
    "try) and `webhook-signature`: `v1,` and the base64 of HMAC-SHA256, with the decoded secret, over "
    "`id.timestamp.body`. The body is JSON:"
)
_MESSAGE = (
    ("type", "`job.progress`, `job.completed` or `job.cancelled`"),
    ("timestamp", "when it came to be, ISO 8601 in UTC"),
    ("data", "`id`, `state`, and how many pages: `total`, `done`, `failed`, `cancelled`"),
)


def job_sections() -> list[str]:
    """The page in parts."""
    return [
        "# Jobs",
        "Many pages in one request; [how to run a job](../how-to/run-a-job.md) goes through it. Errors are "
        "[problem documents](errors.md). A job of another tenant does not exist: `not_found`.",
        table(("call", "does", "answers"), ((code(call), *more) for call, *more in _ROUTES)),
        *_sent("POST /v1/jobs", JobIn, "The body."),
        *_sent("GET /v1/jobs", JobsQuery, "Parameters of the query string."),
        *_sent("GET /v1/jobs/{id}/results", ResultsQuery, "Parameters of the query string."),
        *_answered(JobOut),
        *_answered(JobsOut),
        *_answered(ResultsOut),
        "## Messages to webhooks",
        _SIGNED,
        table(("field", "meaning"), ((code(name), what) for name, what in _MESSAGE)),
    ]


def _sent(title: str, model: type[BaseModel], what: str) -> Iterator[str]:
    schema = model.model_json_schema()
    yield f"## {code(title)}\n\n{what}\n\n{_fields(schema)}"
    for name, part in schema.get("$defs", {}).items():
        yield f"### {name}\n\n{prose(part['description'])}\n\n{_fields(part)}"


def _fields(schema: Schema) -> str:
    required = schema.get("required", ())
    rows = (
        (
            code(name),
            "list of strings and page requests" if name == "pages" else kind(part, null=False),
            default(name, part, required),
            limits(part),
            prose(part.get("description", "")),
            example(part),
        )
        for name, part in schema["properties"].items()
    )
    return table(_SENT, rows)


def _answered(model: type[BaseModel]) -> Iterator[str]:
    schema = model.model_json_schema(mode="serialization")
    parts = schema.get("$defs", {})
    yield _result(f"## {model.__name__}", schema)
    for name, part in parts.items():
        yield _result(f"### {name}", part)


def _result(head: str, schema: Schema) -> str:
    rows = (
        (code(field), kind(part), prose(part.get("description", "")))
        for field, part in schema["properties"].items()
    )
    return (
        f"{head}\n\n{prose(schema['description'])}\n\n{table(('field', 'type', 'meaning'), rows)}"
    )
