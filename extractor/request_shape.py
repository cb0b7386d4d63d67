"""What a caller may ask of the stages after the capture."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator

from extractor.filters import filter_names

FoldWay = Literal["value", "head_tail"]
Markup = Literal["auto", "full", "lean", "bare"]
Budget = Annotated[int, Field(ge=1, le=50_000_000)]


def known_filter(name: str) -> str:
    """``name`` if there is such a filter.

    Raises:
        ValueError: there is none; says which there are.
    """
    if name not in filter_names():
        raise ValueError(f"{name!r} is no filter; there are {', '.join(filter_names())}")
    return name


class Variant(BaseModel):
    """The same capture once more, shaped in another way."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    format: Literal["html", "text", "markdown", "outline"] = Field(
        "markdown", description="Form of this variant.", examples=["text"]
    )
    budget: Budget | None = Field(
        None, description="Most characters; the format's default when left out.", examples=[2_000]
    )
    filter: str = Field(
        "pagefold", max_length=60, description="As in the request.", examples=["readability"]
    )
    main_only: bool | None = Field(None, description="As in the request.", examples=[True])
    query: str | None = Field(
        None, max_length=2_000, description="As in the request.", examples=["opening hours"]
    )
    markup: Markup = Field("auto", description="As in the request.", examples=["full"])

    @field_validator("filter")
    @classmethod
    def _known(cls, value: str) -> str:
        return known_filter(value)


class Shape(BaseModel):
    """How the document is made from the capture."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    filter: str = Field(
        "pagefold",
        max_length=60,
        description="`pagefold`; `visible`: all that people can see, in reading order; `raw`: hidden text "
        "too; `readability`; or one that is installed. With another than ours a result is bounded and "
        "well-formed, and its refs cannot be unfolded.",
        examples=["visible"],
    )
    fold: FoldWay = Field(
        "value",
        description="What stays under the budget: the most valuable parts, or the page's head and tail.",
        examples=["head_tail"],
    )
    markup: Markup = Field(
        "auto",
        description="How much markup HTML and Markdown have: `full`; `lean`: no addresses of images, no "
        "titles, a ref in place of a long link; `bare`: no links at all. `auto` spends a tight budget on "
        "text first, and has as much markup as then fits.",
        examples=["full"],
    )
    variants: tuple[Variant, ...] = Field(
        (),
        max_length=20,
        description="The same capture under other budgets, formats or filters, with a table of how they "
        "differ from the first format.",
        examples=[[{"format": "text", "budget": 2_000}, {"filter": "readability"}]],
    )
    explain: bool = Field(
        False, description="Say of each region what speaks for its role.", examples=[True]
    )
    include_hidden: bool = Field(
        False,
        description="Leave text that people cannot see in the document, labelled as hidden, with the reason; "
        "refs cannot be unfolded then. With the filters `pagefold` and `visible`.",
        examples=[True],
    )
    provenance: bool = Field(
        False,
        description="Say of each stretch of the output which frame, shadow root, element and box it is from.",
        examples=[True],
    )
    fence: bool = Field(
        False,
        description="Stand the page's text between two lines (HTML: in an element) that it cannot write "
        "itself: they hold an HMAC of it.",
        examples=[True],
    )
    unfold: bool = Field(
        True,
        description="Keep the snapshot, so that folds can be given back. If false nothing is stored, and the "
        "document says so; of a very large page only so much is read as the budget can hold.",
        examples=[False],
    )

    @field_validator("filter")
    @classmethod
    def _known(cls, value: str) -> str:
        return known_filter(value)
