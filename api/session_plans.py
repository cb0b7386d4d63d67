"""Compaction on request: what it would do, doing exactly that, and what must stay."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Header, Path, Request, Response

from api.session_docs import APPLYING, NOTING, PINNING, PLANNING, answered
from api.session_headers import expected_version, version_tag
from api.session_models import ApplyIn, PlanIn
from api.session_pool import SessionDeps, SessionPool
from compactor.session import Session

Answer = dict[str, Any]
_Message = Annotated[int, Path(ge=0, description="number of the message in the session")]


def add_plans(routes: APIRouter, deps: SessionDeps, pool: SessionPool) -> None:
    """Add the routes."""

    @routes.post(
        "/sessions/{session_id}/plan",
        summary="What a compaction would do now",
        responses={**answered("plan"), **PLANNING},
    )
    async def plan(session_id: str, body: PlanIn, request: Request, response: Response) -> Answer:
        made = await pool.use(
            session_id,
            deps.tenant(request),
            lambda session: session.plan(body.target_chars, format=body.format).as_json(),
        )
        response.headers["ETag"] = version_tag(made["version"])
        return made

    @routes.post(
        "/sessions/{session_id}/apply",
        summary="Do exactly what a plan says",
        responses={**answered("apply"), **APPLYING},
    )
    async def apply(session_id: str, body: ApplyIn, request: Request, response: Response) -> Answer:
        def run(session: Session) -> Answer:
            made = session.apply_planned(body.id, body.version, body.target_chars)
            return deps.reworked(session, made)

        made = await pool.use(session_id, deps.tenant(request), run)
        response.headers["ETag"] = version_tag(made["version"])
        return made

    def add_pin(method: str, summary: str, *, pinned: bool) -> None:
        @routes.api_route(
            "/sessions/{session_id}/pins/{message}",
            methods=[method],
            summary=summary,
            responses={**answered("pin"), **PINNING} if pinned else {**answered("pin"), **NOTING},
            operation_id="pin" if pinned else "unpin",
        )
        async def pin(
            session_id: str,
            message: _Message,
            request: Request,
            response: Response,
            if_match: Annotated[str | None, Header()] = None,
        ) -> Answer:
            expected = expected_version(if_match)
            version = await pool.use(
                session_id,
                deps.tenant(request),
                lambda session: session.pin(message, pinned=pinned, expected_version=expected),
            )
            response.headers["ETag"] = version_tag(version)
            return {"version": version, "message": message, "pinned": pinned}

    add_pin("PUT", "Keep a message for good", pinned=True)
    add_pin("DELETE", "Let a pinned message go again", pinned=False)
