"""``/v1/jobs``: many pages at once, in the background."""

from __future__ import annotations

from typing import Annotated, Any

import orjson
from fastapi import APIRouter, Body, Header, Query
from fastapi.responses import JSONResponse
from starlette.responses import Response

from api.callers import Caller, CallerOf
from api.jobs import docs
from api.jobs.ending import cancel
from api.jobs.events import Following, event_response, last_seen
from api.jobs.forgetting import forget_job
from api.jobs.models import JobId, JobIn, JobsQuery, ResultsQuery
from api.jobs.parts import Jobs
from api.jobs.reading import ENDED, Cursor, ended_pages, job_row, listed, shown_job, shown_page
from api.jobs.starting import started
from api.jobs.writing import now_ms
from api.json_bodies import SafeJson, ThreadedJsonRoute
from api.threads import run_to_end
from extractor.errors import InvalidRequest

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
        known = await started(jobs, body, caller, idempotency_key)
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
