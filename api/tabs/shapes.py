"""What the routes of tabs answer, as schemas and as JSON."""

from __future__ import annotations

import dataclasses
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from api.page_schema import field_docs
from api.pages_json import page_dict
from extractor.tabs import Change, Changes, Control, Dialog, Outcome, Scan, Tab


class _Shape(BaseModel):
    model_config = ConfigDict(extra="forbid")


class TabsOut(_Shape):
    """The tabs of a tenant, oldest first."""

    tabs: tuple[Tab, ...]


class ScanOut(_Shape):
    """A look at a tab."""

    tab: Tab
    page: Any = Field(
        description="The page, as `POST /v1/pages` answers it; null with `changes_only` when it is "
        "the document of the last scan.",
    )
    controls: tuple[Control, ...] = Field(
        description="What can be acted on; with `changes_only` the new and changed ones. Refs hold until "
        "the next scan."
    )
    more_controls: int = Field(description="how many are not listed")
    changes: Changes | None = Field(description="with `changes_only`, since the last scan")
    meanwhile: tuple[str, ...] = Field(
        description="texts that came and went while no call ran, since the last call"
    )


class OutcomeOut(_Shape):
    """What a step did."""

    tab: Tab
    value: str = Field(
        description="of a script: text, or JSON of what is none; head and tail of a long one"
    )
    value_type: str = Field(
        description="as JavaScript names it: `string`, `object`, `undefined`, …"
    )
    value_chars: int = Field(description="characters of the whole value")
    saved: str | None = Field(
        description="ref of the whole value; `GET /v1/tabs/values/{value_ref}` gives it"
    )
    changed: tuple[Change, ...] = Field(description="places that changed, largest first")
    more_changed: int = Field(description="how many more there were")
    largest: Change | None = Field(description="the first of `changed`, with more of its text")
    transient: tuple[str, ...] = Field(description="texts that came and were gone again")
    meanwhile: tuple[str, ...] = Field(
        description="texts that did so while no call ran, since the last call"
    )
    new_tabs: tuple[Tab, ...] = Field(description="tabs that the page opened")
    refused: tuple[str, ...] = Field(
        description="tabs, downloads, documents and files that were refused, and caps that were hit"
    )
    dialogs: tuple[Dialog, ...] = Field(description="dialogs of scripts and how they were answered")
    navigated: str = Field(description="the address that the page went to, or empty")
    wait: str = Field(
        description="what ended the wait for the page; `read_only`: a script that only reads"
    )


def add_descriptions(schemas: dict[str, Any]) -> None:
    """Say in the OpenAPI document of every field what it is: dataclasses say it below their fields."""
    for kind in (Tab, Control, Changes, Change, Dialog):
        for name, text in field_docs(kind).items():
            schemas[kind.__name__]["properties"][name]["description"] = text
    if "ScanOut" in schemas and "Page" in schemas:
        page = schemas["ScanOut"]["properties"]["page"]
        page["anyOf"] = [{"$ref": "#/components/schemas/Page"}, {"type": "null"}]


def scan_json(scan: Scan) -> dict[str, Any]:
    """As ``ScanOut``."""
    return {
        "tab": dataclasses.asdict(scan.tab),
        "page": page_dict(scan.page) if scan.page is not None else None,
        "controls": [dataclasses.asdict(control) for control in scan.controls],
        "more_controls": scan.more_controls,
        "changes": dataclasses.asdict(scan.changes) if scan.changes is not None else None,
        "meanwhile": scan.meanwhile,
    }


def outcome_json(outcome: Outcome, saved: str | None = None) -> dict[str, Any]:
    """As ``OutcomeOut``."""
    told = dataclasses.asdict(outcome)
    del told["whole"]
    return {**told, "saved": saved}
