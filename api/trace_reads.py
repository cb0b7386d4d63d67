"""What a session knows, over HTTP: read back with versions, links and originals, and recalled."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Path, Query, Request

from api.session_docs import EXPANDING, READING
from api.session_pool import SessionDeps, SessionPool
from api.threads import run_to_end
from api.trace_docs import RECALLING, REPLAYING, answered
from api.trace_models import RecallIn
from compactor.log_page import read_page
from compactor.session import Session

Answer = dict[str, Any]
ItemId = Annotated[str, Path(pattern=r"^[a-z]\d{1,12}$", description="id of an item, such as h3")]
Newest = Annotated[int, Query(ge=1, le=10_000, description="so many, the newest of them")]


def add_trace_reads(routes: APIRouter, deps: SessionDeps, pool: SessionPool) -> None:
    """Add the routes."""
    _add_recall(routes, deps, pool)
    _add_original(routes, deps, pool)
    _add_log(routes, deps)

    @routes.get(
        "/sessions/{session_id}/events",
        summary="What was written down, event by event",
        responses={**answered("trace_events"), **READING},
    )
    async def events(
        session_id: str,
        request: Request,
        after: Annotated[int, Query(ge=0)] = 0,
        limit: Annotated[int, Query(ge=1, le=10_000)] = 1_000,
    ) -> Answer:
        def read(session: Session) -> Answer:
            found = session.trace_events(after, limit)
            return {"version": session.version, "total": session.trace.events, "events": found}

        return await pool.use(session_id, deps.tenant(request), read)

    @routes.get(
        "/sessions/{session_id}/items/{item}",
        summary="An item with its versions, links and originals",
        responses={**answered("trace_of"), **EXPANDING},
    )
    async def trace_of(session_id: str, item: ItemId, request: Request) -> Answer:
        def read(session: Session) -> Answer:
            found = session.trace_of(item)
            found["originals"] = [
                {**span.as_json(), "text": text} for span, text in session.originals(item)
            ]
            return found

        return await pool.use(session_id, deps.tenant(request), read)

    @routes.get(
        "/sessions/{session_id}/graph",
        summary="Hypotheses, decisions and evidence, with their edges",
        responses={**answered("trace_graph"), **READING},
    )
    async def graph(session_id: str, request: Request, newest: Newest = 200) -> Answer:
        def read(session: Session) -> Answer:
            return {"version": session.version, **session.graph(newest)}

        return await pool.use(session_id, deps.tenant(request), read)


def _add_log(routes: APIRouter, deps: SessionDeps) -> None:
    @routes.get(
        "/sessions/{session_id}/log",
        summary="The session's log as it is stored, with its chain of hashes",
        responses={**answered("session_log"), **REPLAYING},
    )
    async def log(
        session_id: str,
        request: Request,
        after: Annotated[int, Query(ge=0, le=2**31 - 1)] = 0,
        limit: Annotated[int, Query(ge=1, le=10_000)] = 1_000,
        most_chars: Annotated[int, Query(ge=1, le=64_000_000)] = 4_000_000,
    ) -> Answer:
        tenant = deps.tenant(request)

        def read() -> Answer:
            deps.store.header(session_id, tenant=tenant)  # another tenant's does not exist
            page = read_page(
                deps.store.engine, session_id, after=after, limit=limit, most_chars=most_chars
            )
            return page.as_json()

        return await run_to_end(read)


def _add_recall(routes: APIRouter, deps: SessionDeps, pool: SessionPool) -> None:
    @routes.post(
        "/sessions/{session_id}/recall",
        summary="What matters for a question, and why",
        responses={**answered("recall"), **RECALLING},
    )
    async def recall(session_id: str, body: RecallIn, request: Request) -> Answer:
        def read(session: Session) -> Answer:
            return session.recall(body.query, body.budget_chars, kind=body.kind).as_json()

        return await pool.use(session_id, deps.tenant(request), read)


def _add_original(routes: APIRouter, deps: SessionDeps, pool: SessionPool) -> None:
    @routes.get(
        "/sessions/{session_id}/artifacts/{item}",
        summary="Read an original, verified",
        responses={**answered("original"), **EXPANDING},
    )
    async def original(
        session_id: str,
        item: ItemId,
        request: Request,
        start: Annotated[int, Query(ge=0)] = 0,
        count: Annotated[int, Query(ge=1, le=1_000_000)] = 20_000,
    ) -> Answer:
        def read(session: Session) -> Answer:
            artifact = session.trace.item(item)
            content = session.artifact_content(artifact)
            text = content if isinstance(content, str) else content.decode("latin-1")
            part = text[start : start + count]
            return {
                "artifact": artifact.as_json(),
                "bytes": isinstance(content, bytes),
                "start": start,
                "count": len(part),
                "total": len(text),
                "text": part,
            }

        return await pool.use(session_id, deps.tenant(request), read)
