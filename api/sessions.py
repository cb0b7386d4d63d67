"""Sessions over HTTP: open, append, read the context, expand what was taken out, append a page."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Callable, Mapping
from dataclasses import asdict
from typing import Annotated, Any, TypeVar

import anyio.to_thread
from fastapi import APIRouter, Header, Query, Request, Response
from fastapi.responses import JSONResponse

from api.session_models import CompactIn, MessagesIn, PageIn, SessionIn, ValidateIn
from api.session_pool import SessionDeps, SessionPool
from compactor import Policy, compact, validate
from compactor.cost import serialise
from compactor.errors import InvalidRequest
from compactor.log import Keyed
from compactor.page_turn import page_turn
from compactor.session import Session

T = TypeVar("T")
Answer = dict[str, Any]
# Fields of a page request that may hold credentials or whole documents.
_NOT_FOR_MODELS = frozenset({"headers", "html", "user_agent"})


def router(deps: SessionDeps) -> APIRouter:
    """All session routes. Errors leave as compactor errors; the app maps them."""
    routes = APIRouter(prefix="/v1", tags=["sessions"])
    pool = SessionPool(deps)
    _add_sessions(routes, deps, pool)
    _add_messages(routes, deps, pool)
    _add_pages(routes, deps, pool)
    _add_stateless(routes, deps)
    return routes


async def _threaded(call: Callable[[], T]) -> T:
    return await anyio.to_thread.run_sync(call)


def _add_sessions(routes: APIRouter, deps: SessionDeps, pool: SessionPool) -> None:
    @routes.post("/sessions", status_code=201, summary="Open a session")
    async def create(body: SessionIn, request: Request) -> JSONResponse:
        # Refuses an impossible budget before anything is stored.
        body.as_policy().budget(body.system, body.tools)
        session_id = secrets.token_hex(16)
        tenant = deps.tenant(request)
        settings = body.model_dump(mode="json")
        await _threaded(lambda: deps.store.create(session_id, settings, tenant=tenant))
        shown = await pool.use(session_id, tenant, Session.as_json)
        headers = {"Location": f"/v1/sessions/{session_id}", "ETag": _version_tag(0)}
        return JSONResponse({"id": session_id, **shown}, status_code=201, headers=headers)

    @routes.get("/sessions/{session_id}", summary="Version, policy and sizes of a session")
    async def show(session_id: str, request: Request, response: Response) -> Answer:
        shown = await pool.use(session_id, deps.tenant(request), Session.as_json)
        response.headers["ETag"] = _version_tag(shown["version"])
        return {"id": session_id, **shown}

    @routes.delete("/sessions/{session_id}", status_code=204, summary="Delete a session")
    async def delete(session_id: str, request: Request) -> None:
        tenant = deps.tenant(request)
        await _threaded(lambda: deps.store.delete(session_id, tenant=tenant))
        pool.forget(session_id, tenant)

    @routes.get("/sessions/{session_id}/archive/{ref}", summary="Expand what was taken out")
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


def _add_messages(routes: APIRouter, deps: SessionDeps, pool: SessionPool) -> None:
    @routes.post("/sessions/{session_id}/messages", summary="Append one or many messages")
    async def append(
        session_id: str,
        body: MessagesIn,
        request: Request,
        response: Response,
        idempotency_key: Annotated[str | None, Header(max_length=255)] = None,
        if_match: Annotated[str | None, Header()] = None,
    ) -> Answer:
        keyed = _keyed(idempotency_key, body.model_dump(mode="json"))
        expected = _expected(if_match)

        def run(session: Session) -> Answer:
            earlier = deps.store.reply(session_id, keyed) if keyed else None
            if earlier is not None:
                return earlier
            return session.append_many(
                body.as_list(),
                body.format,
                usage=body.usage,
                pinned=body.pinned,
                keyed=keyed,
                expected_version=expected,
            ).as_json()

        report = await pool.use(session_id, deps.tenant(request), run)
        response.headers["ETag"] = _version_tag(report["version"])
        return report

    @routes.get("/sessions/{session_id}/context", summary="The context, ready to send")
    async def context(
        session_id: str,
        request: Request,
        format: Annotated[str, Query()] = "anthropic",
        if_none_match: Annotated[str | None, Header()] = None,
    ) -> Response:
        def read(session: Session) -> tuple[str, Answer]:
            made = session.context(format)
            return f'"{made.etag}"', {
                "version": session.version,
                "system": made.system,
                "tools": made.tools,
                "messages": made.messages,
                "stats": asdict(made.stats),
                "lost": [asdict(item) for item in made.lost],
            }

        tag, body = await pool.use(session_id, deps.tenant(request), read)
        if if_none_match is not None and tag in [t.strip() for t in if_none_match.split(",")]:
            return Response(status_code=304, headers={"ETag": tag})
        return Response(serialise(body), media_type="application/json", headers={"ETag": tag})


def _add_pages(routes: APIRouter, deps: SessionDeps, pool: SessionPool) -> None:
    @routes.post("/sessions/{session_id}/pages", summary="Fetch a page and append it as a result")
    async def append_page(
        session_id: str,
        body: PageIn,
        request: Request,
        response: Response,
        idempotency_key: Annotated[str | None, Header(max_length=255)] = None,
        if_match: Annotated[str | None, Header()] = None,
    ) -> Answer:
        tenant = deps.tenant(request)
        keyed = _keyed(idempotency_key, body.model_dump(mode="json"))
        expected = _expected(if_match)

        def look(session: Session) -> Answer | None:
            return deps.store.reply(session_id, keyed) if keyed else None

        # An unknown session or a repeated request must not cost a fetch.
        earlier = await pool.use(session_id, tenant, look)
        if earlier is not None:
            return {"page": None, "report": earlier}
        page = await deps.fetch_page(body.page)
        shown = deps.describe_page(page)
        contents: Mapping[str, str] = page.content
        content = next(iter(contents.values()), "")

        asked = {name: value for name, value in body.page.items() if name not in _NOT_FOR_MODELS}

        def run(session: Session) -> Answer:
            pair = page_turn(body.format, body.tool_name, session.version, asked, content)
            return session.append_many(
                pair, body.format, keyed=keyed, expected_version=expected
            ).as_json()

        report = await pool.use(session_id, tenant, run)
        response.headers["ETag"] = _version_tag(report["version"])
        if not body.include_content:
            shown = {key: value for key, value in shown.items() if key != "content"}
        return {"page": shown, "report": report}


def _add_stateless(routes: APIRouter, deps: SessionDeps) -> None:
    @routes.post("/compact", summary="Compact a list of messages")
    async def compact_once(body: CompactIn) -> Answer:
        policy = Policy.preset(body.policy, budget_chars=body.budget_chars)

        def run() -> Answer:
            made = compact(
                body.messages,
                body.format,
                system=body.system,
                tools=body.tools,
                policy=policy,
                fold_html=deps.fold_html,
            )
            refs = dict.fromkeys(change.ref for change in made.report.changes)
            return {
                "messages": made.messages,
                "report": made.report.as_json(),
                "certificate": [asdict(line) for line in made.certificate],
                "archive": {ref: made.archive.get(ref) for ref in refs},
            }

        return await _threaded(run)

    @routes.post("/validate", summary="Check messages against a provider's rules")
    async def validate_once(body: ValidateIn) -> Answer:
        findings = await _threaded(lambda: validate(body.messages, body.profile))
        valid = all(finding.severity != "error" for finding in findings)
        return {"valid": valid, "findings": [asdict(finding) for finding in findings]}


def _version_tag(version: int) -> str:
    return f'"v{version}"'


def _expected(if_match: str | None) -> int | None:
    """The version in an If-Match header; ``*`` asks for nothing."""
    if if_match is None or if_match.strip() == "*":
        return None
    digits = if_match.strip().strip('"').removeprefix("v")
    if not digits.isdecimal():
        raise InvalidRequest('If-Match must be a session version such as "v3".', field="If-Match")
    return int(digits)


def _keyed(key: str | None, body: Answer) -> Keyed | None:
    if key is None:
        return None
    digest = hashlib.sha256(serialise(body).encode("utf-8", "surrogatepass")).hexdigest()
    return Keyed(key, digest)
