"""What a caller may ask of a page."""

from __future__ import annotations

import base64
from functools import cache
from typing import Annotated, Literal
from urllib.parse import urlsplit
from zoneinfo import available_timezones

from pydantic import Field, field_validator, model_validator

from extractor.request_parts import (
    Cookie,
    Delay,
    HttpAuth,
    OneLine,
    Scroll,
    Viewport,
    checked_headers,
)
from extractor.request_shape import Budget, Shape, Variant

__all__ = ["Budget", "Cookie", "Delay", "HttpAuth", "PageRequest", "Scroll", "Variant", "Viewport"]

Format = Literal[
    "html", "text", "markdown", "outline", "links", "metadata", "screenshot", "pdf"
]  # fmt: skip
#: Formats that only a browser can make, and only at capture; they are given as base64.
PICTURES = ("screenshot", "pdf")
#: Reading the list of zones takes a tenth of a second.
_zones = cache(available_timezones)
_CssList = Annotated[tuple[str, ...], Field(max_length=50)]


class PageRequest(Shape):
    """One page to fetch (``url``) or in hand (``html``), and what to make of it."""

    url: str | None = Field(
        None,
        max_length=100_000,
        description="Address of the page, http or https.",
        examples=["https://example.org/"],
    )
    html: str | None = Field(
        None, description="Markup in hand instead of an address.", examples=["<p>Low water"]
    )
    base_url: str | None = Field(
        None,
        max_length=100_000,
        description="What addresses in `html` are relative to.",
        examples=["https://example.org/tides/"],
    )
    render: Literal["browser", "static", "auto"] = Field(
        "browser",
        description="`static` runs no scripts; `auto` is static only where scripts and style sheets "
        "cannot change what is visible.",
        examples=["browser"],
    )
    format: tuple[Format, ...] = Field(
        ("html",),
        min_length=1,
        description="One or several forms of the result; `screenshot` (PNG) and `pdf` come as base64.",
        examples=[["html", "markdown"]],
    )
    budget: Budget | None = Field(
        None,
        description="Characters; by default 35,000 (HTML, Markdown), 10,000 (text), 800 (outline).",
        examples=[8_000],
    )
    query: str | None = Field(
        None,
        max_length=2_000,
        description="What the reader is after: steers what is kept.",
        examples=["opening hours"],
    )
    main_only: bool | None = Field(
        None, description="By default true for Markdown, false otherwise.", examples=[True]
    )
    include: _CssList = Field(
        (), description="CSS selectors of what to keep alone.", examples=[["main"]]
    )
    exclude: _CssList = Field(
        (), description="CSS selectors of what to leave out; wins.", examples=[[".related"]]
    )
    collapsed: Literal["keep", "drop"] = Field(
        "keep", description="Text of closed tabs, details, accordions and menus.", examples=["drop"]
    )
    wait: Literal["load", "domcontentloaded", "settled"] | Delay = Field(
        "settled",
        description="When the page is read: `settled` decides by its signs.",
        examples=["settled", {"selector": "#results li"}],
    )
    deadline_s: float | None = Field(
        None,
        gt=0,
        le=300,
        allow_inf_nan=False,
        description="Seconds for everything, the queue included.",
        examples=[20],
    )
    scroll: bool | Scroll = Field(
        False,
        description="Scroll to the end of the page and of lists that draw only the rows in view.",
        examples=[True, {"steps": 30}],
    )
    expand: bool = Field(
        False, description="Open details, tabs and accordions first.", examples=[True]
    )
    viewport: Viewport = Field(
        Viewport(), description="Size of the window.", examples=[{"width": 400, "height": 800}]
    )
    device: str | None = Field(
        None,
        max_length=60,
        description="A device by Playwright's name for it; `viewport` and `user_agent` win.",
        examples=["iPhone 15"],
    )
    locale: str | None = Field(
        None,
        max_length=35,
        pattern=r"^[A-Za-z]{2,8}([-_][A-Za-z0-9]{1,8})*$",
        description="Language of the browser.",
        examples=["de-DE"],
    )
    timezone: str | None = Field(
        None, max_length=64, description="Zone of the clock.", examples=["Europe/Berlin"]
    )
    user_agent: OneLine | None = Field(
        None, max_length=500, description="Sent instead of the browser's.", examples=["Reader/1.0"]
    )
    headers: dict[str, str] = Field(
        default_factory=dict,
        max_length=100,
        description="For the first origin only.",
        examples=[{"Accept-Language": "de"}],
    )
    http_auth: HttpAuth | None = Field(
        None,
        description="For the first origin only.",
        examples=[{"username": "reader", "password": "low-water"}],
    )
    cookies: tuple[Cookie, ...] = Field(
        (), max_length=200, description="Set before the page is opened.",
        examples=[[{"name": "session", "value": "a,b"}]],
    )  # fmt: skip
    javascript: bool = Field(True, description="Whether scripts run.", examples=[False])
    block: tuple[Literal["image", "media", "font"], ...] = Field(
        ("image", "media", "font"),
        description="Not loaded; by default everything is loaded for a screenshot or PDF.",
        examples=[["media"]],
    )
    max_bytes: int | None = Field(
        None, ge=1_000, description="Most decoded bytes of the document.", examples=[5_000_000]
    )

    @field_validator("format", mode="before")
    @classmethod
    def _several(cls, value: object) -> object:
        return (value,) if isinstance(value, str) else value

    @field_validator("headers")
    @classmethod
    def _sendable(cls, value: dict[str, str]) -> dict[str, str]:
        return checked_headers(value)

    @field_validator("timezone")
    @classmethod
    def _known_zone(cls, value: str | None) -> str | None:
        if value is not None and _zones() and value not in _zones():
            raise ValueError(f"{value!r} is no zone of the IANA list, e.g. Europe/Berlin")
        return value

    @model_validator(mode="after")
    def _one_source(self) -> PageRequest:
        if (self.url is None) == (self.html is None):
            raise ValueError("give exactly one of url, html")
        if self.pictures and (self.url is None or self.render == "static"):
            raise ValueError(
                f"{self.pictures[0]} needs a browser: give a url, and no render=static"
            )
        return self

    @property
    def pictures(self) -> tuple[str, ...]:
        """Formats that must be made while the page is open."""
        return tuple(name for name in PICTURES if name in self.format)

    @property
    def scrolling(self) -> Scroll | None:
        """How to scroll, or ``None``."""
        return self.scroll if isinstance(self.scroll, Scroll) else Scroll() if self.scroll else None

    def blocked(self, *, by_default: bool = True) -> tuple[Literal["image", "media", "font"], ...]:
        """What is not loaded: what the caller named, else (``by_default``) what no one will look at."""
        if "block" in self.model_fields_set:
            return self.block
        return self.block if by_default and not self.pictures else ()

    def own_headers(self) -> dict[str, str]:
        """Headers of a fetch without a browser, for the first origin only."""
        own = dict(self.headers)
        if self.http_auth is not None:
            pair = f"{self.http_auth.username}:{self.http_auth.password}".encode()
            own["Authorization"] = "Basic " + base64.b64encode(pair).decode("ascii")
        parts = urlsplit(self.url or "")
        sent = [each for each in self.cookies if each.goes_to(parts)]
        if sent:
            own["Cookie"] = "; ".join(f"{each.name}={each.value}" for each in sent)
        return own
