"""The session routes, through HTTP, with a page fetcher that needs no browser."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import httpx2
import pytest
from fastapi import FastAPI, Request
from fastapi.responses import JSONResponse
from starlette.responses import Response

from api.session_pool import SessionDeps
from api.sessions import router
from compactor import CompactorError, ObjectArchive, SqlStore, validate

STATUS = {"not_found": 404, "version_mismatch": 412, "conflict": 409}
PAGE = "<!DOCTYPE html><title>T</title>" + "<p>word</p>" * 5_000


@pytest.fixture
async def client(tmp_path: Path) -> AsyncIterator[httpx2.AsyncClient]:
    async def fetch(fields: dict[str, Any], _: Any) -> Any:
        return SimpleNamespace(content={"html": PAGE}, url=fields["url"])

    async def fail(request: Request, error: Exception) -> Response:
        assert isinstance(error, CompactorError)
        return JSONResponse({"code": error.code}, status_code=STATUS.get(error.code, 422))

    store = SqlStore(f"sqlite:///{tmp_path / 'sessions.db'}")
    deps = SessionDeps(
        store,
        ObjectArchive(),
        fetch,
        describe_page=lambda page: {"url": page.url, "content": page.content},
        tenant=lambda request: request.headers.get("x-tenant", ""),
        max_live_sessions=1,
    )
    app = FastAPI()
    app.include_router(router(deps))
    app.add_exception_handler(CompactorError, fail)
    transport = httpx2.ASGITransport(app=app)
    async with httpx2.AsyncClient(transport=transport, base_url="http://test") as opened:
        yield opened
    store.close()


async def _open(client: httpx2.AsyncClient, **body: Any) -> str:
    answer = await client.post("/v1/sessions", json={"budget_chars": 50_000, **body})
    assert answer.status_code == 201
    return str(answer.headers["location"])


async def test_append_then_read_the_context(client: httpx2.AsyncClient) -> None:
    at = await _open(client, system="be brief")
    body = {"format": "openai-chat", "message": {"role": "user", "content": "hi"}}
    report = (await client.post(f"{at}/messages", json=body)).json()
    assert report["version"] == 1
    answer = await client.get(f"{at}/context", params={"format": "openai-chat"})
    assert answer.json()["messages"] == [{"role": "user", "content": "hi"}]
    assert answer.json()["system"] == "be brief"
    tag = {"If-None-Match": answer.headers["etag"]}
    again = await client.get(f"{at}/context", params={"format": "openai-chat"}, headers=tag)
    assert again.status_code == 304
    assert (await client.get(at)).json()["version"] == 1


async def test_stale_version_is_412_and_writes_nothing(client: httpx2.AsyncClient) -> None:
    at = await _open(client)
    body = {"message": {"role": "user", "content": "hi"}}
    first = await client.post(f"{at}/messages", json=body, headers={"If-Match": '"v0"'})
    assert first.headers["etag"] == '"v1"'
    late = await client.post(f"{at}/messages", json=body, headers={"If-Match": '"v0"'})
    assert late.status_code == 412
    assert (await client.get(at)).json()["version"] == 1


async def test_same_key_appends_once(client: httpx2.AsyncClient) -> None:
    at = await _open(client)
    key = {"Idempotency-Key": "k"}
    body = {"message": {"role": "user", "content": "hi"}}
    one = await client.post(f"{at}/messages", json=body, headers=key)
    two = await client.post(f"{at}/messages", json=body, headers=key)
    assert one.json() == two.json()
    assert (await client.get(at)).json()["version"] == 1
    other = {"message": {"role": "user", "content": "other"}}
    assert (await client.post(f"{at}/messages", json=other, headers=key)).status_code == 422


@pytest.mark.parametrize("format", ["anthropic", "openai-chat"])
async def test_page_is_fetched_and_appended_whole_or_by_ref(
    client: httpx2.AsyncClient, format: str
) -> None:
    at = await _open(client)
    await client.post(f"{at}/messages", json={"message": {"role": "user", "content": "read it"}})
    fields = {"url": "https://example.org/", "headers": {"cookie": "secret"}}
    answer = (await client.post(f"{at}/pages", json={"format": format, "page": fields})).json()
    assert answer["page"] == {"url": "https://example.org/"}
    assert answer["report"]["version"] == 3
    (change,) = answer["report"]["changes"]
    assert change["step"] == "archive"
    context = await client.get(f"{at}/context", params={"format": format})
    assert "secret" not in context.text
    assert change["ref"] in context.text
    assert validate(context.json()["messages"], format) == []
    part = await client.get(f"{at}/archive/{change['ref']}", params={"start": 0, "count": 15})
    assert part.json()["text"] == "<!DOCTYPE html>"
    found = await client.get(f"{at}/archive/{change['ref']}", params={"keyword": "WORD"})
    assert [line["line"] for line in found.json()["lines"]] == [1]


async def test_sessions_are_rebuilt_and_kept_apart(client: httpx2.AsyncClient) -> None:
    first, second = await _open(client), await _open(client)
    for at in (first, second, first):
        body = {"message": {"role": "user", "content": at}}
        assert (await client.post(f"{at}/messages", json=body)).status_code == 200
    messages = (await client.get(f"{first}/context")).json()["messages"]
    assert messages == [{"role": "user", "content": first}] * 2
    assert (await client.get(first, headers={"x-tenant": "other"})).status_code == 404
    assert (await client.delete(first)).status_code == 204
    assert (await client.get(first)).status_code == 404


async def test_stateless_calls(client: httpx2.AsyncClient) -> None:
    messages = [{"role": "user", "content": "x" * 9_000}]
    body = {"messages": messages, "budget_chars": 2_000}
    made = (await client.post("/v1/compact", json=body)).json()
    assert made["report"]["cost_chars"] <= 2_000
    assert "x" * 9_000 in made["archive"].values()
    orphan = [{"role": "tool", "tool_call_id": "a", "content": "r"}]
    body = {"profile": "openai-chat", "messages": orphan}
    answer = (await client.post("/v1/validate", json=body)).json()
    assert answer["valid"] is False
    assert answer["findings"][0]["rule"] == "orphan_result"


async def test_unknown_fields_are_refused(client: httpx2.AsyncClient) -> None:
    assert (await client.post("/v1/sessions", json={"budget": 5})).status_code == 422


async def test_key_info_is_kept_and_shown_in_the_context(client: httpx2.AsyncClient) -> None:
    opened = (await client.post("/v1/sessions", json={"budget_chars": 20_000})).json()
    url = f"/v1/sessions/{opened['id']}"
    put = await client.put(f"{url}/key-info", json={"key_info": "port 8443 stays"})
    assert (put.status_code, put.json()["version"]) == (200, 1)
    stale = await client.put(f"{url}/key-info", json={"key_info": "x"}, headers={"If-Match": '"0"'})
    assert stale.status_code == 412
    assert (await client.get(f"{url}/key-info")).json()["key_info"] == "port 8443 stays"
    long = await client.put(f"{url}/key-info", json={"key_info": "x" * 9_000})
    assert (long.status_code, long.json()["code"]) == (422, "invalid_request")


async def test_the_certificate_and_the_archive_give_the_history_back(
    client: httpx2.AsyncClient,
) -> None:
    opened = (await client.post("/v1/sessions", json={"budget_chars": 5_000})).json()
    url = f"/v1/sessions/{opened['id']}"
    sent = [{"role": "user", "content": "task"}, {"role": "assistant", "content": "y" * 30_000}]
    await client.post(f"{url}/messages", json={"messages": sent})
    shown = (await client.get(f"{url}/context")).json()["messages"]
    lines = (await client.get(f"{url}/certificate")).json()["certificate"]
    assert shown[lines[0]["at"]] == sent[0]
    answer = await client.get(f"{url}/archive/{lines[1]['original']}")
    assert json.loads(answer.json()["text"]) == sent[1]


async def test_sessions_are_listed_in_pieces_each_to_its_tenant(client: httpx2.AsyncClient) -> None:
    opened = {(await _open(client)).rpartition("/")[2] for _ in range(5)}
    theirs = (await client.post("/v1/sessions", json={}, headers={"x-tenant": "b"})).json()["id"]
    found, wanted, pieces = [], {"limit": "2"}, 0
    while pieces < 9:
        pieces += 1
        answer = (await client.get("/v1/sessions", params=wanted)).json()
        found += [each["id"] for each in answer["sessions"]]
        if answer["next"] is None:
            break
        wanted["cursor"] = answer["next"]
    assert (pieces, len(found), set(found)) == (3, 5, opened)
    answer = (await client.get("/v1/sessions", headers={"x-tenant": "b"})).json()
    assert [each["id"] for each in answer["sessions"]] == [theirs]
    for wrong in ({"cursor": "x"}, {"cursor": "\u0664-a"}, {"limit": "0"}, {"limit": "501"}):
        assert (await client.get("/v1/sessions", params=wrong)).status_code == 422
