"""The stateless calls: compact a list of messages, check one against a provider's rules."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from fastapi import APIRouter

from api.session_docs import CHECKING, COMPACTING, answered
from api.session_models import CompactIn, ValidateIn
from api.session_pool import SessionDeps
from api.summarising import summariser_for
from api.threads import run_to_end
from compactor import compact, validate

Answer = dict[str, Any]


def add_stateless(routes: APIRouter, deps: SessionDeps) -> None:
    """Add both routes."""

    @routes.post(
        "/compact",
        summary="Compact a list of messages",
        responses={**answered("compact"), **COMPACTING},
    )
    async def compact_once(body: CompactIn) -> Answer:
        policy = body.as_policy()
        summariser = summariser_for(body.summariser, deps.make_summariser)

        def run() -> Answer:
            made = compact(
                body.messages,
                body.format,
                system=body.system,
                tools=body.tools,
                policy=policy,
                fold_html=deps.fold_html,
                summariser=summariser,
            )
            refs = [change.ref for change in made.report.changes]
            for line in made.certificate:
                refs += [line.original, *line.refs]
            report = made.report.as_json()
            deps.note_report(report)
            return {
                "messages": made.messages,
                "report": report,
                "certificate": [asdict(line) for line in made.certificate],
                "archive": {ref: made.archive.get(ref) for ref in dict.fromkeys(refs) if ref},
            }

        return await run_to_end(run)

    @routes.post(
        "/validate",
        summary="Check messages against a provider's rules",
        responses={**answered("validate"), **CHECKING},
    )
    async def validate_once(body: ValidateIn) -> Answer:
        findings = await run_to_end(lambda: validate(body.messages, body.profile))
        valid = all(finding.severity != "error" for finding in findings)
        return {"valid": valid, "findings": [asdict(finding) for finding in findings]}
