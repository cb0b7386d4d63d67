"""What callers may send to the routes of jobs."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, SecretStr, field_validator

from api.jobs.signature import secret_bytes

State = Literal["queued", "running", "completed", "cancelled"]
Order = Literal["completion", "input"]

_SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"


class _Edge(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class WebhookIn(_Edge):
    """Who is told when a job ends."""

    url: str = Field(
        max_length=2_000,
        description="Where messages are sent by POST; the egress policy holds for it.",
        examples=["https://hooks.example.org/pagefold"],
    )
    secret: SecretStr | None = Field(
        None,
        max_length=200,
        description="Signs the messages: `whsec_` and 24 to 64 bytes in base64. It is never shown again. "
        "May be left out where the operator has set one.",
        examples=[_SECRET],
    )
    every: int | None = Field(
        None,
        ge=1,
        description="Tell after so many pages too, not only at the end.",
        examples=[100],
    )

    @field_validator("secret")
    @classmethod
    def _usable(cls, value: SecretStr | None) -> SecretStr | None:
        if value is not None:
            secret_bytes(value.get_secret_value())
        return value


class JobIn(_Edge):
    """Many pages to read."""

    pages: list[str | dict[str, Any]] = Field(
        min_length=1,
        description="Addresses, or whole page requests, in the order in which results can be had.",
        examples=[["https://example.org/", {"url": "https://example.org/log", "scroll": True}]],
    )
    options: dict[str, Any] = Field(
        {},
        description="Fields of a page request that all pages share; a page's own ones win.",
        examples=[{"format": ["markdown"], "render": "auto"}],
    )
    webhook: WebhookIn | None = Field(None, description="Who is told when the job ends.")


class JobsQuery(_Edge):
    """Parameters of ``GET /v1/jobs``."""

    state: State | None = Field(None, description="Only jobs in this state.", examples=["running"])
    cursor: str | None = Field(
        None, max_length=100, description="`next` of the answer before this one."
    )
    limit: int = Field(50, ge=1, le=500, description="Most jobs in the answer.", examples=[20])


class ResultsQuery(_Edge):
    """Parameters of ``GET /v1/jobs/{id}/results``."""

    order: Order = Field(
        "completion",
        description="As pages end, or as they were sent; a page that has not ended holds up those "
        "after it then.",
        examples=["input"],
    )
    cursor: str | None = Field(
        None,
        max_length=100,
        description="`next` of the answer before this one; it also says the order.",
        examples=["c120"],
    )
    limit: int = Field(
        20,
        ge=1,
        le=1_000,
        description="Most results in the answer; it may have fewer, since its size is limited too.",
        examples=[50],
    )
    content: bool = Field(
        True, description="Whether pages come with their results, or only what became of them."
    )


JobId = Annotated[str, Field(pattern="^[0-9a-f]{32}$")]
