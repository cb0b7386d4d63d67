"""What the service answers with, as typed dictionaries; the values are those of its JSON."""

from __future__ import annotations

from typing import Any, TypedDict

Json = dict[str, Any]


class SnapshotName(TypedDict):
    """The stored capture; ``id`` is what unfolding takes."""

    id: str
    stored: bool


class Fold(TypedDict):
    """One marker in the output."""

    ref: str
    items: int
    chars: int
    what: str
    region: str
    rule: str


class Link(TypedDict):
    """A link of the page."""

    url: str
    text: str
    region: str
    rel: list[str]


class Page(TypedDict):
    """A page; ``content`` holds each format that was asked for."""

    url: str
    final_url: str
    redirects: list[str]
    status: int
    content_type: str
    charset: str
    title: str
    lang: str
    captured_at: str
    content: dict[str, str]
    regions: list[Json]
    folds: list[Fold]
    ledger: list[Json]
    links: list[Link]
    metadata: Json
    warnings: list[Json]
    wait: Json
    complete: bool
    incomplete_reason: str | None
    stats: Json
    unseen: list[Json]
    hidden: list[Json]
    variants: list[Json]
    provenance: Json
    snapshot: SnapshotName


class Session(TypedDict):
    """Version, policy and sizes of a session, in characters."""

    id: str
    version: int
    policy: str
    budget_chars: int
    cost_chars: int
    messages: int
    evicted: int
    open_calls: list[str]


class Change(TypedDict):
    """Something that was made shorter; ``ref`` gives the original back."""

    step: str
    seq: int
    ref: str
    before: int
    after: int
    why: str


class Report(TypedDict):
    """What an append did."""

    version: int
    appended: list[int]
    changes: list[Change]
    cost_chars: int
    budget_chars: int
    certificate: list[Json]
    warning: str
    notes: list[str]


class AppendedPage(TypedDict):
    """A page that was fetched and appended; ``page`` is ``None`` when the request was a repeated one."""

    page: Page | None
    report: Report


class Context(TypedDict):
    """What to send to the model: ``system``, ``tools`` and ``messages``."""

    version: int
    system: str | list[Json] | None
    tools: list[Json] | None
    messages: list[Json]
    allowed_tools: list[str] | None
    breakpoints: list[Json]
    prompt_cache_key: str
    prefix_hash: str
    not_carried: list[Json]
    tools_sentence: str
    stats: Json
    lost: list[Json]


class Expanded(TypedDict):
    """A range of an original, in characters."""

    ref: str
    start: int
    count: int
    total: int
    text: str


class Line(TypedDict):
    """A line of an original; the first is 1."""

    line: int
    text: str


class KeyInfo(TypedDict):
    """What the agent keeps in view."""

    version: int
    key_info: str


class Verdict(TypedDict):
    """Whether messages keep a provider's rules, and what is wrong with them."""

    valid: bool
    findings: list[Json]


class Tab(TypedDict):
    """A page that is open; times are seconds."""

    id: str
    url: str
    title: str
    opener: str
    age_s: float
    idle_s: float
    expires_in_s: float


class Control(TypedDict):
    """Something that can be acted on; its ref holds until the next scan."""

    ref: str
    role: str
    name: str
    tag: str
    value: str
    states: list[str]
    options: list[str]
    context: str
    frame: str
    url: str
    in_view: bool


class Scan(TypedDict):
    """A look at a tab; ``changes`` stand there with ``changes_only``."""

    tab: Tab
    page: Page | None
    controls: list[Control]
    more_controls: int
    changes: Json | None
    meanwhile: list[str]


class Outcome(TypedDict):
    """What a step did; ``saved`` is the ref of the whole value where it was kept."""

    tab: Tab
    value: str
    value_type: str
    value_chars: int
    saved: str | None
    changed: list[Json]
    more_changed: int
    largest: Json | None
    transient: list[str]
    meanwhile: list[str]
    new_tabs: list[Tab]
    refused: list[str]
    dialogs: list[Json]
    navigated: str
    wait: str
