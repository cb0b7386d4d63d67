"""What each tool takes. Every client sends these schemas with every request, so each word costs."""

from __future__ import annotations

import re
from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, model_validator


def _shaped(pattern: str, otherwise: str) -> AfterValidator:
    """Only what a path has room for; the model that gave something else is told what to give."""
    shape = re.compile(pattern)

    def check(given: str | None) -> str | None:
        if given is not None and not shape.fullmatch(given):
            raise ValueError(otherwise)
        return given

    return AfterValidator(check)


def _joined(given: object) -> object:
    """Models that do not read closely send a list."""
    return " ".join(map(str, given)) if isinstance(given, list) else given


_ID = "[A-Za-z0-9_-]{1,64}"
Budget = Annotated[int | None, Field(ge=1, description="characters")]
Query = Annotated[str | None, Field(max_length=2_000)]
Page = Annotated[str, _shaped(_ID, "give the id that stands in the first line of a page or tab")]
Text = Annotated[str, Field(min_length=1, max_length=100_000)]
#: One string, since a list would take more words to describe.
Ids = Annotated[
    str | None,
    BeforeValidator(_joined),
    _shaped("[a-z0-9., ]{0,2000}", "give ids such as h1 e2"),
]
Tab = Annotated[
    str, _shaped(f"t_{_ID}", "give the id of a tab (t_...); web_open with as_tab=true opens one")
]
SessionId = Annotated[str | None, _shaped(_ID, "give the id of a session")]


class Arguments(BaseModel):
    """Base of all: what is not named is an error that says so."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class OpenIn(Arguments):
    url: Annotated[str, Field(max_length=100_000)]
    budget: Budget = None
    query: Query = None
    as_tab: bool = False


class ScanIn(Arguments):
    page: Page
    budget: Annotated[int | None, Field(ge=1)] = None
    query: Query = None
    changes_only: bool = False


class ActIn(Arguments):
    tab: Tab
    action: Literal["click", "type", "select", "press", "scroll"]
    ref: Annotated[
        str | None,
        Field(description="of the last scan"),
        _shaped("c[0-9]{1,9}", "give a ref of the last scan, such as c7"),
    ] = None
    text: Annotated[
        str | None,
        Field(max_length=100_000, description="to type; or option, key, up|down|start|end"),
    ] = None
    accept_dialogs: bool = False

    @model_validator(mode="after")
    def _complete(self) -> Self:
        if self.action in ("click", "type", "select") and self.ref is None:
            raise ValueError(f"{self.action} needs ref, of the last scan")
        if self.action in ("type", "select", "press") and self.text is None:
            raise ValueError(f"{self.action} needs text")
        if self.action == "click" and self.text is not None:
            raise ValueError("click takes no text")
        if self.action == "scroll" and self.text not in (None, "up", "down", "start", "end"):
            raise ValueError("text of scroll is up, down, start or end")
        return self


class ExecuteIn(Arguments):
    tab: Tab
    script: Annotated[str, Field(min_length=1, max_length=1_000_000)]
    save_value: bool = False


class TabsIn(Arguments):
    action: Literal["list", "close", "screenshot"]
    tab: Tab | None = None

    @model_validator(mode="after")
    def _complete(self) -> Self:
        if self.action != "list" and self.tab is None:
            raise ValueError(f"{self.action} needs tab")
        return self


class UnfoldIn(Arguments):
    ref: Annotated[
        str,
        _shaped(
            "(ref=)?[A-Za-z0-9_.:-]{1,80}", "give what the marker names, such as f1-2 or a:9b2e"
        ),
    ]
    page: Annotated[
        str | None,
        Field(description="id; of a: refs the session or tab"),
        _shaped(_ID, "give the id that stands in the first line of a page or tab"),
    ] = None
    start: Annotated[int, Field(ge=0)] = 0
    keyword: Annotated[str | None, Field(min_length=1, max_length=1_000)] = None


class CheckpointIn(Arguments):
    key_info: Annotated[str, Field(max_length=100_000)]
    session: SessionId = None


class RecallIn(Arguments):
    query: Annotated[str, Field(min_length=1, max_length=1_000)]
    session: SessionId = None


class EvidenceIn(Arguments):
    text: Text
    supports: Annotated[Ids, Field(description="ids")] = None
    contradicts: Ids = None
    session: SessionId = None


class ProposeIn(Arguments):
    text: Text
    supports: Ids = None
    session: SessionId = None


class DecideIn(Arguments):
    text: Text
    depends_on: Ids = None
    session: SessionId = None


def lean_schema(arguments: type[Arguments]) -> dict[str, Any]:
    """The JSON schema of a tool's arguments with what a model needs: types, choices, descriptions."""
    whole = arguments.model_json_schema()
    properties = {name: _lean(field) for name, field in whole["properties"].items()}
    return {"type": "object", "properties": properties, "required": whole.get("required", [])}


def _lean(field: dict[str, Any]) -> dict[str, Any]:
    kinds = [kind for kind in field.get("anyOf", []) if kind.get("type") != "null"]
    merged = {**field, **(kinds[0] if kinds else {})}
    return {name: merged[name] for name in ("type", "enum", "description") if name in merged}
