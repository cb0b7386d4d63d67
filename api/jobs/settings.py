"""What an operator can set of jobs and webhooks."""

from __future__ import annotations

from pydantic import Field, SecretStr, field_validator

from api.jobs.signature import secret_bytes
from api.proxy.settings import ProxySettings


class JobSettings(ProxySettings):
    """Settings of ``/v1/jobs``, on top of those of the proxy and the extractor."""

    job_concurrency: int | None = Field(
        None,
        ge=0,
        description="pages of jobs at a time in this process; by default half of "
        "PAGEFOLD_CONCURRENCY, at least one; with 0 it takes none",
    )
    job_host_concurrency: int = Field(
        2, ge=1, description="pages of jobs at a time of one host, all replicas together"
    )
    job_host_interval_s: float = Field(
        0.5,
        ge=0,
        description="shortest time between the beginnings of two pages of one host, all replicas "
        "together",
    )
    job_max_pages: int = Field(10_000, ge=1, description="pages of one job")
    job_max_active: int = Field(
        16, ge=1, description="jobs of one tenant that have not ended; more are answered with 429"
    )
    job_tries: int = Field(
        3, ge=1, description="how often a page of a job is read before it has failed"
    )
    job_backoff_s: float = Field(
        5, ge=0, description="wait before a page of a job is read a second time; it doubles"
    )
    job_lease_s: float = Field(
        60,
        ge=1,
        description="how long a page stays with a process that no longer says it is alive",
    )
    job_poll_s: float = Field(
        1, gt=0, description="how often a process that has nothing to do looks for pages of jobs"
    )
    job_ttl_s: int = Field(
        604_800, ge=60, description="how long a job that has ended is kept, with its results"
    )
    job_results_bytes: int = Field(
        20_000_000, ge=1024, description="bytes after which an answer with results ends"
    )
    jobs_key: SecretStr | None = Field(
        None,
        min_length=32,
        description="with what requests and secrets of waiting jobs are sealed in the database; all "
        "replicas need the same one. By default a key made in the data folder",
    )
    webhook_secret: SecretStr | None = Field(
        None,
        description="signs webhooks that bring no secret of their own; `whsec_` and 24 to 64 bytes in "
        "base64",
    )
    webhook_tries: int = Field(10, ge=1, description="how often a webhook is sent before it failed")
    webhook_backoff_s: float = Field(
        5, ge=0, description="wait before a webhook is sent a second time; it quadruples, up to 6 h"
    )
    webhook_timeout_s: float = Field(15, gt=0, description="time for one answer to a webhook")

    @field_validator("webhook_secret")
    @classmethod
    def _usable_secret(cls, value: SecretStr | None) -> SecretStr | None:
        if value is not None:
            secret_bytes(value.get_secret_value())
        return value

    @property
    def job_places(self) -> int:
        """Pages of jobs at a time in this process."""
        if self.job_concurrency is not None:
            return self.job_concurrency
        return max(1, self.concurrency // 2)
