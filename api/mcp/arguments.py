"""What each tool takes. Every client sends these schemas with every request, so each word costs."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

Budget = Annotated[int | None, Field(ge=1, description="max characters")]
Query = Annotated[str | None, Field(max_length=2_000)]
#: The id of a page or session; nothing else fits into a path.
Id = Annotated[str, Field(pattern="^[A-Za-z0-9_-]{1,64}$")]
SessionId = Annotated[str | None, Field(pattern="^[A-Za-z0-9_-]{1,64}$")]


class Arguments(BaseModel):
    """Base of all: what is not named is an error that says so."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class OpenIn(Arguments):
    url: Annotated[str, Field(max_length=100_000)]
    budget: Budget = None
    query: Query = None


class ScanIn(Arguments):
    page: Annotated[Id, Field(description="id in the first line")]
    budget: Budget = None
    query: Query = None


class UnfoldIn(Arguments):
    ref: Annotated[str, Field(pattern="^(ref=)?[A-Za-z0-9_.:-]{1,80}$")]
    page: Annotated[
        str | None,
        Field(pattern="^[A-Za-z0-9_-]{1,64}$", description="page id; for a: refs session id"),
    ] = None
    start: Annotated[int, Field(ge=0)] = 0
    count: Annotated[int | None, Field(ge=1)] = None
    keyword: Annotated[
        str | None, Field(min_length=1, max_length=1_000, description="only lines with it")
    ] = None


class CheckpointIn(Arguments):
    key_info: Annotated[str, Field(max_length=100_000, description="all your notes")]
    session: SessionId = None


class RecallIn(Arguments):
    query: Annotated[str, Field(min_length=1, max_length=1_000)]
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
