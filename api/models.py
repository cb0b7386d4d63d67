"""What callers may send, checked at the edge: an unknown field is an error that names it."""

from __future__ import annotations

from copy import copy
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from api.media import Format
from extractor.request import PageRequest
from extractor.request_shape import Budget, FoldWay, Markup, known_filter

Render = Literal["browser", "static", "auto"]
Collapsed = Literal["keep", "drop"]
KnownFilter = Annotated[str, AfterValidator(known_filter)]
ContentFormat = Literal["html", "text", "markdown", "outline"]

_FORMAT = "Form of the answer; wins over the Accept header."


def _as_in_request(name: str) -> Any:
    """Default, limits, description and examples of a page request's field."""
    return copy(PageRequest.model_fields[name])


class _Edge(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class _Filtering(_Edge):
    """What may be asked of any page, stored or not."""

    format: Format | None = Field(None, description=_FORMAT, examples=["html"])
    budget: Budget | None = _as_in_request("budget")
    query: str | None = _as_in_request("query")
    collapsed: Collapsed = _as_in_request("collapsed")
    filter: KnownFilter = _as_in_request("filter")
    fold: FoldWay = _as_in_request("fold")
    markup: Markup = _as_in_request("markup")
    include: list[str] = Field(
        [],
        max_length=50,
        description="CSS selectors of what to keep alone; may be repeated.",
        examples=[["main"]],
    )
    exclude: list[str] = Field(
        [],
        max_length=50,
        description="CSS selectors of what to leave out; wins; may be repeated.",
        examples=[[".related"]],
    )


class ReadQuery(_Filtering):
    """Parameters of ``GET /read``."""

    url: str = Field(
        max_length=100_000,
        description="Address of the page; percent-encode its & and #.",
        examples=["https://example.org/"],
    )
    main_only: bool = Field(
        True, description="Fold away everything but the main content.", examples=[False]
    )
    render: Render = _as_in_request("render")
    wait: Literal["load", "domcontentloaded", "settled"] = Field(
        "settled",
        description="When the page is read: `settled` decides by its signs.",
        examples=["load"],
    )
    deadline_s: float | None = _as_in_request("deadline_s")
    scroll: bool = Field(
        False,
        description="Scroll to the end of the page and of lists that draw only the rows in view.",
        examples=[True],
    )
    expand: bool = _as_in_request("expand")
    javascript: bool = _as_in_request("javascript")
    device: str | None = _as_in_request("device")
    locale: str | None = _as_in_request("locale")
    timezone: str | None = _as_in_request("timezone")
    max_bytes: int | None = _as_in_request("max_bytes")
    explain: bool = _as_in_request("explain")
    fence: bool = _as_in_request("fence")
    include_hidden: bool = _as_in_request("include_hidden")
    unfold: bool = _as_in_request("unfold")


class ReplayQuery(_Filtering):
    """Parameters of ``GET /v1/snapshots/{id}``."""

    main_only: bool | None = _as_in_request("main_only")
    explain: bool = _as_in_request("explain")
    provenance: bool = _as_in_request("provenance")
    include_hidden: bool = _as_in_request("include_hidden")


class MapQuery(_Edge):
    """Parameters of ``GET /v1/snapshots/{id}/map``."""

    format: ContentFormat = Field("html", description="Form of the content.", examples=["text"])
    budget: Budget | None = _as_in_request("budget")
    query: str | None = _as_in_request("query")
    main_only: bool | None = _as_in_request("main_only")
    explain: bool = _as_in_request("explain")
    entries: int = Field(
        5_000,
        ge=1,
        le=100_000,
        description="Most entries of each list of the page (`ledger`, `hidden`, …); `cut` counts the rest.",
        examples=[200],
    )
    parts: int = Field(
        1_000,
        ge=1,
        le=5_000,
        description="Most parts in the answer; past them the smallest are left out.",
        examples=[200],
    )


class UnfoldQuery(_Edge):
    """Parameters of ``GET /v1/snapshots/{id}/folds/{ref}``."""

    format: ContentFormat = Field("markdown", description="Form of the part.", examples=["html"])
    budget: Budget | None = Field(
        None, description="Most characters; everything when left out.", examples=[2_000]
    )
