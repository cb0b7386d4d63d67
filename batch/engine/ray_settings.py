"""What an operator can set of the Ray engine, read from ``PAGEFOLD_RAY_*`` variables."""

from __future__ import annotations

from pydantic import Field
from pydantic_settings import BaseSettings, SettingsConfigDict

_MB = 1_000_000


class RaySettings(BaseSettings):
    """Where Ray runs and how much it may take. None of it changes a row.

    Raises:
        pydantic.ValidationError: a value cannot work.
    """

    model_config = SettingsConfigDict(env_prefix="PAGEFOLD_RAY_", frozen=True, extra="forbid")

    address: str = Field(
        "local", description="cluster to join; `local` starts one on this machine for the run"
    )
    actors: int | None = Field(
        None,
        ge=1,
        description="processes that read pages; as many as their processors allow if not set",
    )
    actor_cpus: float = Field(1.0, gt=0, description="processors that Ray sets aside for each")
    object_store_bytes: int = Field(
        200 * _MB, ge=80 * _MB, description="shared memory of a cluster that is started here"
    )
    block_tasks: int = Field(16, ge=1, description="addresses that travel together")
    block_bytes: int = Field(4 * _MB, ge=1, description="archived bytes that travel together")
    flight_bytes: int = Field(
        64 * _MB, ge=1, description="archived bytes on their way or being read, all actors together"
    )
    calls: int = Field(16, ge=1, description="blocks that one actor reads at a time")
