"""What may be asked of a tab."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from extractor.request import Budget, Cookie, HttpAuth, PageRequest, Viewport
from extractor.request_shape import Shape

Ref = Annotated[str, Field(pattern=r"^c[0-9]{1,9}$")]
Action = Literal["click", "type", "select", "press", "scroll"]
_Deadline = Annotated[float, Field(gt=0, le=300, allow_inf_nan=False)]
_OPEN_FIELDS = frozenset({"url", "deadline_s", "viewport", "device", "locale", "timezone", "user_agent"}) | {
    "headers", "http_auth", "cookies", "block"
}  # fmt: skip


class _Asked(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    deadline_s: _Deadline | None = Field(
        None, description="Seconds for everything, the queue included.", examples=[20]
    )


class TabOpen(_Asked):
    """A tab to open."""

    url: str = Field(
        max_length=100_000,
        description="Address of the page, http or https.",
        examples=["https://example.org/"],
    )
    viewport: Viewport = Field(
        Viewport(), description="Size of the window.", examples=[{"width": 400, "height": 800}]
    )
    device: str | None = Field(
        None, max_length=60, description="As of a page.", examples=["iPhone 15"]
    )
    locale: str | None = Field(None, description="As of a page.", examples=["de-DE"])
    timezone: str | None = Field(None, description="As of a page.", examples=["Europe/Berlin"])
    user_agent: str | None = Field(None, description="As of a page.", examples=["Reader/1.0"])
    headers: dict[str, str] = Field(
        default_factory=dict,
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
    block: tuple[Literal["image", "media", "font"], ...] = Field(
        (), description="Not loaded; by default everything is.", examples=[["media"]]
    )

    def page_request(self) -> PageRequest:
        """The request for its first page; checks what ``PageRequest`` checks.

        Raises:
            pydantic.ValidationError: a field holds what it cannot.
        """
        given = {name: getattr(self, name) for name in self.model_fields_set & _OPEN_FIELDS}
        return PageRequest.model_validate({"block": (), **given})


class TabScan(Shape):
    """How a tab is looked at: the options of a page that concern the page as it stands."""

    format: (
        tuple[Literal["html", "text", "markdown", "outline", "links", "metadata"], ...]
        | Literal["html", "text", "markdown", "outline", "links", "metadata"]
    ) = Field(("html",), description="One or several forms of the result.", examples=["markdown"])
    budget: Budget | None = Field(None, description="As of a page.", examples=[8_000])
    query: str | None = Field(
        None, max_length=2_000, description="As of a page.", examples=["delivery"]
    )
    main_only: bool | None = Field(None, description="As of a page.", examples=[True])
    include: tuple[str, ...] = Field(
        (), max_length=50, description="As of a page.", examples=[["main"]]
    )
    exclude: tuple[str, ...] = Field(
        (), max_length=50, description="As of a page.", examples=[[".ad"]]
    )
    collapsed: Literal["keep", "drop"] = Field(
        "keep", description="As of a page.", examples=["drop"]
    )
    changes_only: bool = Field(
        False,
        description="Only what changed since the last scan; the first scan is whole.",
        examples=[True],
    )
    controls: bool = Field(
        True, description="Whether to list what can be acted on, with refs.", examples=[False]
    )
    max_controls: int = Field(
        300,
        ge=1,
        le=5_000,
        description="Controls that are listed; more are counted.",
        examples=[50],
    )
    deadline_s: _Deadline | None = Field(
        None, description="Seconds for everything, the queue included.", examples=[20]
    )

    def page_request(self, url: str) -> PageRequest:
        """The request by which the live page is filtered."""
        names = self.model_fields_set & PageRequest.model_fields.keys()
        return PageRequest.model_validate({"url": url, **{n: getattr(self, n) for n in names}})


class TabStep(_Asked):
    """What all steps have in common."""

    dialogs: Literal["dismiss", "accept"] = Field(
        "dismiss",
        description="How `alert`, `confirm`, `prompt` and `beforeunload` are answered.",
        examples=["accept"],
    )
    prompt_text: str = Field(
        "", max_length=10_000, description="What `prompt` gets when accepted.", examples=["Ada"]
    )
    quiet_ms: int | None = Field(
        None,
        ge=0,
        le=10_000,
        description="How long the page must be quiet before the answer; `PAGEFOLD_TAB_QUIET_MS` by default.",
        examples=[100],
    )


class TabExecute(TabStep):
    """A script to run in the page."""

    script: str = Field(
        min_length=1,
        max_length=1_000_000,
        description="JavaScript: its last value, or what it returns, is the result; `await` may be used.",
        examples=["return document.title"],
    )
    max_chars: int = Field(
        8_000, ge=500, le=1_000_000, description="Most characters of the value.", examples=[2_000]
    )
    save_to_file: bool = Field(
        False, description="Keep the whole value and return a ref to it.", examples=[True]
    )


class TabAct(TabStep):
    """One action on something of the last scan."""

    action: Action = Field(description="What to do.", examples=["click"])
    ref: Ref | None = Field(
        None,
        description="Of the last scan. Without it `press` goes to the focus and `scroll` to the page.",
        examples=["c7"],
    )
    text: str | None = Field(
        None,
        max_length=100_000,
        description="For `type`: replaces what is there.",
        examples=["Ada"],
    )
    append: bool = Field(False, description="For `type`: keep what is there.", examples=[True])
    submit: bool = Field(False, description="For `type`: press Enter afterwards.", examples=[True])
    values: tuple[str, ...] = Field(
        (),
        max_length=100,
        description="For `select`: values or texts of options.",
        examples=[["Post"]],
    )
    key: str | None = Field(
        None,
        max_length=40,
        description="For `press`, e.g. `Enter`, `Control+A`.",
        examples=["Enter"],
    )
    to: Literal["view", "down", "up", "end", "start"] = Field(
        "view", description="For `scroll`; `view` brings the element in view.", examples=["down"]
    )

    @model_validator(mode="after")
    def _complete(self) -> Self:
        if self.ref is None and (self.action in ("click", "type", "select")):
            raise ValueError(f"{self.action} needs ref")
        if self.action == "type" and self.text is None:
            raise ValueError("type needs text")
        if self.action == "press" and not self.key:
            raise ValueError("press needs key")
        if self.action == "select" and not self.values:
            raise ValueError("select needs values")
        if self.action == "scroll" and self.ref is None and self.to == "view":
            raise ValueError("scroll needs ref, or to=down, up, end, start")
        return self


class TabShot(_Asked):
    """A picture of a tab."""

    full_page: bool = Field(
        False, description="The whole page instead of the part in view.", examples=[True]
    )
    max_bytes: int | None = Field(
        None,
        ge=1_000,
        description="Of what is in view: a JPEG of falling quality where the PNG would be larger.",
        examples=[750_000],
    )

    @model_validator(mode="after")
    def _one_of_them(self) -> Self:
        if self.full_page and self.max_bytes is not None:
            raise ValueError("max_bytes is for what is in view, not for full_page")
        return self
