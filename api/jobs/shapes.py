"""What the routes of jobs answer, as schemas: for the OpenAPI document, and held to by the tests."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from api.jobs.models import State

_AT = "ISO 8601 in UTC"


class _Shape(BaseModel):
    model_config = ConfigDict(extra="forbid")


class PageCounts(_Shape):
    """How many pages of a job are in which state."""

    total: int
    waiting: int = Field(description="not begun, or to be read again")
    running: int = Field(description="being read now")
    done: int = Field(description="read")
    failed: int = Field(description="given up; `failures` says by which codes")
    cancelled: int = Field(description="not read, since the job was cancelled")


class BriefCounts(_Shape):
    """How many pages of a job are in which state; those being read count as waiting."""

    total: int
    waiting: int
    done: int
    failed: int
    cancelled: int


class MessageCounts(_Shape):
    """Messages of a webhook."""

    waiting: int = Field(description="to be sent, or sent again")
    delivered: int = Field(description="answered with 2xx")
    failed: int = Field(description="given up")


class LastMessage(_Shape):
    """The newest message that was tried."""

    id: str = Field(description="its `webhook-id`")
    type: Literal["job.progress", "job.completed", "job.cancelled"]
    state: Literal["waiting", "delivered", "failed"]
    tries: int
    status: int | None = Field(description="what the last try was answered")
    code: str | None = Field(description="what kept the last try from an answer")


class WebhookOut(_Shape):
    """How a webhook stands."""

    url: str = Field(description="its address without query; it is sent to whole")
    every: int | None = Field(description="after how many pages it is told, too")
    messages: MessageCounts
    last: LastMessage | None


class _Times(_Shape):
    id: str = Field(pattern="^[0-9a-f]{32}$")
    state: State
    created_at: str = Field(description=_AT)
    started_at: str | None = Field(description=f"when its first page was begun; {_AT}")
    ended_at: str | None = Field(description=_AT)


class JobOut(_Times):
    """A job."""

    pages: PageCounts
    failures: dict[str, int] = Field(description="code → pages that failed with it")
    progress: float = Field(description="share of the pages that have ended, 0 to 1")
    eta_s: float | None = Field(
        description="seconds until the last page has ended, as fast as they end lately"
    )
    webhook: WebhookOut | None


class BriefJob(_Times):
    """A job in a list."""

    pages: BriefCounts


class JobsOut(_Shape):
    """Jobs, the newest first."""

    jobs: list[BriefJob]
    next: str | None = Field(description="`cursor` of the rest; null when there is none")


class ResultOut(_Shape):
    """What became of one page."""

    position: int = Field(description="its place in the request, from 0")
    number: int = Field(description="grows with every page that ends; the id of its event")
    url: str | None = Field(description="the address asked for; null for markup in hand")
    state: Literal["done", "failed", "cancelled"]
    tries: int = Field(description="how often it was read")
    ended_at: str = Field(description=_AT)
    problem: dict[str, Any] | None = Field(description="why it failed, as a problem document")
    page: dict[str, Any] | None = Field(
        None, description="the page, as `POST /v1/pages` answers; with `content=true` alone"
    )


class ResultsOut(_Shape):
    """Results, in one of two orders."""

    results: list[ResultOut]
    next: str = Field(description="`cursor` of what comes after these, now or later")
    complete: bool = Field(description="whether the job has ended and nothing comes after these")
