"""Requests about tabs: pages that stay open."""

from __future__ import annotations

import httpx2

from api.client.answers import Outcome, Scan, Tab
from api.client.call import Call, as_json, as_nothing, as_text, path
from api.client.options import ActOptions, ExecuteOptions, ScanOptions, TabOptions


def open_tab(options: TabOptions) -> Call[Tab]:
    """``POST /v1/tabs``."""
    return Call("POST", "/v1/tabs", as_json, json=options)


def tabs() -> Call[list[Tab]]:
    """``GET /v1/tabs``."""
    return Call("GET", "/v1/tabs", _tabs)


def show(tab: str) -> Call[Tab]:
    """``GET /v1/tabs/{id}``."""
    return Call("GET", path("v1", "tabs", tab), as_json)


def scan(tab: str, options: ScanOptions) -> Call[Scan]:
    """``POST /v1/tabs/{id}/scan``."""
    return Call("POST", path("v1", "tabs", tab, "scan"), as_json, json=options)


def act(tab: str, options: ActOptions) -> Call[Outcome]:
    """``POST /v1/tabs/{id}/act``."""
    return Call("POST", path("v1", "tabs", tab, "act"), as_json, json=options)


def execute(tab: str, options: ExecuteOptions) -> Call[Outcome]:
    """``POST /v1/tabs/{id}/execute``."""
    return Call("POST", path("v1", "tabs", tab, "execute"), as_json, json=options)


def value(ref: str) -> Call[str]:
    """``GET /v1/tabs/values/{ref}``."""
    return Call("GET", path("v1", "tabs", "values", ref), as_text)


def screenshot(tab: str, full_page: bool, max_bytes: int | None) -> Call[bytes]:
    """``POST /v1/tabs/{id}/screenshot``."""
    where = path("v1", "tabs", tab, "screenshot")
    body = {"full_page": full_page, "max_bytes": max_bytes}
    return Call("POST", where, lambda answer: answer.content, json=body)


def close(tab: str) -> Call[None]:
    """``DELETE /v1/tabs/{id}``."""
    return Call("DELETE", path("v1", "tabs", tab), as_nothing)


def _tabs(answer: httpx2.Response) -> list[Tab]:
    found: list[Tab] = answer.json()["tabs"]
    return found
