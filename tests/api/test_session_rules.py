"""Corner cases of the session routes: fields, versions, keys, tenants, formats, the OpenAPI document."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import httpx2
import pytest
from fastapi import FastAPI
from starlette.testclient import TestClient

from api.errors import install
from api.session_pool import SessionDeps
from api.sessions import router
from compactor import ObjectArchive, SqlStore, validate

HELLO = {"message": {"role": "user", "content": "hi"}}


@dataclass
class Web:
    """The client, and a gate that page fetches wait at."""

    http: httpx2.AsyncClient
    gate: asyncio.Event = field(default_factory=asyncio.Event)
    fetched: list[str] = field(default_factory=list)

    async def opened(self, **body: Any) -> str:
        answer = await self.http.post("/v1/sessions", json={"budget_chars": 50_000, **body})
        assert answer.status_code == 201, answer.text
        return str(answer.headers["location"])


@pytest.fixture
async def web(tmp_path: Path) -> AsyncIterator[Web]:
    async def fetch(fields: dict[str, Any], _: Any) -> Any:
        made.fetched.append(fields["url"])
        await made.gate.wait()
        return SimpleNamespace(content={"text": "a page"}, url=fields["url"])

    store = SqlStore(f"sqlite:///{tmp_path / 'sessions.db'}")
    app = FastAPI()
    install(app)
    tenant = lambda request: request.headers.get("x-tenant", "")  # noqa: E731
    app.include_router(router(SessionDeps(store, ObjectArchive(), fetch, tenant=tenant)))
    transport = httpx2.ASGITransport(app=app)
    async with httpx2.AsyncClient(transport=transport, base_url="http://test") as http:
        made = Web(http)
        yield made
    store.close()


def refused(answer: httpx2.Response, status: int, code: str, at: str | None = None) -> None:
    assert answer.status_code == status, answer.text
    assert answer.headers["content-type"] == "application/problem+json"
    assert (answer.json()["code"], answer.json().get("field")) == (code, at)


@pytest.mark.parametrize(
    ("body", "at"),
    [
        ({"policy": "fast"}, "policy"),
        ({"profile": "claude"}, "profile"),
        ({"budget_chars": 10}, "budget_chars"),
        ({"limits": {"code_run": {"chars": 0}}}, "limits.code_run.chars"),
        ({"budget": 5}, "budget"),
    ],
)
async def test_a_session_names_the_field_it_cannot_take(web: Web, body: Any, at: str) -> None:
    refused(await web.http.post("/v1/sessions", json=body), 422, "invalid_request", at)


async def test_unknown_formats_and_profiles_name_the_field(web: Web) -> None:
    at = await web.opened()
    answer = await web.http.post(f"{at}/messages", json={"format": "xml", **HELLO})
    refused(answer, 422, "invalid_request", "format")
    for path in ("context", "certificate"):
        answer = await web.http.get(f"{at}/{path}", params={"format": "xml"})
        refused(answer, 422, "invalid_request", "format")
    body = {"profile": "claude", "messages": []}
    refused(await web.http.post("/v1/validate", json=body), 422, "invalid_request", "profile")
    body = {"format": "xml", "messages": []}
    refused(await web.http.post("/v1/compact", json=body), 422, "invalid_request", "format")


@pytest.mark.parametrize("tag", ["", "abc", '"v"', '"-1"', 'W/"v0"', '"v0", "v1"'])
async def test_an_if_match_that_is_no_version_is_refused(web: Web, tag: str) -> None:
    at = await web.opened()
    answer = await web.http.post(f"{at}/messages", json=HELLO, headers={"If-Match": tag})
    refused(answer, 422, "invalid_request", "If-Match")
    assert (await web.http.get(at)).json()["version"] == 0


async def test_any_version_may_be_asked_for(web: Web) -> None:
    at = await web.opened()
    answer = await web.http.post(f"{at}/messages", json=HELLO, headers={"If-Match": "*"})
    assert (answer.status_code, answer.headers["etag"]) == (200, '"v1"')


async def test_a_key_gives_its_first_answer_again_even_when_the_version_has_moved(web: Web) -> None:
    at = await web.opened()
    headers = {"Idempotency-Key": "k", "If-Match": '"v0"'}
    first = await web.http.post(f"{at}/messages", json=HELLO, headers=headers)
    await web.http.post(f"{at}/messages", json=HELLO)
    again = await web.http.post(f"{at}/messages", json=HELLO, headers=headers)
    assert (again.status_code, again.json()) == (200, first.json())
    assert again.headers["etag"] == first.headers["etag"] == '"v1"'
    other = {"message": {"role": "user", "content": "other"}}
    answer = await web.http.post(f"{at}/messages", json=other, headers=headers)
    refused(answer, 422, "invalid_request", "Idempotency-Key")
    assert (await web.http.get(at)).json()["version"] == 2


async def test_a_key_in_flight_is_a_conflict_and_costs_no_second_fetch(web: Web) -> None:
    at = await web.opened()
    await web.http.post(f"{at}/messages", json=HELLO)
    key = {"Idempotency-Key": "k"}
    body = {"page": {"url": "http://page.test/"}}
    running = asyncio.create_task(web.http.post(f"{at}/pages", json=body, headers=key))
    while not web.fetched:
        await asyncio.sleep(0.01)
    same = await web.http.post(f"{at}/pages", json=body, headers=key)
    refused(same, 409, "conflict")
    assert same.json()["retryable"] is True
    other = {"page": {"url": "http://other.test/"}}
    answer = await web.http.post(f"{at}/pages", json=other, headers=key)
    refused(answer, 422, "invalid_request", "Idempotency-Key")
    elsewhere = await web.http.post(f"{await web.opened()}/messages", json=HELLO, headers=key)
    assert elsewhere.status_code == 200
    web.gate.set()
    first = await running
    assert first.json()["report"]["version"] == 3
    again = await web.http.post(f"{at}/pages", json=body, headers=key)
    assert again.json() == {"page": None, "report": first.json()["report"]}
    assert len(web.fetched) == 1


async def test_a_stale_page_request_costs_no_fetch(web: Web) -> None:
    at = await web.opened()
    await web.http.post(f"{at}/messages", json=HELLO)
    body = {"page": {"url": "http://page.test/"}}
    answer = await web.http.post(f"{at}/pages", json=body, headers={"If-Match": '"v0"'})
    refused(answer, 412, "version_mismatch")
    assert web.fetched == []


async def test_another_tenant_finds_nothing_under_any_route(web: Web) -> None:
    at = await web.opened()
    long = {"message": {"role": "user", "content": "x" * 90_000}}
    changes = (await web.http.post(f"{at}/messages", json=long)).json()["changes"]
    theirs = {"x-tenant": "other"}
    calls: list[tuple[str, str, Any]] = [
        ("GET", at, None),
        ("GET", f"{at}/context", None),
        ("GET", f"{at}/certificate", None),
        ("GET", f"{at}/key-info", None),
        ("PUT", f"{at}/key-info", {"key_info": "mine"}),
        ("GET", f"{at}/archive/{changes[0]['ref']}", None),
        ("POST", f"{at}/messages", HELLO),
        ("POST", f"{at}/pages", {"page": {"url": "http://page.test/"}}),
        ("DELETE", at, None),
    ]
    for method, path, body in calls:
        refused(
            await web.http.request(method, path, json=body, headers=theirs), 404, "not_found", "id"
        )
    assert web.fetched == []
    assert (await web.http.get(at)).json()["version"] == 1


async def test_a_ref_of_another_session_is_not_found(web: Web) -> None:
    one, two = await web.opened(), await web.opened()
    long = {"message": {"role": "user", "content": "x" * 90_000}}
    changes = (await web.http.post(f"{one}/messages", json=long)).json()["changes"]
    assert (await web.http.get(f"{one}/archive/{changes[0]['ref']}")).status_code == 200
    refused(await web.http.get(f"{two}/archive/{changes[0]['ref']}"), 404, "not_found", "ref")


CALL = {"type": "function_call", "call_id": "c1", "name": "code_run", "arguments": '{"c":"ls"}'}
HISTORIES: dict[str, list[dict[str, Any]]] = {
    "openai-responses": [
        {"role": "user", "content": "list the files"},
        CALL,
        {"type": "function_call_output", "call_id": "c1", "output": "a.txt\n" * 4_000},
    ],
    "text": [
        {"role": "user", "content": "list the files"},
        {
            "role": "assistant",
            "content": '<tool_use>{"name":"code_run","arguments":{"c":"ls"}}</tool_use>',
        },
        {"role": "user", "content": f"<tool_result>{'a.txt ' * 4_000}</tool_result>"},
    ],
}


@pytest.mark.parametrize("format", HISTORIES)
async def test_other_formats_go_in_and_come_out(web: Web, format: str) -> None:
    at = await web.opened()
    body = {"format": format, "messages": HISTORIES[format]}
    answer = await web.http.post(f"{at}/messages", json=body)
    assert answer.status_code == 200, answer.text
    assert answer.json()["version"] == 3
    shown = (await web.http.get(f"{at}/context", params={"format": format})).json()
    assert shown["stats"]["cost_chars"] <= 50_000
    assert shown["messages"][0] == HISTORIES[format][0]
    written = json.dumps(shown["messages"])
    assert len(written) < 13_000
    ref = re.findall(r"taken out, ref=(a:[0-9a-f]+)", written)[0]
    whole = (await web.http.get(f"{at}/archive/{ref}")).json()["text"]
    assert whole.count("a.txt") == 4_000
    if format == "openai-responses":
        assert validate(shown["messages"], profile=format) == []


def test_every_reference_in_the_openapi_document_resolves(client: TestClient) -> None:
    schema = client.get("/openapi.json").json()
    refs = set(re.findall(r'"#/components/schemas/([^"]+)"', json.dumps(schema)))
    assert refs <= schema["components"]["schemas"].keys()


async def test_writers_that_name_no_version_all_get_in(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'shared.db'}"
    stores = [SqlStore(url), SqlStore(url)]
    archive = ObjectArchive()
    clients = []
    for store in stores:
        app = FastAPI()
        install(app)
        app.include_router(router(SessionDeps(store, archive, _no_page)))
        transport = httpx2.ASGITransport(app=app)
        clients.append(httpx2.AsyncClient(transport=transport, base_url="http://test"))
    at = (await clients[0].post("/v1/sessions", json={})).headers["location"]

    async def write(client: httpx2.AsyncClient, name: str) -> list[int]:
        body = [{"message": {"role": "user", "content": f"{name}{i}"}} for i in range(12)]
        return [(await client.post(f"{at}/messages", json=one)).status_code for one in body]

    codes = await asyncio.gather(write(clients[0], "a"), write(clients[1], "b"))
    assert codes == [[200] * 12] * 2
    shown = (await clients[0].get(f"{at}/context")).json()["messages"]
    said = [message["content"] for message in shown]
    assert sorted(said) == sorted(f"{name}{i}" for name in "ab" for i in range(12))
    for client in clients:
        await client.aclose()
    for store in stores:
        store.close()


async def _no_page(fields: dict[str, Any]) -> Any:
    raise NotImplementedError
