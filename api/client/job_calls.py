"""Requests about jobs."""

from __future__ import annotations

from collections.abc import Sequence

from api.client.call import Call, Json, as_json, as_nothing, guards, path
from api.client.options import PageOptions


def start(
    pages: Sequence[str | PageOptions],
    options: PageOptions | None,
    webhook: Json | None,
    *,
    key: str | None,
) -> Call[Json]:
    """``POST /v1/jobs``."""
    body = {"pages": list(pages), "options": options or {}, "webhook": webhook}
    return Call("POST", "/v1/jobs", as_json, json=body, headers=guards(key, None))


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


def listed(state: str | None, cursor: str | None, limit: int | None) -> Call[Json]:
    """``GET /v1/jobs``."""
    query = {"state": state, "cursor": cursor, "limit": limit}
    return Call("GET", "/v1/jobs", as_json, query=query)


def events(job: str, after: str) -> Call[Json]:
    """``GET /v1/jobs/{id}/events``."""
    headers = {"Last-Event-ID": after} if after else {}
    return Call("GET", path("v1", "jobs", job, "events"), as_json, headers=headers)
