"""Requests about pages and stored captures."""

from __future__ import annotations

from typing import Literal, Unpack

from api.client.answers import Page
from api.client.call import Call, as_json, as_text, path
from api.client.options import PageFormat, PageOptions, ReadOptions, ReplayOptions

PartFormat = Literal["html", "text", "markdown", "outline"]


def read(url: str, form: PageFormat, options: ReadOptions) -> Call[str]:
    """``GET /read``."""
    return Call("GET", "/read", as_text, query={"url": url, "format": form, **options})


def page(**options: Unpack[PageOptions]) -> Call[Page]:
    """``POST /v1/pages``."""
    return Call("POST", "/v1/pages", as_json, json=options)


def page_events(**options: Unpack[PageOptions]) -> Call[Page]:
    """``POST /v1/pages`` as a stream."""
    accept = {"Accept": "text/event-stream"}
    return Call("POST", "/v1/pages", as_json, json=options, headers=accept)


def again(snapshot: str, form: PageFormat, options: ReplayOptions) -> Call[str]:
    """``GET /v1/snapshots/{id}``."""
    where = path("v1", "snapshots", snapshot)
    return Call("GET", where, as_text, query={"format": form, **options})


def unfold(snapshot: str, ref: str, form: PartFormat, budget: int | None) -> Call[str]:
    """``GET /v1/snapshots/{id}/folds/{ref}``."""
    where = path("v1", "snapshots", snapshot, "folds", ref)
    return Call("GET", where, as_text, query={"format": form, "budget": budget})
