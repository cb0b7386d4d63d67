"""Sub-sessions over HTTP: a session of the same tenant under a contract."""

from __future__ import annotations

import secrets
from typing import Any

from fastapi import APIRouter, Request, Response

from api.session_models import SessionIn
from api.session_pool import SessionDeps, SessionPool
from api.trace_docs import WRITING, answered
from api.trace_models import ContractIn
from api.trace_writes import IdempotencyKey, IfMatch, Writing
from compactor.log import Beside
from compactor.session import Session
from compactor.trace.children import Child
from compactor.trace.items import Item

Answer = dict[str, Any]


def add_children(routes: APIRouter, deps: SessionDeps, pool: SessionPool) -> None:
    """Add the route."""
    writing = Writing(deps, pool)

    @routes.post(
        "/sessions/{session_id}/children",
        status_code=201,
        summary="Open a sub-session under a contract",
        responses={**answered("trace_child", 201), **WRITING},
    )
    async def open_child(
        session_id: str,
        body: ContractIn,
        request: Request,
        response: Response,
        if_match: IfMatch = None,
        idempotency_key: IdempotencyKey = None,
    ) -> Answer:
        child_id = secrets.token_hex(16)
        asked = await writing.asked(request, body, if_match, idempotency_key)

        def write(session: Session) -> Item:
            def create(child: Child) -> Beside:
                return _creating(deps, session_id, child, asked.tenant)

            return session.open_child(body.made(), child_id, create=create).item

        shown = await writing.run(session_id, asked, response, write)
        response.headers["Location"] = f"/v1/sessions/{shown['session_id']}"
        return shown


def _creating(deps: SessionDeps, parent_id: str, child: Child, tenant: str) -> Beside:
    """The child's rows: its parent's settings, with what its contract allows of them, and the contract."""
    settings = deps.store.header(parent_id, tenant=tenant).settings
    made = {**settings, "budget_chars": child.budget_chars, "tools": child.tools}
    checked = SessionIn.model_validate(made)
    return deps.store.creating(
        child.session_id,
        checked.model_dump(mode="json"),
        tenant=tenant,
        entries=[child.begins],
    )
