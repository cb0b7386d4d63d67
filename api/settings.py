"""What an operator of the service can set, on top of the extractor's own settings."""

from __future__ import annotations

import ipaddress
from typing import Literal, Self

from pydantic import Field, model_validator
from pydantic_settings import SettingsConfigDict

from extractor.settings import ExtractorSettings


class ApiSettings(ExtractorSettings):
    """Settings of the HTTP service, the CLI and the demo site, read from ``PAGEFOLD_*``.

    Raises:
        pydantic.ValidationError: a value or a combination of values cannot work.
    """

    model_config = SettingsConfigDict(env_prefix="PAGEFOLD_", frozen=True, extra="forbid")

    host: str = Field("127.0.0.1", description="address that the service listens on")
    port: int = Field(8000, ge=0, le=65535, description="port of the service; 0 picks a free one")
    demo_port: int = Field(8001, ge=1, le=65535, description="port of the demo site on loopback")
    allow_unauthenticated: bool = Field(
        False, description="serve beyond loopback although there are no API keys"
    )
    max_body_bytes: int = Field(
        10_000_000, ge=1024, description="bytes of one request body, counted as they arrive"
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
    shutdown_grace_s: int = Field(25, ge=0, description="time that running requests get at the end")
    ready_ttl_s: float = Field(5, ge=0, description="how long one answer of /readyz is reused")
    log_format: Literal["console", "json"] = Field("console", description="shape of log lines")

    @model_validator(mode="after")
    def _check_exposure(self) -> Self:
        if not is_loopback(self.host) and not self.allow_unauthenticated:
            raise ValueError(
                f"host {self.host} is reachable from other machines and the service asks for no "
                "key; use 127.0.0.1, or set PAGEFOLD_ALLOW_UNAUTHENTICATED=true behind a gateway"
            )
        return self

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
