"""Requests about what a session knows: evidence, hypotheses, decisions, and what of it matters."""

from __future__ import annotations

from typing import Any

from api.client.call import Call, Json, as_json, guards, path


def write(session: str, what: str, body: Json, version: int | None) -> Call[Json]:
    """``POST /v1/sessions/{id}/evidence``, ``/hypotheses`` or ``/decisions``."""
    where = path("v1", "sessions", session, what)
    return Call("POST", where, as_json, json=body, headers=guards(None, version))


def recall(session: str, query: str, budget_chars: int) -> Call[dict[str, Any]]:
    """``POST /v1/sessions/{id}/recall``."""
    where = path("v1", "sessions", session, "recall")
    return Call("POST", where, as_json, json={"query": query, "budget_chars": budget_chars})
