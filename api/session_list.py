"""Which sessions a tenant has."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request

from api.session_docs import LISTING, answered
from api.session_pool import SessionDeps
from api.threads import run_to_end
from compactor.errors import InvalidRequest
from compactor.shelf import Kept, kept_sessions

Answer = dict[str, Any]


def add_list(routes: APIRouter, deps: SessionDeps) -> None:
    """Add the route."""

    @routes.get(
        "/sessions",
        summary="Sessions, those written to last first",
        responses={**answered("sessions"), **LISTING},
    )
    async def list_sessions(
        request: Request,
        limit: Annotated[int, Query(ge=1, le=500)] = 50,
        cursor: Annotated[str | None, Query(max_length=100)] = None,
    ) -> Answer:
        tenant, before = deps.tenant(request), _place(cursor)
        found = await run_to_end(
            lambda: kept_sessions(deps.store.engine, tenant, before=before, most=limit + 1)
        )
        last = found[limit - 1] if len(found) > limit else None
        return {
            "sessions": [_shown(each) for each in found[:limit]],
            "next": f"{last.touched}-{last.id}" if last is not None else None,
        }


def _shown(kept: Kept) -> Answer:
    at = datetime.fromtimestamp(kept.touched, UTC).isoformat()[:-6] + "Z" if kept.touched else None
    return {"id": kept.id, "version": kept.version, "written_at": at}


def _place(cursor: str | None) -> Kept | None:
    if cursor is None:
        return None
    touched, _, session_id = cursor.partition("-")
    if not (touched.isascii() and touched.isdecimal() and len(touched) <= 12):
        raise InvalidRequest("The cursor is not one of `next`.", field="cursor")
    return Kept(session_id, 0, int(touched))
