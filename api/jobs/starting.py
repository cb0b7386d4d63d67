"""From a request to a job that waits: its webhook judged, its limits noted, and made once for one key."""

from __future__ import annotations

from typing import Any

from api.callers import Caller
from api.jobs.creating import NewJob, checked_job, fingerprint_of, known_job, write_job
from api.jobs.models import JobIn, WebhookIn
from api.jobs.parts import Jobs
from api.jobs.webhooks import judge_webhook
from api.redaction import mask_address
from api.threads import run_to_end
from extractor.errors import ExtractorError, InvalidRequest


async def started(jobs: Jobs, body: JobIn, caller: Caller, key: str | None) -> str:
    """The id of the job that the request makes, or has made before with this key.

    Raises:
        InvalidRequest: the body cannot be used, or the key came with another one.
        Busy: too many of the tenant's jobs have not ended.
        Forbidden: the caller's key does not allow what a page asks for.
        ExtractorError: the webhook may not be sent to; see ``judge_webhook``.
    """
    fingerprint = ""
    if key is not None:
        fingerprint = await run_to_end(lambda: fingerprint_of(body))
        if (known := await _known(jobs, caller, key, fingerprint)) is not None:
            return known
    hook = await _webhook(jobs, body.webhook)
    most = jobs.settings.job_max_pages
    new = await run_to_end(lambda: checked_job(body, caller, jobs.seal, most=most))
    new.job.update(**hook, **_limits(jobs, caller))
    if key is not None:
        new.job.update(idempotency_key=key, fingerprint=fingerprint)
    return await _written(jobs, caller, new)


async def _known(jobs: Jobs, caller: Caller, key: str, fingerprint: str) -> str | None:
    return await run_to_end(lambda: known_job(jobs.engine, caller.tenant, key, fingerprint))


async def _written(jobs: Jobs, caller: Caller, new: NewJob) -> str:
    """The id under which the job is kept: another one's where the same request was faster."""
    most = jobs.settings.job_max_active
    if await run_to_end(lambda: write_job(jobs.engine, new, most_active=most)):
        return new.id
    key, fingerprint = new.job["idempotency_key"], new.job["fingerprint"]
    found = await _known(jobs, caller, key, fingerprint)
    if found is None:
        raise InvalidRequest("This job was deleted just now; send it again.")
    return found


async def _webhook(jobs: Jobs, hook: WebhookIn | None) -> dict[str, Any]:
    """The columns of a job that say whom to tell.

    Raises:
        InvalidRequest: nobody has given a secret.
        ExtractorError: as ``judge_webhook``.
    """
    if hook is None:
        return {}
    secret = hook.secret or jobs.settings.webhook_secret
    if secret is None:
        raise InvalidRequest(
            "A webhook needs a secret to sign with, or PAGEFOLD_WEBHOOK_SECRET.",
            field="webhook.secret",
        )
    try:
        url = await judge_webhook(hook.url, jobs.settings)
    except ExtractorError as error:
        error.field = "webhook.url"
        raise
    sealed = jobs.seal.close({"url": url, "secret": secret.get_secret_value()})
    shown = mask_address(url).partition("?")[0]
    return {"webhook": sealed, "webhook_shown": shown, "webhook_every": hook.every}


def _limits(jobs: Jobs, caller: Caller) -> dict[str, int]:
    """What the caller's key allows of requests, as columns of a job."""
    if caller.key is None:
        return {}
    settings = jobs.settings
    return {
        "per_minute": caller.key.requests_per_minute or settings.key_requests_per_minute,
        "at_a_time": caller.key.concurrency or settings.key_concurrency,
    }
