"""Requests about jobs."""

from __future__ import annotations

from collections.abc import Sequence

from api.client.call import Call, Json, as_json, as_nothing, path
from api.client.options import PageOptions


def start(
    pages: Sequence[str | PageOptions], options: PageOptions | None, webhook: Json | None
) -> Call[Json]:
    """``POST /v1/jobs``."""
    body = {"pages": list(pages), "options": options or {}, "webhook": webhook}
    return Call("POST", "/v1/jobs", as_json, json=body)


def show(job: str) -> Call[Json]:
    """``GET /v1/jobs/{id}``."""
    return Call("GET", path("v1", "jobs", job), as_json)


def results(job: str, cursor: str | None, limit: int | None) -> Call[Json]:
    """``GET /v1/jobs/{id}/results``."""
    where = path("v1", "jobs", job, "results")
    return Call("GET", where, as_json, query={"cursor": cursor, "limit": limit})


def delete(job: str) -> Call[None]:
    """``DELETE /v1/jobs/{id}``."""
    return Call("DELETE", path("v1", "jobs", job), as_nothing)
