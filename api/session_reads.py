"""What a session gives out: its context, where every entry stands, and what was taken out."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated, Any

from fastapi import APIRouter, Header, Query, Request, Response

from api.session_docs import EXPANDING, SENDING, answered
from api.session_pool import SessionDeps, SessionPool
from compactor.cost import serialise
from compactor.session import Session

Answer = dict[str, Any]


def add_reads(routes: APIRouter, deps: SessionDeps, pool: SessionPool) -> None:
    """Add the routes."""

    @routes.get(
        "/sessions/{session_id}/archive/{ref}",
        summary="Expand what was taken out",
        responses={**answered("expand"), **EXPANDING},
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

    @routes.get(
        "/sessions/{session_id}/certificate",
        summary="Where every entry stands",
        responses={**answered("certificate"), **SENDING},
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
        responses={
            **answered("context"),
            304: {"description": "Unchanged since the ETag in `If-None-Match`."},
            **SENDING,
        },
    )
    async def context(
        session_id: str,
        request: Request,
        format: Annotated[str, Query()] = "anthropic",
        allowed_tools: Annotated[list[str] | None, Query(max_length=1_000)] = None,
        model: Annotated[str, Query(max_length=200)] = "",
        idle_s: Annotated[float, Query(ge=0)] = 0.0,
        if_none_match: Annotated[str | None, Header()] = None,
    ) -> Response:
        def read(session: Session) -> tuple[str, Answer]:
            made = session.context(format, allowed_tools=allowed_tools, model=model, idle_s=idle_s)
            return f'"{made.etag}"', {
                "version": session.version,
                "system": made.system,
                "tools": made.tools,
                "messages": made.messages,
                "allowed_tools": made.allowed_tools,
                "breakpoints": [asdict(place) for place in made.breakpoints],
                "prompt_cache_key": made.prompt_cache_key,
                "prefix_hash": made.prefix_hash,
                "not_carried": made.not_carried,
                "tools_sentence": made.tools_sentence,
                "stats": asdict(made.stats),
                "lost": [asdict(item) for item in made.lost],
            }

        tag, body = await pool.use(session_id, deps.tenant(request), read)
        if if_none_match is not None and tag in [t.strip() for t in if_none_match.split(",")]:
            return Response(status_code=304, headers={"ETag": tag})
        return Response(serialise(body), media_type="application/json", headers={"ETag": tag})
