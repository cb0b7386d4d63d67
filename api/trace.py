"""What a session knows, over HTTP: written down item by item, and listed."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Request, Response

from api import trace_bodies as bodies
from api.session_docs import READING
from api.session_pool import SessionDeps, SessionPool
from api.trace_children import add_children
from api.trace_docs import WRITING, answered
from api.trace_reads import ItemId, Newest, add_trace_reads
from api.trace_writes import IdempotencyKey, IfMatch, Writing
from compactor.session import Session
from compactor.trace.items import Kind

Answer = dict[str, Any]
#: Path below the session, method, body, and what it does.
_WRITES: tuple[tuple[str, str, type[bodies.Body], str], ...] = (
    ("goal", "PUT", bodies.GoalIn, "Set the goal"),
    ("constraints", "POST", bodies.ConstraintIn, "Add a constraint"),
    ("constraints/{item}", "PUT", bodies.LiftIn, "Lift a constraint"),
    ("actions", "POST", bodies.ActionIn, "Begin an action"),
    ("actions/{item}", "PUT", bodies.OutcomeIn, "Say what came of an action"),
    ("artifacts", "POST", bodies.ArtifactIn, "Keep an original"),
    ("evidence", "POST", bodies.EvidenceIn, "Note evidence"),
    ("hypotheses", "POST", bodies.HypothesisIn, "Propose a hypothesis"),
    ("hypotheses/{item}", "PUT", bodies.StatusIn, "Change a hypothesis' status"),
    ("decisions", "POST", bodies.DecisionIn, "Write down a decision"),
    ("sentences", "POST", bodies.SentenceIn, "Write down a summary's sentence"),
    ("links", "POST", bodies.LinkIn, "Link two items"),
    ("items/{item}/revalidation", "PUT", bodies.RevalidationIn, "Say that an item still stands"),
    ("children/{item}", "PUT", bodies.ResultIn, "Hand back a sub-session's result"),
)
_LISTS: tuple[tuple[str, tuple[Kind, ...]], ...] = (
    ("evidence", ("evidence",)),
    ("hypotheses", ("hypothesis",)),
    ("decisions", ("decision",)),
    ("children", ("child",)),
    ("constraints", ("constraint",)),
    ("actions", ("action",)),
)


def add_trace(routes: APIRouter, deps: SessionDeps, pool: SessionPool) -> None:
    """Add the routes."""
    for path, method, body, summary in _WRITES:
        _add_write(routes, deps, pool, (path, method, body, summary))
    for path, kinds in _LISTS:
        _add_list(routes, deps, pool, (path, kinds))
    add_trace_reads(routes, deps, pool)
    add_children(routes, deps, pool)


def _add_write(
    routes: APIRouter,
    deps: SessionDeps,
    pool: SessionPool,
    route: tuple[str, str, type[bodies.Body], str],
) -> None:
    path, method, made_of, summary = route

    writing = Writing(deps, pool)

    if "{item}" in path:

        async def write(
            session_id: str,
            item: ItemId,
            body: bodies.Body,
            request: Request,
            response: Response,
            if_match: IfMatch = None,
            idempotency_key: IdempotencyKey = None,
        ) -> Answer:
            asked = await writing.asked(request, body, if_match, idempotency_key)
            return await writing.run(session_id, asked, response, lambda s: body.write(s, item))
    else:

        async def write(  # type: ignore[misc]
            session_id: str,
            body: bodies.Body,
            request: Request,
            response: Response,
            if_match: IfMatch = None,
            idempotency_key: IdempotencyKey = None,
        ) -> Answer:
            asked = await writing.asked(request, body, if_match, idempotency_key)
            return await writing.run(session_id, asked, response, lambda s: body.write(s, ""))

    # Each route has a body of its own.
    write.__annotations__["body"] = made_of
    routes.add_api_route(
        f"/sessions/{{session_id}}/{path}",
        write,
        methods=[method],
        summary=summary,
        operation_id=summary.lower().replace("'", "").replace(" ", "_"),
        responses={**answered("trace_item"), **WRITING},
    )


def _add_list(
    routes: APIRouter,
    deps: SessionDeps,
    pool: SessionPool,
    route: tuple[str, tuple[Kind, ...]],
) -> None:
    path, kinds = route

    @routes.get(
        f"/sessions/{{session_id}}/{path}",
        summary=f"List {path}",
        operation_id=f"list_{path}",
        responses={**answered("trace_items"), **READING},
    )
    async def listed(session_id: str, request: Request, newest: Newest = 100) -> Answer:
        def read(session: Session) -> Answer:
            found = session.trace.items(*kinds, newest=newest)
            return {"version": session.version, "items": [item.as_json() for item in found]}

        return await pool.use(session_id, deps.tenant(request), read)
