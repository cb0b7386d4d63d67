"""Sub-sessions over HTTP: a session of the same tenant under a contract."""

from __future__ import annotations

import secrets
from typing import Annotated, Any

from fastapi import APIRouter, Header, Request, Response

from api.session_docs import NOTING
from api.session_headers import expected_version, version_tag
from api.session_models import SessionIn
from api.session_pool import SessionDeps, SessionPool
from api.threads import run_to_end
from api.trace_docs import answered
from api.trace_models import ContractIn
from compactor.messages import JsonObject
from compactor.session import Session
from compactor.trace.children import Child
from compactor.trace.items import Item

Answer = dict[str, Any]
_IfMatch = Annotated[str | None, Header()]


def item_shown(item: Item, session: Session) -> Answer:
    """An item as a route answers with it after a write."""
    return {**item.as_json(), "session_version": session.version}


def add_children(routes: APIRouter, deps: SessionDeps, pool: SessionPool) -> None:
    """Add the route."""

    @routes.post(
        "/sessions/{session_id}/children",
        status_code=201,
        summary="Open a sub-session under a contract",
        responses={**answered("trace_item", 201), **NOTING},
    )
    async def open_child(
        session_id: str,
        body: ContractIn,
        request: Request,
        response: Response,
        if_match: _IfMatch = None,
    ) -> Answer:
        tenant, child_id = deps.tenant(request), secrets.token_hex(16)
        expected = expected_version(if_match)

        def run(session: Session) -> tuple[Child, Answer]:
            session.check_version(expected)
            made = session.open_child(body.made(), child_id)
            return made, item_shown(session.trace.item(made.item.id), session)

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
