"""What a session is told: messages, and what the agent keeps in view."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Header, Request, Response

from api.session_docs import APPENDING, NOTING, READING, answered
from api.session_headers import expected_version, keyed_request, version_tag
from api.session_models import KeyInfoIn, MessagesIn
from api.session_pool import SessionDeps, SessionPool
from api.threads import run_to_end
from compactor.session import Session

Answer = dict[str, Any]


def add_messages(routes: APIRouter, deps: SessionDeps, pool: SessionPool) -> None:
    """Add the routes."""

    @routes.post(
        "/sessions/{session_id}/messages",
        summary="Append one or many messages",
        responses={**answered("append"), **APPENDING},
    )
    async def append(
        session_id: str,
        body: MessagesIn,
        request: Request,
        response: Response,
        idempotency_key: Annotated[str | None, Header(max_length=255)] = None,
        if_match: Annotated[str | None, Header()] = None,
    ) -> Answer:
        # In a thread: a body of megabytes takes its time to be digested.
        keyed = await run_to_end(lambda: keyed_request(idempotency_key, body))
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
        responses={**answered("key_info"), **NOTING},
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
        "/sessions/{session_id}/key-info",
        summary="What the agent keeps in view",
        responses={**answered("key_info"), **READING},
    )
    async def get_key_info(session_id: str, request: Request) -> Answer:
        def read(session: Session) -> Answer:
            return {"version": session.version, "key_info": session.key_info}

        return await pool.use(session_id, deps.tenant(request), read)
