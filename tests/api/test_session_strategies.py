"""Strategies, the operator's chat model and notes over HTTP."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx2
import pytest
from fastapi import FastAPI
from structlog.testing import capture_logs

from api.errors import install
from api.judged import JudgedTransport
from api.session_pool import SessionDeps
from api.sessions import router
from api.settings import ApiSettings
from api.summarising import MakeSummariser, chat_summariser
from compactor import ObjectArchive, SqlStore
from compactor.strategies import NAMES, asking
from compactor.summarise import SummaryRequest
from compactor.trust import Statement
from tests.compactor.chat_server import chat_server, echo, says

Json = Any
KEY = "sk-secret-4711"
Client = httpx2.AsyncClient


async def _client(folder: Path, make: MakeSummariser | None = None) -> AsyncIterator[Client]:
    async def no_page(fields: dict[str, Json], *_: Json) -> Json:
        raise NotImplementedError

    store = SqlStore(f"sqlite:///{folder / 'sessions.db'}")
    app = FastAPI()
    install(app)
    app.include_router(router(SessionDeps(store, ObjectArchive(), no_page, make_summariser=make)))
    transport = httpx2.ASGITransport(app=app)
    async with Client(transport=transport, base_url="http://test") as client:
        yield client
    store.close()


@pytest.fixture
async def http(tmp_path: Path) -> AsyncIterator[Client]:
    async for client in _client(tmp_path):
        yield client


async def _opened(http: Client, **body: Json) -> str:
    opened = await http.post("/v1/sessions", json={"budget_chars": 20_000, **body})
    assert opened.status_code == 201, opened.text
    return str(opened.headers["location"])


async def _fill(http: Client, at: str, turns: int = 14) -> list[Json]:
    """Used results of one kind each; the reports of all appends."""
    reports = []
    for n in range(turns):
        call = {"type": "tool_use", "id": f"c{n}", "name": "web", "input": {"q": str(n)}}
        text = f"The queue of cell_{n}a is full. It was slow on Monday. " * 40
        result = {"type": "tool_result", "tool_use_id": f"c{n}", "content": text}
        both = [{"role": "assistant", "content": [call]}, {"role": "user", "content": [result]}]
        answer = await http.post(f"{at}/messages", json={"messages": both})
        assert answer.status_code == 200, answer.text
        reports.append(answer.json())
    return reports


@pytest.mark.parametrize("name", NAMES)
async def test_a_session_takes_any_strategy_and_comes_back_from_its_store(
    tmp_path: Path, name: str
) -> None:
    async for http in _client(tmp_path):
        at = await _opened(
            http, strategy={"name": name, "keep_results": 1, "keep_turns": 3, "keep_messages": 4}
        )
        reports = await _fill(http, at)
        steps = {change["step"] for report in reports for change in report["changes"]}
        wanted = {"none": set(), "clear_tool_results": {"clear"}, "choose": {"fold"}}
        assert wanted.get(name, {"summarise"}) <= steps
        shown = (await http.get(f"{at}/context")).json()["messages"]
    async for http in _client(tmp_path):
        assert (await http.get(f"{at}/context")).json()["messages"] == shown


@pytest.mark.parametrize(
    "body",
    [
        {"strategy": {"name": "best"}},
        {"strategy": {"name": "rolling", "keep_turns": 0}},
        {"strategy": {"name": "rolling", "trigger_share": 2}},
        {"strategy": {}},
        {"summariser": "gpt"},
        {"summariser": "openai"},
    ],
)
async def test_what_cannot_be_is_refused_before_a_session_is_opened(
    http: Client, body: Json
) -> None:
    answer = await http.post("/v1/sessions", json=body)
    assert answer.status_code in (400, 422)
    assert answer.json()["code"] == "invalid_request"
    assert (await http.post("/v1/compact", json={"messages": [], **body})).status_code in (400, 422)


async def test_a_strategy_works_on_request_and_says_when_there_is_nothing_to_do(
    http: Client,
) -> None:
    at = await _opened(http, budget_chars=200_000)
    await _fill(http, at)
    before = (await http.get(at)).json()
    body = {"strategy": {"name": "clear_tool_results", "keep_results": 2}}
    made = (await http.post(f"{at}/shorten", json=body)).json()
    assert made["status"] == "done"
    assert len(made["changes"]) == 12
    assert made["cost_chars"] < before["cost_chars"] // 3
    assert made["version"] == before["version"] + 1
    again = (await http.post(f"{at}/shorten", json=body)).json()
    assert again["status"] == "no progress possible"
    assert (await http.post(f"{at}/shorten", json={})).json()["status"] == "no progress possible"


@contextmanager
def _offered(*answers: Callable[..., None], **settings: Json) -> Iterator[tuple[Json, Json]]:
    with chat_server(*answers) as seen:
        host = seen.url.removeprefix("http://").removesuffix("/v1")
        own = {"allow_hosts": host, "summariser_tries": 1, **settings}
        made = ApiSettings(
            summariser_url=seen.url, summariser_key=KEY, summariser_model="small-model", **own
        )
        yield seen, chat_summariser(made)


async def test_the_operators_model_writes_summaries_and_its_key_stands_nowhere(
    tmp_path: Path,
) -> None:
    with _offered(echo) as (seen, make), capture_logs() as logs:
        async for http in _client(tmp_path, make):
            at = await _opened(http, strategy={"name": "individual"}, summariser="openai")
            reports = await _fill(http, at)
            whys = {c["why"] for r in reports for c in r["changes"] if c["step"] == "summarise"}
            assert whys == {"individual by openai"}
            shown = (await http.get(f"{at}/context")).json()
        assert seen.keys == [f"Bearer {KEY}"] * len(seen.requests)
        count = len(seen.requests)
        async for http in _client(tmp_path, make):
            again = (await http.get(f"{at}/context")).json()
        assert again["messages"] == shown["messages"]
        assert len(seen.requests) == count  # the replies stand in the log
    stored = (tmp_path / "sessions.db").read_bytes()
    assert KEY.encode() not in stored
    assert KEY not in json.dumps([shown, reports, logs], default=str)


async def test_a_model_that_fails_is_named_and_replaced(tmp_path: Path) -> None:
    with _offered(says({}, 500)) as (_, make):
        async for http in _client(tmp_path, make):
            at = await _opened(
                http, strategy={"name": "rolling", "keep_turns": 3}, summariser="openai"
            )
            reports = await _fill(http, at)
    assert "openai failed: status 500 (1 tries)" in [
        n for report in reports for n in report["notes"]
    ]
    whys = {c["why"] for r in reports for c in r["changes"] if c["step"] == "summarise"}
    assert whys
    assert all(why.startswith("rolling by extractive in place of openai") for why in whys)


@pytest.mark.parametrize(
    ("addresses", "allowed", "reason"),
    [
        (["127.0.0.1"], "", "not global"),
        (["169.254.169.254"], "", "not global"),
        (["93.184.216.34", "10.1.2.3"], "", "not global"),
        (["127.0.0.1"], "model.test:8000", "the service's own port"),
    ],
)
def test_an_endpoint_is_dialled_only_where_the_egress_rules_allow(
    addresses: list[str], allowed: str, reason: str
) -> None:
    settings = ApiSettings(allow_hosts=allowed, port=8000)
    transport = JudgedTransport(settings, lambda _: addresses)
    with httpx2.Client(transport=transport) as client, capture_logs() as logs:
        with pytest.raises(httpx2.ConnectError):
            client.post("http://model.test:8000/v1/chat/completions", json={})
        assert [entry["reason"] for entry in logs] == [reason]


def test_a_private_endpoint_needs_an_exact_permission() -> None:
    with _offered(echo, allow_hosts="") as (seen, make):
        request = SummaryRequest((Statement("user", "port 8443 " * 30),), 50)
        reply = asking(make())(request)
        assert reply.text == ""
        assert reply.notes == ("openai failed: no connection (ConnectError) (1 tries)",)
        assert seen.requests == []


async def test_notes_never_enter_a_context_and_are_there_on_demand(tmp_path: Path) -> None:
    async for http in _client(tmp_path):
        at = await _opened(http)
        await _fill(http, at, 1)
        before = (await http.get(f"{at}/context")).json()["messages"]
        written = await http.put(f"{at}/notes/draft", json={"text": "SECRET PLAN"})
        assert written.json() == {"version": 3, "name": "draft"}
        await http.put(f"{at}/notes/other", json={"text": "x"})
        stale = await http.put(
            f"{at}/notes/draft", json={"text": "y"}, headers={"If-Match": written.headers["etag"]}
        )
        assert stale.status_code == 412
        assert (await http.get(f"{at}/context")).json()["messages"] == before
        assert (await http.get(f"{at}/notes")).json() == {"notes": ["draft", "other"]}
        assert (await http.get(f"{at}/notes/draft")).json()["text"] == "SECRET PLAN"
        assert (await http.get(f"{at}/notes/none")).status_code == 404
        assert (await http.put(f"{at}/notes/a%2Fb", json={"text": "x"})).status_code in (
            400,
            404,
            422,
        )
        await http.put(f"{at}/notes/other", json={"text": ""})
        assert (await http.get(f"{at}/notes")).json() == {"notes": ["draft"]}
        long = await http.put(f"{at}/notes/draft", json={"text": "x" * 100_001})
        assert long.status_code in (400, 422)
