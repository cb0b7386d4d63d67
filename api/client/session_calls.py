"""Requests about sessions, and those of the compactor that need none."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Unpack

import httpx2

from api.client.answers import (
    AppendedPage,
    Context,
    Expanded,
    KeyInfo,
    Line,
    Report,
    Session,
    Verdict,
)
from api.client.call import Call, Json, as_json, as_nothing, guards, path
from api.client.options import MessageFormat, PageOptions, SessionOptions


def open_session(**options: Unpack[SessionOptions]) -> Call[Session]:
    """``POST /v1/sessions``."""
    return Call("POST", "/v1/sessions", as_json, json=options)


def listed(cursor: str | None, limit: int | None) -> Call[Json]:
    """``GET /v1/sessions``."""
    return Call("GET", "/v1/sessions", as_json, query={"cursor": cursor, "limit": limit})


def show(session: str) -> Call[Session]:
    """``GET /v1/sessions/{id}``."""
    return Call("GET", path("v1", "sessions", session), as_json)


def delete(session: str) -> Call[None]:
    """``DELETE /v1/sessions/{id}``."""
    return Call("DELETE", path("v1", "sessions", session), as_nothing)


def append(
    session: str,
    messages: Sequence[Json],
    form: MessageFormat,
    *,
    key: str | None,
    version: int | None,
) -> Call[Report]:
    """``POST /v1/sessions/{id}/messages``."""
    body = {"format": form, "messages": list(messages)}
    where = path("v1", "sessions", session, "messages")
    return Call("POST", where, as_json, json=body, headers=guards(key, version))


def append_page(
    session: str, page: PageOptions, form: MessageFormat, *, key: str | None, version: int | None
) -> Call[AppendedPage]:
    """``POST /v1/sessions/{id}/pages``."""
    where = path("v1", "sessions", session, "pages")
    body = {"format": form, "page": page}
    return Call("POST", where, as_json, json=body, headers=guards(key, version))


def context(
    session: str, form: MessageFormat, etag: str | None
) -> Call[tuple[Context, str] | None]:
    """``GET /v1/sessions/{id}/context``: with its ETag; ``None`` when it is still that of ``etag``."""
    where = path("v1", "sessions", session, "context")
    headers = {} if etag is None else {"If-None-Match": etag}
    return Call("GET", where, _unless_same, query={"format": form}, headers=headers)


def key_info(session: str) -> Call[KeyInfo]:
    """``GET /v1/sessions/{id}/key-info``."""
    return Call("GET", path("v1", "sessions", session, "key-info"), as_json)


def put_key_info(session: str, text: str, version: int | None) -> Call[KeyInfo]:
    """``PUT /v1/sessions/{id}/key-info``."""
    where = path("v1", "sessions", session, "key-info")
    return Call("PUT", where, as_json, json={"key_info": text}, headers=guards(None, version))


def expand(session: str, ref: str, start: int, count: int | None) -> Call[Expanded]:
    """``GET /v1/sessions/{id}/archive/{ref}``."""
    where = path("v1", "sessions", session, "archive", ref)
    return Call("GET", where, as_json, query={"start": start, "count": count})


def grep(session: str, ref: str, keyword: str) -> Call[list[Line]]:
    """``GET /v1/sessions/{id}/archive/{ref}?keyword=``."""
    where = path("v1", "sessions", session, "archive", ref)
    return Call("GET", where, _lines, query={"keyword": keyword})


def search(session: str, keyword: str, limit: int | None) -> Call[Json]:
    """``GET /v1/sessions/{id}/archive?keyword=``."""
    where = path("v1", "sessions", session, "archive")
    return Call("GET", where, as_json, query={"keyword": keyword, "limit": limit})


def plan(session: str, target_chars: int | None, form: MessageFormat) -> Call[Json]:
    """``POST /v1/sessions/{id}/plan``."""
    body = {"target_chars": target_chars, "format": form}
    return Call("POST", path("v1", "sessions", session, "plan"), as_json, json=body)


def apply(session: str, made: Json) -> Call[Json]:
    """``POST /v1/sessions/{id}/apply``."""
    body = {name: made[name] for name in ("id", "version", "target_chars")}
    return Call("POST", path("v1", "sessions", session, "apply"), as_json, json=body)


def pin(session: str, message: int, method: str, version: int | None) -> Call[Json]:
    """``PUT`` or ``DELETE /v1/sessions/{id}/pins/{message}``."""
    where = path("v1", "sessions", session, "pins", str(message))
    return Call(method, where, as_json, headers=guards(None, version))


def certificate(session: str) -> Call[list[Json]]:
    """``GET /v1/sessions/{id}/certificate``."""
    where = path("v1", "sessions", session, "certificate")
    return Call("GET", where, lambda answer: answer.json()["certificate"])


def validate(messages: Sequence[Json], profile: str) -> Call[Verdict]:
    """``POST /v1/validate``."""
    body = {"profile": profile, "messages": list(messages)}
    return Call("POST", "/v1/validate", as_json, json=body)


def compact(
    messages: Sequence[Json], form: MessageFormat, options: SessionOptions
) -> Call[dict[str, Any]]:
    """``POST /v1/compact``."""
    body = {**options, "format": form, "messages": list(messages)}
    return Call("POST", "/v1/compact", as_json, json=body)


def _unless_same(answer: httpx2.Response) -> tuple[Context, str] | None:
    return None if answer.status_code == 304 else (answer.json(), answer.headers["ETag"])


def _lines(answer: httpx2.Response) -> list[Line]:
    found: list[Line] = answer.json()["lines"]
    return found
