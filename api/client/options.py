"""What may be asked of the service; ``docs/reference/request.md`` says what each field means."""

from __future__ import annotations

from typing import Any, Literal, Required, TypedDict

Json = dict[str, Any]
PageFormat = Literal[
    "html", "text", "markdown", "outline", "links", "metadata", "screenshot", "pdf"
]  # fmt: skip
MessageFormat = Literal["anthropic", "openai-chat", "openai-responses", "text"]


class Filtering(TypedDict, total=False):
    """How any page is filtered, stored or not."""

    budget: int
    query: str
    main_only: bool
    include: list[str]
    exclude: list[str]
    collapsed: Literal["keep", "drop"]
    filter: str
    fold: Literal["value", "head_tail"]
    markup: Literal["auto", "full", "lean", "bare"]
    explain: bool
    include_hidden: bool


class ReplayOptions(Filtering, total=False):
    """How a stored page is filtered again."""

    provenance: bool


class ReadOptions(Filtering, total=False):
    """How a page is read and filtered in one GET."""

    render: Literal["browser", "static", "auto"]
    wait: Literal["load", "domcontentloaded", "settled"]
    deadline_s: float
    scroll: bool
    expand: bool
    javascript: bool
    device: str
    locale: str
    timezone: str
    max_bytes: int
    fence: bool
    unfold: bool


class PageOptions(Filtering, total=False):
    """A page request; either ``url`` or ``html`` is given."""

    provenance: bool
    url: str
    html: str
    base_url: str
    render: Literal["browser", "static", "auto"]
    format: list[PageFormat]
    variants: list[Json]
    fence: bool
    unfold: bool
    wait: str | Json
    deadline_s: float
    scroll: bool | Json
    expand: bool
    viewport: Json
    device: str
    locale: str
    timezone: str
    user_agent: str
    headers: dict[str, str]
    http_auth: Json
    cookies: list[Json]
    javascript: bool
    block: list[Literal["image", "media", "font"]]
    max_bytes: int


class SessionOptions(TypedDict, total=False):
    """A session to open; ``docs/reference/sessions.md`` says what each field means."""

    policy: Literal["epoch", "paper", "upstream"]
    budget_chars: int
    window_tokens: int
    estimator: Literal["script", "alpha"]
    model: str
    profile: str
    target_share: float
    limits: dict[str, Json]
    rebuild: Literal["local", "full", "auto"]
    full_share: float
    least_hit_rate: float
    horizon_requests: int
    strategy: Json
    summariser: str
    most_facts: int
    trace: bool
    prices: Json
    triggers: Json
    system: str | list[Json]
    tools: list[Json]


class TabOptions(TypedDict, total=False):
    """A tab to open."""

    url: Required[str]
    deadline_s: float
    viewport: Json
    device: str
    locale: str
    timezone: str
    user_agent: str
    headers: dict[str, str]
    http_auth: Json
    cookies: list[Json]
    block: list[Literal["image", "media", "font"]]


class ScanOptions(ReplayOptions, total=False):
    """How a tab is looked at."""

    format: PageFormat | list[PageFormat]
    variants: list[Json]
    fence: bool
    unfold: bool
    changes_only: bool
    controls: bool
    max_controls: int
    deadline_s: float


class _Step(TypedDict, total=False):
    dialogs: Literal["dismiss", "accept"]
    prompt_text: str
    quiet_ms: int
    deadline_s: float


class ActOptions(_Step, total=False):
    """One action on something of the last scan."""

    action: Required[Literal["click", "type", "select", "press", "scroll"]]
    ref: str
    text: str
    append: bool
    submit: bool
    values: list[str]
    key: str
    to: Literal["view", "down", "up", "end", "start"]


class ExecuteOptions(_Step, total=False):
    """A script to run in the page."""

    script: Required[str]
    max_chars: int
    save_to_file: bool
