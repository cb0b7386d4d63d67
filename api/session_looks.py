"""A session for people to look at: what each turn did, and a search through all that was taken out."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request

from api.session_docs import LOOKING, answered
from api.session_pool import SessionDeps, SessionPool
from compactor.session import Session
from compactor.turns import turns_of

Answer = dict[str, Any]


def add_looks(routes: APIRouter, deps: SessionDeps, pool: SessionPool) -> None:
    """Add the routes."""

    @routes.get(
        "/sessions/{session_id}/turns",
        summary="What each turn did to the context",
        responses={**answered("turns"), **LOOKING},
    )
    async def turns(session_id: str, request: Request) -> Answer:
        told = await pool.retell(session_id, deps.tenant(request), turns_of)
        return {"turns": [asdict(turn) for turn in told]}

    @routes.get(
        "/sessions/{session_id}/archive",
        summary="Search what was taken out",
        responses={**answered("archive"), **LOOKING},
    )
    async def search(
        session_id: str,
        request: Request,
        keyword: Annotated[str | None, Query(min_length=1, max_length=1_000)] = None,
        limit: Annotated[int, Query(ge=1, le=1_000)] = 100,
    ) -> Answer:
        return await pool.use(
            session_id, deps.tenant(request), lambda session: _searched(session, keyword, limit)
        )


def _searched(session: Session, keyword: str | None, limit: int) -> Answer:
    """All refs of what was taken out, and with a keyword the lines that hold it, as many as wanted."""
    refs: dict[str, int] = {}
    found: list[Answer] = []
    for line in session.certificate(session.context("anthropic")):
        # The whole holds what its pieces hold, as JSON: it is searched where none of them has the word.
        hits: list[Answer] = []
        for ref in (*line.refs, line.original):
            if not ref or ref in refs:
                continue
            refs[ref] = line.seq
            if keyword is not None and (ref != line.original or not hits):
                hits += [
                    {"ref": ref, "seq": line.seq, "line": number, "text": text}
                    for number, text in session.grep(ref, keyword)
                ]
        if len(found) <= limit:
            found += hits
    listed = [{"ref": ref, "seq": seq} for ref, seq in refs.items()]
    return {"refs": listed, "lines": found[:limit], "more": len(found) > limit}
