"""A strategy at work on request, and notes beside the history."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Header, Path, Request, Response
from pydantic import BaseModel, ConfigDict, Field

from api.session_docs import EXPANDING, NOTING, READING, SHORTENING, answered
from api.session_headers import expected_version, version_tag
from api.session_pool import SessionDeps, SessionPool
from api.session_strategy import StrategyIn
from compactor.session import Session

Answer = dict[str, Any]
_Name = Annotated[str, Path(pattern=r"^[A-Za-z0-9_.-]{1,64}$", description="name of a note")]


class ShortenIn(BaseModel):
    """A strategy to work now; by default the session's own."""

    model_config = ConfigDict(
        extra="forbid", json_schema_extra={"examples": [{"strategy": {"name": "choose"}}]}
    )

    strategy: StrategyIn | None = None


class NoteIn(BaseModel):
    """A note; an empty one is removed."""

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={"examples": [{"text": "Draft: the bar closes at low water."}]},
    )

    text: Annotated[str, Field(max_length=10_000_000)]


def add_shortening(routes: APIRouter, deps: SessionDeps, pool: SessionPool) -> None:
    """Add the routes."""

    @routes.post(
        "/sessions/{session_id}/shorten",
        summary="Let a strategy work now",
        responses={**answered("shorten"), **SHORTENING},
    )
    async def shorten(
        session_id: str, body: ShortenIn, request: Request, response: Response
    ) -> Answer:
        rule = None if body.strategy is None else body.strategy.as_rule()

        def run(session: Session) -> Answer:
            made = session.shorten(rule)
            return deps.reworked(session, made)

        made = await pool.use(session_id, deps.tenant(request), run)
        response.headers["ETag"] = version_tag(made["version"])
        return made

    @routes.get(
        "/sessions/{session_id}/notes",
        summary="Names of the notes beside the history",
        responses={**answered("notes"), **READING},
    )
    async def notes(session_id: str, request: Request) -> Answer:
        names = await pool.use(session_id, deps.tenant(request), lambda session: session.notes)
        return {"notes": list(names)}

    @routes.get(
        "/sessions/{session_id}/notes/{name}",
        summary="Read a note",
        responses={**answered("note"), **EXPANDING},
    )
    async def note(session_id: str, name: _Name, request: Request) -> Answer:
        text = await pool.use(session_id, deps.tenant(request), lambda session: session.note(name))
        return {"name": name, "text": text}

    @routes.put(
        "/sessions/{session_id}/notes/{name}",
        summary="Write a note that never enters a context",
        responses={**answered("put_note"), **NOTING},
    )
    async def put_note(
        session_id: str,
        name: _Name,
        body: NoteIn,
        request: Request,
        response: Response,
        if_match: Annotated[str | None, Header()] = None,
    ) -> Answer:
        expected = expected_version(if_match)
        version = await pool.use(
            session_id,
            deps.tenant(request),
            lambda session: session.put_note(name, body.text, expected_version=expected),
        )
        response.headers["ETag"] = version_tag(version)
        return {"version": version, "name": name}
