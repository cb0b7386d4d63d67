"""What callers may send, checked at the edge: an unknown field is an error that names it."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from api.media import Format
from extractor.request_shape import Budget, FoldWay, known_filter

Render = Literal["browser", "static"]
Collapsed = Literal["keep", "drop"]
KnownFilter = Annotated[str, Field(max_length=60), AfterValidator(known_filter)]
ContentFormat = Literal["html", "text", "markdown", "outline"]

_BUDGET = "most code points of the answer; 35000 (HTML, Markdown), 10000 (text), 800 (outline)"
_QUERY = "what the reader is after; steers what is kept"


class _Edge(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class ReadQuery(_Edge):
    """Parameters of ``GET /read``."""

    url: str = Field(
        max_length=100_000,
        description="address of the page; percent-encode its & and #",
        examples=["https://example.org/"],
    )
    format: Format | None = Field(None, description="wins over the Accept header")
    budget: Budget | None = Field(None, description=_BUDGET, examples=[8000])
    query: str | None = Field(
        None, max_length=2_000, description=_QUERY, examples=["harbour dues in 1871"]
    )
    render: Render = Field("browser", description="browser, or static (no scripts)")
    main_only: bool = Field(True, description="fold away everything but the main content")


class ReplayQuery(_Edge):
    """Parameters of ``GET /v1/snapshots/{id}``."""

    format: Format | None = Field(None, description="wins over the Accept header")
    budget: Budget | None = Field(None, description=_BUDGET, examples=[4000])
    query: str | None = Field(None, max_length=2_000, description=_QUERY)
    main_only: bool | None = Field(None, description="by default true for Markdown alone")
    collapsed: Collapsed = Field("keep", description="closed tabs, details and accordions")
    filter: KnownFilter = Field(
        "pagefold", description="as in POST /v1/pages", examples=["visible"]
    )
    fold: FoldWay = Field("value", description="as in POST /v1/pages", examples=["head_tail"])


class UnfoldQuery(_Edge):
    """Parameters of ``GET /v1/snapshots/{id}/folds/{ref}``."""

    format: ContentFormat = Field("markdown", description="form of the part")
    budget: Budget | None = Field(None, description="most code points; everything when left out")
