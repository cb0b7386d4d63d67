"""``/v1/jobs``: many pages at once, in the background."""

from __future__ import annotations

from typing import Annotated, Any

import orjson
from fastapi import APIRouter, Body, Header, Query
from fastapi.responses import JSONResponse
from starlette.responses import Response

from api.callers import Caller, CallerOf
from api.jobs import docs
from api.jobs.creating import NewJob, checked_job, fingerprint_of, known_job, write_job
from api.jobs.ending import cancel
from api.jobs.events import Following, event_response, last_seen
from api.jobs.forgetting import forget_job
from api.jobs.models import JobId, JobIn, JobsQuery, ResultsQuery, WebhookIn
from api.jobs.parts import Jobs
from api.jobs.reading import ENDED, Cursor, ended_pages, job_row, listed, shown_job, shown_page
from api.jobs.webhooks import judge_webhook
from api.jobs.writing import now_ms
from api.json_bodies import SafeJson, ThreadedJsonRoute
from api.redaction import mask_address
from api.threads import run_to_end
from extractor.errors import ExtractorError, InvalidRequest

Shown = dict[str, Any]


def router(jobs: Jobs) -> APIRouter:
    """All routes of jobs. Errors leave as the packages' errors; the app maps them."""
    routes = APIRouter(
        prefix="/v1/jobs",
        tags=["jobs"],
        route_class=ThreadedJsonRoute,
        default_response_class=SafeJson,
    )
    _add_creating(routes, jobs)
    _add_reading(routes, jobs)
    _add_results(routes, jobs)
    _add_ending(routes, jobs)
    return routes


def _add_creating(routes: APIRouter, jobs: Jobs) -> None:
    @routes.post("", status_code=201, summary="Read many pages", responses=docs.CREATING)
    async def create(
        body: Annotated[JobIn, Body(openapi_examples=docs.EXAMPLES)],
        caller: CallerOf,
        idempotency_key: Annotated[str | None, Header(min_length=1, max_length=255)] = None,
    ) -> JSONResponse:
        """The pages are read in the background, behind all other requests. With an `Idempotency-Key`
        the same request makes one job, however often it is sent.
        """
        known, fingerprint = None, ""
        if idempotency_key is not None:
            fingerprint = await run_to_end(lambda: fingerprint_of(body))
            known = await _known(jobs, caller, idempotency_key, fingerprint)
        if known is None:
            hook = await _webhook(jobs, body.webhook)
            new = await run_to_end(
                lambda: checked_job(body, caller, jobs.seal, most=jobs.settings.job_max_pages)
            )
            new.job.update(**hook, **_limits(jobs, caller))
            if idempotency_key is not None:
                new.job.update(idempotency_key=idempotency_key, fingerprint=fingerprint)
            known = await _written(jobs, caller, new)
        jobs.wake()
        shown = await _shown(jobs, known, caller)
        return SafeJson(shown, status_code=201, headers={"Location": f"/v1/jobs/{known}"})


def _add_reading(routes: APIRouter, jobs: Jobs) -> None:
    @routes.get("", summary="Jobs, the newest first", responses=docs.LISTING)
    async def list_jobs(params: Annotated[JobsQuery, Query()], caller: CallerOf) -> Shown:
        return await run_to_end(lambda: listed(jobs.engine, caller.tenant, params))

    @routes.get("/{job_id}", summary="How far a job is", responses=docs.SHOWING)
    async def show(job_id: JobId, caller: CallerOf) -> Shown:
        return await _shown(jobs, job_id, caller)

    @routes.get(
        "/{job_id}/events",
        summary="Follow a job",
        response_class=Response,
        responses=docs.FOLLOWING,
    )
    async def follow(
        job_id: JobId,
        caller: CallerOf,
        last_event_id: Annotated[str | None, Header(max_length=40)] = None,
    ) -> Response:
        """Every page as it ends, and then the end; the stream can be taken up where it was cut off."""
        after, tenant = last_seen(last_event_id), caller.tenant
        row = await run_to_end(lambda: job_row(jobs.engine, job_id, tenant))
        if after is None and row.state in ENDED:
            return event_response(None)
        quiet_s = jobs.settings.events_quiet_s
        following = Following(jobs.engine, job_id, tenant, after or 0, quiet_s, jobs.drain)
        return event_response(following)


def _add_results(routes: APIRouter, jobs: Jobs) -> None:
    @routes.get(
        "/{job_id}/results",
        summary="What became of the pages",
        response_class=Response,
        responses=docs.RESULTS,
    )
    async def results(
        job_id: JobId, params: Annotated[ResultsQuery, Query()], caller: CallerOf
    ) -> Response:
        """Results in pieces. Ask with `next` until `complete`: nothing comes twice, nothing is left out."""
        cursor = _cursor(params)
        body = await run_to_end(lambda: _results(jobs, job_id, caller.tenant, cursor, params))
        return Response(body, media_type="application/json")


def _add_ending(routes: APIRouter, jobs: Jobs) -> None:
    @routes.delete("/{job_id}", summary="Cancel or forget a job", responses=docs.ENDING)
    async def delete(job_id: JobId, caller: CallerOf) -> Response:
        """A running job is cancelled: pages that are being read are ended, what was read stays. A job
        that has ended is removed with its results.
        """
        tenant = caller.tenant
        await run_to_end(lambda: job_row(jobs.engine, job_id, tenant))
        running = await run_to_end(lambda: cancel(jobs.engine, job_id, tenant, now_ms()))
        if running is None:
            await run_to_end(lambda: forget_job(jobs.engine, jobs.results_of, job_id, tenant))
            return Response(status_code=204)
        if jobs.runner is not None:
            jobs.runner.stop_pages(job_id, running)
        jobs.metrics.job("cancelled")
        jobs.wake()
        return SafeJson(await _shown(jobs, job_id, caller))


async def _shown(jobs: Jobs, job_id: str, caller: Caller) -> Shown:
    return await run_to_end(lambda: shown_job(jobs.engine, job_id, caller.tenant, now_ms()))


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


def _cursor(params: ResultsQuery) -> Cursor:
    if params.cursor is None:
        return Cursor(params.order, 0 if params.order == "completion" else -1)
    cursor = Cursor.read(params.cursor)
    if "order" in params.model_fields_set and params.order != cursor.order:
        raise InvalidRequest("The cursor belongs to the other order.", field="cursor")
    return cursor


def _results(
    jobs: Jobs, job_id: str, tenant: str, cursor: Cursor, params: ResultsQuery
) -> bytes:  # fmt: skip
    # The state is read first: what has ended by then is among the pages read after it.
    ended = job_row(jobs.engine, job_id, tenant).state in ENDED
    rows, more = ended_pages(jobs.engine, job_id, cursor, params.limit)
    store, size, after = jobs.results_of(tenant), 0, cursor.after
    shown: list[Shown] = []
    for row in rows:
        size += row.result_bytes or 0
        if shown and params.content and size > jobs.settings.job_results_bytes:
            more = True
            break
        found = shown_page(row)
        if params.content:
            found["page"] = row.result and orjson.Fragment(store.get(job_id, row.result))
        shown.append(found)
        after = row.number if cursor.order == "completion" else row.position
    after_these = str(Cursor(cursor.order, after))
    return orjson.dumps({"results": shown, "next": after_these, "complete": ended and not more})
