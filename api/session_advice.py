"""What a session says about itself, and what a task may cost: nothing is changed."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated, Any

from fastapi import APIRouter, Path, Request
from pydantic import BaseModel, ConfigDict, Field

from api.session_docs import ADVISING, ALLOCATING, EXPANDING, READING, answered
from api.session_pool import SessionDeps, SessionPool
from compactor.allocation import allocate
from compactor.carrying import tools_sentence
from compactor.diagnosis import DiagnosisRule
from compactor.loadout import MOST_TOOLS
from compactor.session import Session

Answer = dict[str, Any]
_Call = Annotated[str, Path(max_length=1_000, description="id of a tool call")]


class DiagnoseIn(BaseModel):
    """Thresholds, and what the session cannot know: how long requests took, which tools are masked."""

    model_config = ConfigDict(extra="forbid", json_schema_extra={"examples": [{"most_tools": 20}]})

    claim_times: Annotated[int, Field(ge=2)] = 3
    claim_chars: Annotated[int, Field(ge=1)] = 30
    action_times: Annotated[int, Field(ge=2)] = 3
    action_calls: Annotated[int, Field(ge=2)] = 20
    most_tools: Annotated[int, Field(ge=0)] = 30
    trend_factor: Annotated[float, Field(gt=1)] = 1.5
    trend_least: Annotated[int, Field(ge=3)] = 9
    allowed_tools: Annotated[list[str] | None, Field(max_length=1_000)] = None
    latencies_s: Annotated[list[Annotated[float, Field(ge=0)]], Field(max_length=1_000)] = []

    def as_rule(self) -> DiagnosisRule:
        """The thresholds."""
        return DiagnosisRule(**self.model_dump(exclude={"allowed_tools", "latencies_s"}))


class LoadoutIn(BaseModel):
    """A goal, by default the open request, and how many tools it may have."""

    model_config = ConfigDict(
        extra="forbid", json_schema_extra={"examples": [{"goal": "find the log", "k": 10}]}
    )

    goal: Annotated[str, Field(max_length=20_000)] = ""
    k: Annotated[int, Field(ge=1, le=1_000)] = MOST_TOOLS


class AllocateIn(BaseModel):
    """A task in words, the model's window, and how many tools the agent has."""

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={
            "examples": [{"task": "Compare the three reports.", "window_tokens": 200_000}]
        },
    )

    task: Annotated[str, Field(max_length=20_000)]
    window_tokens: Annotated[int, Field(ge=1_000)] = 200_000
    tools: Annotated[int, Field(ge=0)] = 0


def add_advice(routes: APIRouter, deps: SessionDeps, pool: SessionPool) -> None:
    """Add the routes."""

    @routes.post(
        "/sessions/{session_id}/diagnose",
        summary="Whether the context fails in a known way",
        responses={**answered("diagnose"), **ADVISING},
    )
    async def diagnose(session_id: str, body: DiagnoseIn, request: Request) -> Answer:
        def read(session: Session) -> Answer:
            found = session.diagnose(
                body.as_rule(), allowed_tools=body.allowed_tools, latencies_s=body.latencies_s
            )
            return {
                "version": session.version,
                "symptoms": [symptom.as_json() for symptom in found],
                "hit_rate": session.hit_rate.rate,
            }

        return await pool.use(session_id, deps.tenant(request), read)

    @routes.post(
        "/sessions/{session_id}/loadout",
        summary="The tools that matter now",
        responses={**answered("loadout"), **ADVISING},
    )
    async def loadout(session_id: str, body: LoadoutIn, request: Request) -> Answer:
        def read(session: Session) -> Answer:
            made = session.loadout(body.goal, body.k)
            return {
                "version": session.version,
                "allowed_tools": list(made.tools),
                "scores": dict(made.scores),
                "reason": made.reason,
                "tools_sentence": tools_sentence("text", made.tools),
            }

        return await pool.use(session_id, deps.tenant(request), read)

    @routes.get(
        "/sessions/{session_id}/survival",
        summary="What lasted of the newest compaction",
        responses={**answered("survival"), **EXPANDING},
    )
    async def survival(session_id: str, request: Request) -> Answer:
        return await pool.use(
            session_id, deps.tenant(request), lambda session: session.survival().as_json()
        )

    @routes.get(
        "/sessions/{session_id}/calls/{call_id}",
        summary="Whether a call's result stands in the context",
        responses={**answered("visible"), **READING},
    )
    async def visible(session_id: str, call_id: _Call, request: Request) -> Answer:
        def read(session: Session) -> Answer:
            return {
                "version": session.version,
                "call_id": call_id,
                "visible": session.visible(call_id),
            }

        return await pool.use(session_id, deps.tenant(request), read)

    @routes.post(
        "/allocate",
        summary="The budget of a task",
        responses={**answered("allocate"), **ALLOCATING},
    )
    async def budget(body: AllocateIn) -> Answer:
        return asdict(allocate(body.task, window_tokens=body.window_tokens, tools=body.tools))
