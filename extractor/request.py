"""What a caller may ask of a page."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

Format = Literal["html", "text", "markdown", "outline", "links", "metadata"]
Budget = Annotated[int, Field(ge=1, le=50_000_000)]


class Delay(BaseModel):
    """Wait for a selector, a JavaScript predicate or a fixed time; give exactly one."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    selector: str | None = Field(None, max_length=1_000, examples=["#results li"])
    predicate: str | None = Field(None, max_length=10_000, examples=["() => window.ready === true"])
    delay_ms: int | None = Field(None, ge=0, le=60_000, examples=[500])

    @model_validator(mode="after")
    def _one(self) -> Delay:
        given = [
            name
            for name in ("selector", "predicate", "delay_ms")
            if getattr(self, name) is not None
        ]
        if len(given) != 1:
            raise ValueError("give exactly one of selector, predicate, delay_ms")
        return self


class Viewport(BaseModel):
    """Size of the window in CSS pixels."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    width: int = Field(1280, ge=200, le=4_000)
    height: int = Field(900, ge=200, le=4_000)


class PageRequest(BaseModel):
    """One page to fetch (``url``) or in hand (``html``), and what to make of it."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    url: str | None = Field(None, max_length=100_000, examples=["https://example.org/"])
    html: str | None = Field(None, description="Markup in hand instead of an address.")
    base_url: str | None = Field(None, description="What addresses in `html` are relative to.")
    render: Literal["browser", "static", "auto"] = Field("browser", examples=["browser"])
    format: tuple[Format, ...] = Field(("html",), min_length=1, examples=[["html", "markdown"]])
    budget: Budget | None = Field(
        None,
        description="Characters; by default 35,000 (HTML, Markdown), 10,000 (text), 800 (outline).",
    )
    query: str | None = Field(None, max_length=2_000, examples=["opening hours"])
    main_only: bool | None = Field(
        None, description="By default true for Markdown, false otherwise."
    )
    include: tuple[str, ...] = Field((), max_length=50, examples=[["main"]])
    exclude: tuple[str, ...] = Field((), max_length=50, examples=[[".related"]])
    collapsed: Literal["keep", "drop"] = "keep"
    wait: Literal["load", "domcontentloaded", "settled"] | Delay = "settled"
    deadline_s: float | None = Field(None, gt=0, le=300, allow_inf_nan=False, examples=[20])
    viewport: Viewport = Viewport()
    locale: str | None = Field(None, max_length=35, examples=["de-DE"])
    timezone: str | None = Field(None, max_length=64, examples=["Europe/Berlin"])
    user_agent: str | None = Field(None, max_length=500)
    headers: dict[str, str] = Field(default_factory=dict, description="For the first origin only.")
    javascript: bool = True
    block: tuple[Literal["image", "media", "font"], ...] = ("image", "media", "font")
    max_bytes: int | None = Field(None, ge=1_000)

    @field_validator("format", mode="before")
    @classmethod
    def _several(cls, value: object) -> object:
        return (value,) if isinstance(value, str) else value

    @field_validator("headers")
    @classmethod
    def _one_line(cls, value: dict[str, str]) -> dict[str, str]:
        for name, content in value.items():
            if not name.isascii() or any(c in name + content for c in "\r\n\0"):
                raise ValueError(f"header {name!r} holds characters that no header may hold")
        return value

    @model_validator(mode="after")
    def _one_source(self) -> PageRequest:
        if (self.url is None) == (self.html is None):
            raise ValueError("give exactly one of url, html")
        return self
