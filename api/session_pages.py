"""Fetch a page and append it to a session as a tool result, in one call."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from fastapi import APIRouter, Header, Request, Response

from api.session_docs import PAGING, answered
from api.session_headers import expected_version, keyed_request, version_tag
from api.session_models import PageIn
from api.session_pool import SessionDeps, SessionPool
from compactor.page_turn import page_turn
from compactor.session import Session

Answer = dict[str, Any]
# What a model is told of its request. All else may hold credentials or whole documents.
_FOR_MODELS = frozenset(
    "url base_url render format budget query main_only include exclude collapsed filter fold wait scroll "
    "expand viewport device locale timezone javascript block max_bytes deadline_s explain unfold".split()
)


def add_pages(routes: APIRouter, deps: SessionDeps, pool: SessionPool) -> None:
    """Add the route; ``deps.fetch_page`` does the fetching."""

    @routes.post(
        "/sessions/{session_id}/pages",
        summary="Fetch a page and append it as a result",
        responses={**answered("page"), **PAGING},
    )
    async def append_page(
        session_id: str,
        body: PageIn,
        request: Request,
        response: Response,
        idempotency_key: Annotated[str | None, Header(max_length=255)] = None,
        if_match: Annotated[str | None, Header()] = None,
    ) -> Answer:
        tenant = deps.tenant(request)
        keyed = keyed_request(idempotency_key, body)
        expected = expected_version(if_match)
        asked = {name: value for name, value in body.page.items() if name in _FOR_MODELS}

        def look(session: Session) -> Answer | None:
            earlier = deps.store.reply(session_id, keyed) if keyed else None
            if earlier is None:
                session.check_version(expected)
            return earlier

        with pool.keys.hold(tenant, session_id, keyed):
            # An unknown session, a stale version or a repeated request must not cost a fetch.
            report = await pool.use(session_id, tenant, look)
            shown: Answer | None = None
            if report is None:
                page = await deps.fetch_page(body.page, request)
                contents: Mapping[str, str] = page.content
                content = next(iter(contents.values()), "")

                def run(session: Session) -> Answer:
                    pair = page_turn(body.format, body.tool_name, session.version, asked, content)
                    made = session.append_many(
                        pair, body.format, keyed=keyed, expected_version=expected
                    ).as_json()
                    deps.note_report(made)
                    return made

                report = await pool.use(session_id, tenant, run)
                shown = deps.describe_page(page)
        response.headers["ETag"] = version_tag(report["version"])
        if shown is not None and not body.include_content:
            shown = {key: value for key, value in shown.items() if key != "content"}
        return {"page": shown, "report": report}
