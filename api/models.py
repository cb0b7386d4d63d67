"""What callers may send, checked at the edge: an unknown field is an error that names it."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from api.media import Format
from extractor.request import Budget

Render = Literal["browser", "static"]
Collapsed = Literal["keep", "drop"]
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


class UnfoldQuery(_Edge):
    """Parameters of ``GET /v1/snapshots/{id}/folds/{ref}``."""

    format: ContentFormat = Field("markdown", description="form of the part")
    budget: Budget | None = Field(None, description="most code points; everything when left out")
