"""What each tool takes. Every client sends these schemas with every request, so each word costs."""

from __future__ import annotations

from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

Budget = Annotated[int | None, Field(ge=1, description="max characters")]
Query = Annotated[str | None, Field(max_length=2_000)]
#: The id of a page or session; nothing else fits into a path.
Id = Annotated[str, Field(pattern="^[A-Za-z0-9_-]{1,64}$")]
Text = Annotated[str, Field(min_length=1, max_length=100_000)]
#: Ids of items such as `h1 e2`; one string, since a list would take more words to describe.
Ids = Annotated[str | None, Field(pattern=r"^[a-z0-9., ]{0,2000}$")]
Tab = Annotated[str, Field(pattern="^t_[A-Za-z0-9_-]{1,64}$")]
SessionId = Annotated[str | None, Field(pattern="^[A-Za-z0-9_-]{1,64}$")]


class Arguments(BaseModel):
    """Base of all: what is not named is an error that says so."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class OpenIn(Arguments):
    url: Annotated[str, Field(max_length=100_000)]
    budget: Budget = None
    query: Query = None
    as_tab: bool = False


class ScanIn(Arguments):
    page: Id
    budget: Annotated[int | None, Field(ge=1)] = None
    query: Query = None
    changes_only: bool = False


class ActIn(Arguments):
    tab: Tab
    action: Literal["click", "type", "select", "press", "scroll"]
    ref: Annotated[str | None, Field(pattern="^c[0-9]{1,9}$", description="of the last scan")] = (
        None
    )
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
    ref: Annotated[str, Field(pattern="^(ref=)?[A-Za-z0-9_.:-]{1,80}$")]
    page: Annotated[
        str | None,
        Field(pattern="^[A-Za-z0-9_-]{1,64}$", description="id; of a: refs the session or tab"),
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
