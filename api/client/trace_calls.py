"""Requests about what a session knows: evidence, hypotheses, decisions, and what of it matters."""

from __future__ import annotations

from typing import Any, Literal

import httpx2

from api.client.call import Call, Json, as_json, guards, path

Kind = Literal["evidence", "hypotheses", "decisions", "constraints", "actions", "children"]


def write(
    session: str, what: str, body: Json, *, key: str | None, version: int | None
) -> Call[Json]:
    """``POST /v1/sessions/{id}/evidence``, ``/hypotheses`` or ``/decisions``."""
    where = path("v1", "sessions", session, what)
    return Call("POST", where, as_json, json=body, headers=guards(key, version))


def recall(session: str, query: str, budget_chars: int) -> Call[dict[str, Any]]:
    """``POST /v1/sessions/{id}/recall``."""
    where = path("v1", "sessions", session, "recall")
    return Call("POST", where, as_json, json={"query": query, "budget_chars": budget_chars})


def put(
    session: str, where: tuple[str, ...], body: Json, *, key: str | None, version: int | None
) -> Call[Json]:
    """``PUT`` on something that the session knows, such as ``hypotheses/{id}``."""
    at = path("v1", "sessions", session, *where)
    return Call("PUT", at, as_json, json=body, headers=guards(key, version))


def known(session: str, kind: str, newest: int | None) -> Call[list[Json]]:
    """``GET /v1/sessions/{id}/evidence`` and its like."""
    return Call("GET", path("v1", "sessions", session, kind), _items, query={"newest": newest})


def item(session: str, item: str) -> Call[Json]:
    """``GET /v1/sessions/{id}/items/{item}``."""
    return Call("GET", path("v1", "sessions", session, "items", item), as_json)


def events(session: str, after: int | None, limit: int | None) -> Call[Json]:
    """``GET /v1/sessions/{id}/events``."""
    where = path("v1", "sessions", session, "events")
    return Call("GET", where, as_json, query={"after": after, "limit": limit})


def _items(answer: httpx2.Response) -> list[Json]:
    found: list[Json] = answer.json()["items"]
    return found
