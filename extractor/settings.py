"""Everything an operator can set, read from ``PAGEFOLD_*`` variables and checked at start."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated, Self

from pydantic import Field, field_validator, model_validator
from pydantic_settings import NoDecode, SettingsConfigDict

from extractor.egress.hosts import parse_host
from extractor.egress.policy import EgressRules, split_authority
from extractor.errors import InvalidUrl
from extractor.tab_settings import TabSettings
from extractor.visibility import SR_ONLY_CHARS

CommaList = Annotated[tuple[str, ...], NoDecode]
_PortList = Annotated[tuple[int, ...], NoDecode]
_MB = 1_000_000


class ExtractorSettings(TabSettings):
    """Limits and places of the extractor. Lists may be given as comma-separated text.

    Raises:
        pydantic.ValidationError: a value or a combination of values cannot work.
    """

    model_config = SettingsConfigDict(env_prefix="PAGEFOLD_", frozen=True, extra="forbid")

    chromium_path: Path | None = Field(None, description="Chromium binary; found when not set")
    data_dir: Path = Field(Path("data"), description="folder of kept snapshots")
    user_agent: str = Field(
        "Mozilla/5.0 (compatible; Pagefold/0.1)", description="of fetches without a browser"
    )

    deadline_s: float = Field(30, gt=0, le=600, description="one page, time in the queue included")
    settle_cap_s: float = Field(5, ge=0, description="longest wait for a page to become quiet")
    settle_quiet_ms: int = Field(300, ge=0, description="quiet time that ends the wait")
    dns_timeout_s: float = Field(5, gt=0, description="one name lookup")
    connect_timeout_s: float = Field(10, gt=0, description="all attempts to reach one host")
    proxy_header_timeout_s: float = Field(
        10, gt=0, description="request head that the browser sends to the egress proxy"
    )
    idle_timeout_s: float = Field(30, gt=0, description="connection on which nothing moves")
    launch_timeout_s: float = Field(20, gt=0, description="start of one browser")
    close_timeout_s: float = Field(5, gt=0, description="end of one context or browser")

    concurrency: int = Field(
        default_factory=lambda: 2 * (os.cpu_count() or 1),
        ge=1,
        description="pages at a time; by default two for each processor",
    )
    queue_size: int = Field(16, ge=0, description="requests that may wait for a slot")
    tenant_concurrency: int | None = Field(
        None, ge=1, description="pages at a time of one tenant; all slots when not set"
    )
    recycle_pages: int = Field(100, ge=1, description="pages after which a browser is replaced")
    recycle_bytes: int = Field(
        1_500_000_000, ge=100 * _MB, description="memory at which a browser is replaced"
    )
    hang_timeout_s: float = Field(
        5, gt=0, description="a browser that answers nothing for so long is killed"
    )
    stuck_deadlines: float = Field(
        3, ge=1, description="a browser that reads no page for so many deadlines is killed"
    )
    max_connections: int = Field(1024, ge=8, description="open connections through the proxy")
    max_page_connections: int = Field(
        256, ge=1, description="open connections of one page through the proxy"
    )
    max_page_refusal_lines: int = Field(
        100, ge=0, description="refused connections of one page that are logged; more are counted"
    )
    max_lookups: int = Field(128, ge=1, description="name lookups at a time")
    max_page_lookups: int = Field(
        8, ge=1, description="name lookups of one page at a time; more of them wait"
    )
    max_dial_attempts: int = Field(4, ge=1, description="addresses of one host that are tried")
    max_proxy_header_bytes: int = Field(
        262_144, ge=1024, description="head of one request or answer that passes the proxy"
    )

    max_redirects: int = Field(10, ge=0, description="HTTP redirects of one fetch")
    max_navigations: int = Field(5, ge=1, description="main-frame navigations of one page")
    max_document_bytes: int = Field(20 * _MB, ge=1024, description="decoded bytes, one document")
    max_page_bytes: int = Field(60 * _MB, ge=1024, description="bytes received for one page")
    max_requests: int = Field(500, ge=1, description="requests of one page")
    max_nodes: int = Field(300_000, ge=100, description="DOM nodes that are captured")
    max_attributes: int = Field(1_000, ge=10, description="attributes of one element")
    budget_first_elements: int | None = Field(
        10_000,
        ge=0,
        description="elements past which a page is read only as far as its budget reaches, where `unfold` is "
        "false; never when not set",
    )
    recent_nodes: int = Field(
        20_000,
        ge=0,
        description="nodes of all snapshots together that stay in memory after use, beside the disk",
    )
    map_nodes: int = Field(
        300_000,
        ge=0,
        description="nodes of the one larger snapshot that stays in memory while its map is asked for",
    )
    map_idle_s: float = Field(
        120.0, ge=1, description="seconds after its map was last asked for until it goes"
    )
    max_renderer_bytes: int = Field(
        1_500 * _MB, ge=200 * _MB, description="memory of one renderer, which is ended past it"
    )
    max_renderer_threads: int = Field(
        64, ge=48, description="threads of one renderer, which is ended past them"
    )
    max_frames: int = Field(100, ge=0, description="frames of one page at a time")
    max_workers: int = Field(20, ge=0, description="workers of one page at a time")
    max_dialogs: int = Field(50, ge=0, description="dialogs of one page, each of them dismissed")
    max_popups: int = Field(
        50, ge=0, description="windows that one page tries to open, each of them blocked"
    )
    max_blocked_hosts: int = Field(
        100, ge=1, description="blocked hosts that one result names; more are counted"
    )
    block_media: bool = Field(
        True,
        description="whether images, media and fonts stay unloaded unless `block` says otherwise",
    )
    sr_only_chars: int = Field(
        SR_ONLY_CHARS,
        ge=0,
        description="characters of one label for screen readers; more is hidden text",
    )

    allow_hosts: CommaList = Field(
        (), description="exact host:port pairs that pass even when they are private"
    )
    deny_hosts: CommaList = Field(
        (), description="hosts that never pass; a leading dot covers subdomains"
    )
    allow_ports: _PortList = Field((80, 443), description="ports below 1024 that may be dialled")
    allow_high_ports: bool = Field(True, description="whether ports above 1023 may be dialled")
    allow_websockets: bool = Field(False, description="whether pages may open WebSockets")

    @field_validator("allow_hosts", "deny_hosts", "allow_ports", mode="before")
    @classmethod
    def _split(cls, value: object) -> object:
        if isinstance(value, str):
            return tuple(part.strip() for part in value.split(",") if part.strip())
        return value

    @field_validator("allow_hosts")
    @classmethod
    def _check_allowed(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        for entry in value:
            if "*" in entry:
                raise ValueError(f"{entry!r}: wildcards are not supported, name host:port")
            try:
                split_authority(entry, None)
            except InvalidUrl as error:
                raise ValueError(f"{entry!r}: expected host:port, e.g. 127.0.0.1:8001") from error
        return value

    @field_validator("deny_hosts")
    @classmethod
    def _canonical_denied(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(_canonical_denied(entry) for entry in value)

    @field_validator("allow_ports")
    @classmethod
    def _check_ports(cls, value: tuple[int, ...]) -> tuple[int, ...]:
        if any(not 0 < port < 65536 for port in value):
            raise ValueError("ports are numbers from 1 to 65535")
        return value

    @model_validator(mode="after")
    def _check_combinations(self) -> Self:
        if self.settle_cap_s >= self.deadline_s:
            raise ValueError("settle_cap_s must be smaller than deadline_s")
        if self.settle_quiet_ms > self.settle_cap_s * 1000:
            raise ValueError("settle_quiet_ms must not exceed settle_cap_s")
        if self.max_document_bytes > self.max_page_bytes:
            raise ValueError("max_document_bytes must not exceed max_page_bytes")
        return self

    @property
    def own_ports(self) -> frozenset[int]:
        """Ports on which this service itself listens: on this machine no page may reach them."""
        return frozenset()

    @property
    def egress_rules(self) -> EgressRules:
        """The operator's network choices as the policy reads them."""
        return EgressRules(
            allow=frozenset(split_authority(entry, None) for entry in self.allow_hosts),
            deny=frozenset(self.deny_hosts),
            ports=frozenset(self.allow_ports),
            high_ports=self.allow_high_ports,
        )


def _canonical_denied(entry: str) -> str:
    dot = "." if entry.startswith(".") else ""
    try:
        return dot + str(parse_host(entry.removeprefix(".")))
    except ValueError as error:
        raise ValueError(f"{entry!r}: expected a host name or address") from error
