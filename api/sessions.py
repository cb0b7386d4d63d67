"""Sessions over HTTP: all their routes, and opening, listing and deleting one."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from typing import Any, TypeVar

from fastapi import APIRouter, Request, Response
from fastapi.responses import JSONResponse

from api.compact import add_stateless
from api.json_bodies import SafeJson, ThreadedJsonRoute
from api.session_advice import add_advice
from api.session_docs import OPENING, READING, answered
from api.session_headers import version_tag
from api.session_list import add_list
from api.session_looks import add_looks
from api.session_messages import add_messages
from api.session_models import SessionIn
from api.session_pages import add_pages
from api.session_plans import add_plans
from api.session_pool import SessionDeps, SessionPool
from api.session_reads import add_reads
from api.session_shortening import add_shortening
from api.summarising import summariser_for
from api.threads import run_to_end
from api.trace import add_trace
from compactor.session import Session

T = TypeVar("T")
Answer = dict[str, Any]


def router(deps: SessionDeps) -> APIRouter:
    """All session routes. Errors leave as compactor errors; the app maps them."""
    routes = APIRouter(
        prefix="/v1",
        tags=["sessions"],
        route_class=ThreadedJsonRoute,
        default_response_class=SafeJson,
    )
    pool = SessionPool(deps)
    add_list(routes, deps)
    _add_sessions(routes, deps, pool)
    add_messages(routes, deps, pool)
    add_reads(routes, deps, pool)
    add_looks(routes, deps, pool)
    add_plans(routes, deps, pool)
    add_advice(routes, deps, pool)
    add_shortening(routes, deps, pool)
    add_pages(routes, deps, pool)
    add_trace(routes, deps, pool)
    add_stateless(routes, deps)
    return routes


async def _threaded(call: Callable[[], T]) -> T:
    return await run_to_end(call)


def _add_sessions(routes: APIRouter, deps: SessionDeps, pool: SessionPool) -> None:
    @routes.post(
        "/sessions",
        status_code=201,
        summary="Open a session",
        responses={**answered("create", 201), **OPENING},
    )
    async def create(body: SessionIn, request: Request) -> JSONResponse:
        # Refuses an impossible budget before anything is stored.
        body.as_policy().budget(body.system, body.tools)
        summariser_for(body.summariser, deps.make_summariser)
        session_id = secrets.token_hex(16)
        tenant = deps.tenant(request)
        settings = body.model_dump(mode="json")
        await _threaded(lambda: deps.store.create(session_id, settings, tenant=tenant))
        shown = await pool.use(session_id, tenant, Session.as_json)
        headers = {"Location": f"/v1/sessions/{session_id}", "ETag": version_tag(0)}
        return JSONResponse({"id": session_id, **shown}, status_code=201, headers=headers)

    @routes.get(
        "/sessions/{session_id}",
        summary="Version, policy and sizes of a session",
        responses={**answered("show"), **READING},
    )
    async def show(session_id: str, request: Request, response: Response) -> Answer:
        shown = await pool.use(session_id, deps.tenant(request), Session.as_json)
        response.headers["ETag"] = version_tag(shown["version"])
        return {"id": session_id, **shown}

    @routes.delete(
        "/sessions/{session_id}", status_code=204, summary="Delete a session", responses=READING
    )
    async def delete(session_id: str, request: Request) -> None:
        tenant = deps.tenant(request)
        await _threaded(lambda: deps.delete(session_id, tenant))
        pool.forget(session_id, tenant)
