"""What an operator of the service can set, on top of the extractor's own settings."""

from __future__ import annotations

import ipaddress
import re
from typing import Literal

from pydantic import Field, SecretStr, field_validator
from pydantic_settings import SettingsConfigDict

from api.jobs.settings import JobSettings
from extractor.settings import CommaList

_NAME = re.compile(r"[a-z0-9_]([a-z0-9_.-]*[a-z0-9_])?\Z")


class ApiSettings(JobSettings):
    """Settings of the HTTP service, the CLI and the demo site, read from ``PAGEFOLD_*``.

    Raises:
        pydantic.ValidationError: a value or a combination of values cannot work.
    """

    model_config = SettingsConfigDict(env_prefix="PAGEFOLD_", frozen=True, extra="forbid")

    host: str = Field("127.0.0.1", description="address that the service listens on")
    port: int = Field(8000, ge=0, le=65535, description="port of the service; 0 picks a free one")
    demo_port: int = Field(8001, ge=1, le=65535, description="port of the demo site on loopback")
    allow_unauthenticated: bool = Field(
        False,
        description="answer everyone, beyond loopback too, as long as there is no API key; for use "
        "behind a gateway",
    )
    allowed_hosts: CommaList = Field(
        (),
        description="names and addresses by which the service is called (`Host` header, without "
        "port); by default those of loopback when it listens there, else any",
    )
    key_ttl_s: float = Field(
        2, ge=0, description="how long keys are remembered; a revoked one works that long"
    )
    key_requests_per_minute: int = Field(
        120, ge=1, description="requests a minute of a tenant whose key says nothing else"
    )
    key_concurrency: int = Field(
        8, ge=1, description="requests at a time of a tenant whose key says nothing else"
    )
    max_body_bytes: int = Field(
        10_000_000, ge=1024, description="bytes of one request body, counted as they arrive"
    )
    max_append_bytes: int = Field(
        64_000_000,
        ge=1024,
        description="bytes of one append to a session, which may hold whole tool results",
    )
    large_appends: int = Field(
        2,
        ge=1,
        description="appends larger than PAGEFOLD_MAX_BODY_BYTES at a time; others get 429",
    )
    mcp_result_chars: int = Field(
        35_000, ge=1_000, description="most characters of one result of an MCP tool"
    )
    mcp_picture_bytes: int = Field(
        750_000,
        ge=10_000,
        description="most bytes of a picture that an MCP tool gives; as text it takes a third more",
    )
    database_url: str | None = Field(
        None,
        description="where sessions are kept, e.g. postgresql+psycopg://user@host/db; by default "
        "SQLite in the data folder",
    )
    archive_url: str | None = Field(
        None,
        description="where archived originals are kept, e.g. s3://bucket/prefix; by default a folder "
        "in the data folder",
    )
    summariser_url: str | None = Field(
        None,
        description="chat endpoint for summaries that speaks OpenAI's Chat Completions, e.g. "
        "https://api.openai.com/v1; sessions ask for it with `summariser`. A private address must stand "
        "in PAGEFOLD_ALLOW_HOSTS too",
    )
    summariser_key: SecretStr | None = Field(
        None, description="key of that endpoint; it is sent there and stands nowhere else"
    )
    summariser_model: str = Field("", description="name of the model there")
    summariser_timeout_s: float = Field(60, gt=0, description="time for one answer of it")
    summariser_tries: int = Field(
        3, ge=1, description="requests for one summary, the first included"
    )
    summariser_failures: int = Field(
        3, ge=1, description="summaries in a row that fail before the endpoint is left alone"
    )
    summariser_rest_s: float = Field(300, ge=0, description="for how long it is left alone then")
    summariser_window_tokens: int = Field(
        16_000,
        ge=1_000,
        description="what one request to it may hold; longer records go in several",
    )
    session_ttl_s: int | None = Field(
        None,
        ge=60,
        description="a session that nobody has written to for that long is removed, with the originals "
        "that only it held; by default sessions stay",
    )
    sweep_interval_s: int = Field(
        21_600,
        ge=1,
        description="how often sessions and originals that may go are looked for",
    )
    max_running: int = Field(
        256, ge=1, description="requests of any kind at a time; more are answered with 429"
    )
    shutdown_grace_s: int = Field(25, ge=0, description="time that running requests get at the end")
    drain_notice_s: float = Field(
        0,
        ge=0,
        description="shortest time that a stopping service still refuses requests with 503, for load "
        "balancers that are slow to see `/readyz`",
    )
    events_quiet_s: float = Field(
        10, gt=0, description="silence in a stream of events after which a comment is sent"
    )
    keep_alive_s: int = Field(5, ge=1, description="time that an idle connection is kept open")
    max_header_bytes: int = Field(
        65_536, ge=1024, description="bytes of a request line and its headers"
    )
    header_timeout_s: float = Field(
        15, gt=0, description="time in which a request's line and headers must have come"
    )
    body_timeout_s: float = Field(
        60, gt=0, description="time in which a request's body must have come"
    )
    slow_client_s: float = Field(
        30,
        gt=0,
        description="time in which a client must take 64 KiB of an answer, or all that is left of it",
    )
    traces: bool = Field(
        False, description="whether spans are sent by OTLP; needs the extra `pagefold[otel]`"
    )
    ready_timeout_s: float = Field(5, gt=0, description="one check of /readyz")
    ready_ttl_s: float = Field(5, ge=0, description="how long one answer of /readyz is reused")
    log_texts: bool = Field(
        False,
        description="whether log lines show what exceptions and other libraries say; that may quote "
        "requests and pages",
    )
    log_format: Literal["console", "json"] = Field("console", description="shape of log lines")

    @field_validator("allowed_hosts", mode="before")
    @classmethod
    def _split_hosts(cls, value: object) -> object:
        if isinstance(value, str):
            return tuple(part.strip() for part in value.split(",") if part.strip())
        return value

    @field_validator("allowed_hosts")
    @classmethod
    def _plain_hosts(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(plain_host(entry) for entry in value)

    @property
    def asks_for_keys(self) -> bool:
        """Whether a key is asked for even before the first one was made."""
        return not is_loopback(self.host) and not self.allow_unauthenticated

    def make_data_dir(self) -> None:
        """Make the data folder, where it is missing, for its owner alone: all tenants' things are in it.

        Raises:
            OSError: it cannot be made.
        """
        self.data_dir.mkdir(mode=0o700, parents=True, exist_ok=True)

    @property
    def rows_url(self) -> str:
        """The database of sessions and keys."""
        return self.database_url or f"sqlite:///{self.data_dir / 'sessions.db'}"

    @property
    def own_ports(self) -> frozenset[int]:
        """The port of the API, where it is known before the start."""
        return frozenset({self.port} - {0})

    def with_demo(self) -> ApiSettings:
        """The same settings with the demo site's exact addresses let through the egress policy."""
        demo = (f"127.0.0.1:{self.demo_port}", f"localhost:{self.demo_port}")
        missing = tuple(entry for entry in demo if entry not in self.allow_hosts)
        return self.model_copy(update={"allow_hosts": (*self.allow_hosts, *missing)})


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach a server that listens on ``host``."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def plain_host(text: str) -> str:
    """A host as it is compared: lower case, an address in its shortest form, no trailing dot.

    Raises:
        ValueError: that is no host, or it has a port.
    """
    bare = text.strip().lower().removesuffix(".")
    if bare.startswith("[") and bare.endswith("]"):
        bare = bare[1:-1]
    try:
        return str(ipaddress.ip_address(bare))
    except ValueError:
        if not _NAME.match(bare):
            raise ValueError(f"{text!r}: expected a host without a port") from None
        return bare
