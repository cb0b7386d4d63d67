"""Sessions over HTTP: open, append, read the context, expand what was taken out, append a page."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from dataclasses import asdict
from typing import Annotated, Any, TypeVar

from fastapi import APIRouter, Header, Query, Request, Response
from fastapi.responses import JSONResponse

from api.compact import add_stateless
from api.session_docs import APPENDING, EXPANDING, NOTING, OPENING, READING, SENDING
from api.session_headers import expected_version, keyed_request, version_tag
from api.session_models import KeyInfoIn, MessagesIn, SessionIn
from api.session_pages import add_pages
from api.session_pool import SessionDeps, SessionPool
from api.threads import run_to_end
from compactor.cost import serialise
from compactor.session import Session

T = TypeVar("T")
Answer = dict[str, Any]


def router(deps: SessionDeps) -> APIRouter:
    """All session routes. Errors leave as compactor errors; the app maps them."""
    routes = APIRouter(prefix="/v1", tags=["sessions"])
    pool = SessionPool(deps)
    _add_sessions(routes, deps, pool)
    _add_messages(routes, deps, pool)
    add_pages(routes, deps, pool)
    add_stateless(routes, deps)
    return routes


async def _threaded(call: Callable[[], T]) -> T:
    return await run_to_end(call)


def _add_sessions(routes: APIRouter, deps: SessionDeps, pool: SessionPool) -> None:
    @routes.post("/sessions", status_code=201, summary="Open a session", responses=OPENING)
    async def create(body: SessionIn, request: Request) -> JSONResponse:
        # Refuses an impossible budget before anything is stored.
        body.as_policy().budget(body.system, body.tools)
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
        responses=READING,
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
        await _threaded(lambda: deps.store.delete(session_id, tenant=tenant))
        pool.forget(session_id, tenant)

    @routes.get(
        "/sessions/{session_id}/archive/{ref}",
        summary="Expand what was taken out",
        responses=EXPANDING,
    )
    async def expand(
        session_id: str,
        ref: str,
        request: Request,
        start: Annotated[int, Query(ge=0)] = 0,
        count: Annotated[int | None, Query(ge=1)] = None,
        keyword: Annotated[str | None, Query(min_length=1, max_length=1_000)] = None,
    ) -> Answer:
        def look_up(session: Session) -> Answer:
            if keyword is not None:
                found = session.grep(ref, keyword)
                return {"ref": ref, "lines": [{"line": n, "text": text} for n, text in found]}
            whole = session.expand_text(ref)
            text = whole[start:] if count is None else whole[start : start + count]
            return {
                "ref": ref,
                "start": start,
                "count": len(text),
                "total": len(whole),
                "text": text,
            }

        return await pool.use(session_id, deps.tenant(request), look_up)


def _add_messages(routes: APIRouter, deps: SessionDeps, pool: SessionPool) -> None:
    @routes.post(
        "/sessions/{session_id}/messages",
        summary="Append one or many messages",
        responses=APPENDING,
    )
    async def append(
        session_id: str,
        body: MessagesIn,
        request: Request,
        response: Response,
        idempotency_key: Annotated[str | None, Header(max_length=255)] = None,
        if_match: Annotated[str | None, Header()] = None,
    ) -> Answer:
        keyed = keyed_request(idempotency_key, body.model_dump(mode="json"))
        expected = expected_version(if_match)

        def run(session: Session) -> Answer:
            earlier = deps.store.reply(session_id, keyed) if keyed else None
            if earlier is not None:
                return earlier
            made = session.append_many(
                body.as_list(),
                body.format,
                usage=body.usage,
                pinned=body.pinned,
                keyed=keyed,
                expected_version=expected,
            ).as_json()
            deps.note_report(made)
            return made

        tenant = deps.tenant(request)
        with pool.keys.hold(tenant, session_id, keyed):
            report = await pool.use(session_id, tenant, run)
        response.headers["ETag"] = version_tag(report["version"])
        return report

    @routes.put(
        "/sessions/{session_id}/key-info",
        summary="Replace what the agent keeps in view",
        responses=NOTING,
    )
    async def put_key_info(
        session_id: str,
        body: KeyInfoIn,
        request: Request,
        response: Response,
        if_match: Annotated[str | None, Header()] = None,
    ) -> Answer:
        expected = expected_version(if_match)
        version = await pool.use(
            session_id,
            deps.tenant(request),
            lambda session: session.set_key_info(body.key_info, expected_version=expected),
        )
        response.headers["ETag"] = version_tag(version)
        return {"version": version, "key_info": body.key_info}

    @routes.get(
        "/sessions/{session_id}/key-info", summary="What the agent keeps in view", responses=READING
    )
    async def get_key_info(session_id: str, request: Request) -> Answer:
        def read(session: Session) -> Answer:
            return {"version": session.version, "key_info": session.key_info}

        return await pool.use(session_id, deps.tenant(request), read)

    @routes.get(
        "/sessions/{session_id}/certificate", summary="Where every entry stands", responses=SENDING
    )
    async def certificate(
        session_id: str, request: Request, format: Annotated[str, Query()] = "anthropic"
    ) -> Answer:
        def read(session: Session) -> Answer:
            lines = session.certificate(session.context(format))
            return {"version": session.version, "certificate": [asdict(line) for line in lines]}

        return await pool.use(session_id, deps.tenant(request), read)

    @routes.get(
        "/sessions/{session_id}/context",
        summary="The context, ready to send",
        responses={304: {"description": "Unchanged since the ETag in `If-None-Match`."}, **SENDING},
    )
    async def context(
        session_id: str,
        request: Request,
        format: Annotated[str, Query()] = "anthropic",
        if_none_match: Annotated[str | None, Header()] = None,
    ) -> Response:
        def read(session: Session) -> tuple[str, Answer]:
            made = session.context(format)
            return f'"{made.etag}"', {
                "version": session.version,
                "system": made.system,
                "tools": made.tools,
                "messages": made.messages,
                "stats": asdict(made.stats),
                "lost": [asdict(item) for item in made.lost],
            }

        tag, body = await pool.use(session_id, deps.tenant(request), read)
        if if_none_match is not None and tag in [t.strip() for t in if_none_match.split(",")]:
            return Response(status_code=304, headers={"ETag": tag})
        return Response(serialise(body), media_type="application/json", headers={"ETag": tag})
