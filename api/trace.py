"""What a session knows, over HTTP: written down, read back, recalled."""

from __future__ import annotations

import secrets
from typing import Annotated, Any

from fastapi import APIRouter, Header, Path, Query, Request, Response

from api import trace_models as bodies
from api.session_docs import EXPANDING, NOTING, READING, RECALLING, WRITING, answered
from api.session_headers import expected_version, version_tag
from api.session_models import SessionIn
from api.session_pool import SessionDeps, SessionPool
from api.threads import run_to_end
from compactor.messages import JsonObject
from compactor.session import Session
from compactor.trace.children import Child
from compactor.trace.items import Item, Kind

Answer = dict[str, Any]
_Item = Annotated[str, Path(pattern=r"^[a-z]\d{1,12}$", description="id of an item, such as h3")]
_IfMatch = Annotated[str | None, Header()]
_Newest = Annotated[int, Query(ge=1, le=10_000, description="so many, the newest of them")]
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
    _add_reads(routes, deps, pool)
    _add_recall(routes, deps, pool)
    _add_children(routes, deps, pool)


def _shown(item: Item, session: Session) -> Answer:
    return {**item.as_json(), "session_version": session.version}


def _add_write(
    routes: APIRouter,
    deps: SessionDeps,
    pool: SessionPool,
    route: tuple[str, str, type[bodies.Body], str],
) -> None:
    path, method, made_of, summary = route

    async def put(
        session_id: str,
        body: bodies.Body,
        request: Request,
        response: Response,
        if_match: str | None,
        item: str = "",
    ) -> Answer:
        expected = expected_version(if_match)

        def run(session: Session) -> Answer:
            session.check_version(expected)
            return _shown(body.write(session, item), session)

        made = await pool.use(session_id, deps.tenant(request), run)
        response.headers["ETag"] = version_tag(made["session_version"])
        return made

    if "{item}" in path:

        async def write(
            session_id: str,
            item: _Item,
            body: bodies.Body,
            request: Request,
            response: Response,
            if_match: _IfMatch = None,
        ) -> Answer:
            return await put(session_id, body, request, response, if_match, item)
    else:

        async def write(  # type: ignore[misc]
            session_id: str,
            body: bodies.Body,
            request: Request,
            response: Response,
            if_match: _IfMatch = None,
        ) -> Answer:
            return await put(session_id, body, request, response, if_match)

    # Each route has a body of its own.
    write.__annotations__["body"] = made_of
    routes.add_api_route(
        f"/sessions/{{session_id}}/{path}",
        write,
        methods=[method],
        summary=summary,
        operation_id=summary.lower().replace("'", "").replace(" ", "_"),
        responses={**answered("trace_item"), **(WRITING if path == "actions" else NOTING)},
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
    async def listed(session_id: str, request: Request, newest: _Newest = 100) -> Answer:
        def read(session: Session) -> Answer:
            found = session.trace.items(*kinds, newest=newest)
            return {"version": session.version, "items": [item.as_json() for item in found]}

        return await pool.use(session_id, deps.tenant(request), read)


def _add_reads(routes: APIRouter, deps: SessionDeps, pool: SessionPool) -> None:
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
    async def trace_of(session_id: str, item: _Item, request: Request) -> Answer:
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
    async def graph(session_id: str, request: Request, newest: _Newest = 200) -> Answer:
        def read(session: Session) -> Answer:
            return {"version": session.version, **session.graph(newest)}

        return await pool.use(session_id, deps.tenant(request), read)


def _add_recall(routes: APIRouter, deps: SessionDeps, pool: SessionPool) -> None:
    @routes.post(
        "/sessions/{session_id}/recall",
        summary="What matters for a question, and why",
        responses={**answered("recall"), **RECALLING},
    )
    async def recall(session_id: str, body: bodies.RecallIn, request: Request) -> Answer:
        def read(session: Session) -> Answer:
            return session.recall(body.query, body.budget_chars, kind=body.kind).as_json()

        return await pool.use(session_id, deps.tenant(request), read)


def _add_children(routes: APIRouter, deps: SessionDeps, pool: SessionPool) -> None:
    @routes.post(
        "/sessions/{session_id}/children",
        status_code=201,
        summary="Open a sub-session under a contract",
        responses={**answered("trace_item", 201), **NOTING},
    )
    async def open_child(
        session_id: str,
        body: bodies.ContractIn,
        request: Request,
        response: Response,
        if_match: _IfMatch = None,
    ) -> Answer:
        tenant, child_id = deps.tenant(request), secrets.token_hex(16)
        expected = expected_version(if_match)

        def run(session: Session) -> tuple[Child, Answer]:
            session.check_version(expected)
            made = session.open_child(body.made(), child_id)
            return made, _shown(session.trace.item(made.item.id), session)

        child, shown = await pool.use(session_id, tenant, run)
        await run_to_end(lambda: _create(deps, session_id, child, tenant))
        await pool.use(child_id, tenant, lambda session: session.begin_as_child(child))
        response.headers["Location"] = f"/v1/sessions/{child_id}"
        response.headers["ETag"] = version_tag(shown["session_version"])
        return shown


def _create(deps: SessionDeps, parent_id: str, child: Child, tenant: str) -> None:
    """The child's row, with its parent's settings and what its contract allows of them."""
    settings: JsonObject = deps.store.header(parent_id, tenant=tenant).settings
    made = {**settings, "budget_chars": child.budget_chars, "tools": child.tools}
    checked = SessionIn.model_validate(made)
    deps.store.create(child.session_id, checked.model_dump(mode="json"), tenant=tenant)
