"""What the OpenAPI document says about answers and failures of the routes of tabs."""

from __future__ import annotations

from typing import Any

from fastapi.openapi.models import Example

from api.errors import problem_responses
from api.read import PAGE_ERRORS
from api.tabs.shapes import OutcomeOut, ScanOut, TabsOut
from extractor.tabs import Tab

TAB = {
    "id": "t_4f1c9a52d0b34e67",
    "url": "https://example.org/",
    "title": "The harbour ledger",
    "opener": "",
    "age_s": 4.1,
    "idle_s": 0.0,
    "expires_in_s": 300.0,
}
_CHANGE = {"path": "a#basket", "kind": "text", "text": "Basket (1)", "chars": 10}
OUTCOME = {
    "tab": TAB,
    "value": "",
    "value_type": "undefined",
    "value_chars": 0,
    "saved": None,
    "changed": [_CHANGE],
    "more_changed": 0,
    "largest": _CHANGE,
    "transient": ["Brass lantern is in your basket"],
    "meanwhile": [],
    "new_tabs": [],
    "refused": [],
    "dialogs": [],
    "navigated": "",
    "wait": "quiet",
}
SCAN = {
    "tab": TAB,
    "page": None,
    "controls": [
        {
            "ref": "c7",
            "role": "button",
            "name": "Add to basket",
            "tag": "button",
            "value": "",
            "states": [],
            "options": [],
            "context": "Brass lantern £28.50 Add to basket",
            "frame": "",
            "url": "",
            "in_view": True,
        }
    ],
    "more_controls": 0,
    "changes": {"added": ["Basket (1)"], "removed": ["Basket (0)"], "moved_on": False, "more": 0},
    "meanwhile": [],
}
_GONE = ("not_found", "page_crashed", "browser_crashed", "draining")
_USING = (*_GONE, "invalid_request", "body_too_large", "deadline", "page_unresponsive", "busy")
_STEPPING = (*_USING, "too_large")


def _answer(what: str, model: Any, example: Any) -> dict[str, Any]:
    return {
        "description": what,
        "model": model,
        "content": {"application/json": {"example": example}},
    }


OPENING: dict[int | str, dict[str, Any]] = {
    201: _answer("The tab; `Location` is its address.", Tab, TAB),
    **problem_responses("body_too_large", *PAGE_ERRORS),
}
LISTING: dict[int | str, dict[str, Any]] = {
    200: _answer("The tabs.", TabsOut, {"tabs": [TAB]}),
    **problem_responses("invalid_request"),
}
SHOWING: dict[int | str, dict[str, Any]] = {
    200: _answer("The tab.", Tab, TAB),
    **problem_responses(*_GONE, "invalid_request"),
}
SCANNING: dict[int | str, dict[str, Any]] = {
    200: _answer("The page, and what can be acted on.", ScanOut, SCAN),
    **problem_responses(
        *_USING, "invalid_selector", "budget_impossible", "too_large", "too_many_navigations"
    ),
}
EXECUTING: dict[int | str, dict[str, Any]] = {
    200: _answer("The value, and what changed.", OutcomeOut, OUTCOME),
    **problem_responses(*_STEPPING, "script_failed", "forbidden", "storage_full"),
}
ACTING: dict[int | str, dict[str, Any]] = {
    200: _answer("What changed.", OutcomeOut, OUTCOME),
    **problem_responses(*_STEPPING, "stale_ref", "not_actionable"),
}
DRAWING: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "A PNG; a JPEG where that would be larger than asked.",
        "content": {
            kind: {"schema": {"type": "string", "format": "binary"}}
            for kind in ("image/png", "image/jpeg")
        },
    },
    **problem_responses(*_USING, "too_large"),
}
CLOSING: dict[int | str, dict[str, Any]] = {
    204: {"description": "It is closed."},
    **problem_responses(*_GONE, "invalid_request"),
}
VALUE: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "The whole value; `X-Pagefold-Type` says of which type it was.",
        "content": {"text/plain": {"schema": {"type": "string"}}},
    },
    **problem_responses("not_found", "artifact_corrupt", "invalid_request"),
}
OPEN_EXAMPLES: dict[str, Example] = {
    "url": {"summary": "A page by its address", "value": {"url": "https://example.org/"}},
}
SCAN_EXAMPLES: dict[str, Example] = {
    "whole": {"summary": "The page as Markdown", "value": {"format": "markdown"}},
    "changes": {"summary": "What changed since the last scan", "value": {"changes_only": True}},
}
EXECUTE_EXAMPLES: dict[str, Example] = {
    "expression": {"summary": "An expression", "value": {"script": "document.title"}},
    "body": {
        "summary": "The body of an asynchronous function, and its whole value kept",
        "value": {
            "script": "const answer = await fetch('/tides.json');\nreturn await answer.json();",
            "save_to_file": True,
        },
    },
}
ACT_EXAMPLES: dict[str, Example] = {
    "click": {"summary": "Click", "value": {"action": "click", "ref": "c7"}},
    "type": {
        "summary": "Replace what is in a field, and press Enter",
        "value": {"action": "type", "ref": "c8", "text": "lantern", "submit": True},
    },
    "confirm": {
        "summary": "Click, and accept the dialog that comes",
        "value": {"action": "click", "ref": "c12", "dialogs": "accept"},
    },
}
