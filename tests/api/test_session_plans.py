"""Plans, pins and certificates over HTTP, and the examples of every answer against live ones."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import httpx2
import pytest
from fastapi import FastAPI

from api.errors import install
from api.metrics import Metrics
from api.session_examples import ANSWERS
from api.session_pool import SessionDeps
from api.sessions import router
from compactor import ObjectArchive, SqlStore, validate


@pytest.fixture
async def http(tmp_path: Path) -> AsyncIterator[httpx2.AsyncClient]:
    async def fetch(fields: dict[str, Any], *_: Any) -> Any:
        return SimpleNamespace(content={"text": "a page"}, url=fields["url"])

    store = SqlStore(f"sqlite:///{tmp_path / 'sessions.db'}")
    app = FastAPI()
    install(app)
    deps = SessionDeps(store, ObjectArchive(), fetch, note_report=Metrics().compaction)
    app.include_router(router(deps))
    transport = httpx2.ASGITransport(app=app)
    async with httpx2.AsyncClient(transport=transport, base_url="http://test") as client:
        yield client
    store.close()


async def _filled(http: httpx2.AsyncClient, turns: int = 14) -> str:
    opened = await http.post("/v1/sessions", json={"budget_chars": 60_000, "system": "You help."})
    at = str(opened.headers["location"])
    messages: list[Any] = [{"role": "user", "content": "the task"}]
    for turn in range(turns):
        call = {"type": "tool_use", "id": f"c{turn}", "name": "code_run", "input": {}}
        result = {"type": "tool_result", "tool_use_id": f"c{turn}", "content": f"{turn}\n" * 700}
        messages += [
            {"role": "assistant", "content": [call]},
            {"role": "user", "content": [result]},
        ]
    answer = await http.post(f"{at}/messages", json={"messages": messages})
    assert answer.status_code == 200, answer.text
    return at


async def test_a_plan_is_done_as_it_says_and_only_once(http: httpx2.AsyncClient) -> None:
    at = await _filled(http)
    before = (await http.get(f"{at}/context")).json()
    plan = (await http.post(f"{at}/plan", json={"target_chars": 9_000})).json()
    assert (await http.get(f"{at}/context")).json() == before
    assert plan["before_chars"] > 9_000 >= plan["after_chars"]
    fates = {line["seq"]: line["fate"] for line in plan["lines"]}
    assert set(fates.values()) == {"stay", "go", "refer"}
    wanted = {name: plan[name] for name in ("id", "version", "target_chars")}
    done = (await http.post(f"{at}/apply", json=wanted)).json()
    assert (done["status"], done["version"]) == ("done", plan["version"] + 1)
    assert {line["seq"] for line in done["certificate"]} == {
        seq for seq, fate in fates.items() if fate != "stay"
    }
    after = (await http.get(f"{at}/context")).json()
    assert after["stats"]["cost_chars"] < plan["after_chars"] + 1_000
    assert validate(after["messages"], "anthropic") == []
    for line in done["certificate"]:
        assert (await http.get(f"{at}/archive/{line['original']}")).status_code == 200
    again = await http.post(f"{at}/apply", json=wanted)
    assert (again.status_code, again.json()["code"]) == (412, "version_mismatch")
    assert again.json()["retryable"] is False
    settled = await http.post(f"{at}/plan", json={"target_chars": 9_000})
    assert {line["fate"] for line in settled.json()["lines"]} == {"stay"}
    nothing = {name: settled.json()[name] for name in ("id", "version", "target_chars")}
    idle = (await http.post(f"{at}/apply", json=nothing)).json()
    assert (idle["status"], idle["version"]) == ("no progress possible", plan["version"] + 1)


async def test_a_plan_of_another_session_or_target_is_refused(http: httpx2.AsyncClient) -> None:
    one, two = await _filled(http), await _filled(http, turns=13)
    plan = (await http.post(f"{one}/plan", json={"target_chars": 9_000})).json()
    wanted = {"id": plan["id"], "version": 27, "target_chars": 9_000}
    assert (await http.post(f"{two}/apply", json=wanted)).status_code == 412
    wanted = {"id": plan["id"], "version": plan["version"], "target_chars": 9_001}
    assert (await http.post(f"{one}/apply", json=wanted)).status_code == 412
    assert (await http.get(one)).json()["version"] == plan["version"]


async def test_what_is_pinned_outlives_a_compaction(http: httpx2.AsyncClient) -> None:
    at = await _filled(http)
    pinned = await http.put(f"{at}/pins/4", headers={"If-Match": '"v29"'})
    assert pinned.json() == {"version": 30, "message": 4, "pinned": True}
    stale = await http.put(f"{at}/pins/5", headers={"If-Match": '"v29"'})
    assert stale.status_code == 412
    plan = (await http.post(f"{at}/plan", json={"target_chars": 8_000})).json()
    fates = {line["seq"]: line["fate"] for line in plan["lines"]}
    assert (fates[3], fates[4], fates[2], fates[6]) == ("stay", "stay", "go", "go")
    freed = await http.delete(f"{at}/pins/4")
    assert freed.json() == {"version": 31, "message": 4, "pinned": False}
    plan = (await http.post(f"{at}/plan", json={"target_chars": 8_000})).json()
    assert {line["seq"]: line["fate"] for line in plan["lines"]}[4] == "go"
    wanted = {name: plan[name] for name in ("id", "version", "target_chars")}
    assert (await http.post(f"{at}/apply", json=wanted)).status_code == 200
    gone = await http.put(f"{at}/pins/4")
    assert (gone.status_code, gone.json()["code"], gone.json()["field"]) == (
        404,
        "not_found",
        "message",
    )


async def test_a_steered_session_comes_back_from_its_log(
    http: httpx2.AsyncClient, tmp_path: Path
) -> None:
    at = await _filled(http)
    await http.put(f"{at}/pins/4")
    await http.put(f"{at}/key-info", json={"key_info": "port 8443"})
    plan = (await http.post(f"{at}/plan", json={})).json()
    wanted = {name: plan[name] for name in ("id", "version", "target_chars")}
    await http.post(f"{at}/apply", json=wanted)
    shown = (await http.get(f"{at}/context")).json()
    store = SqlStore(f"sqlite:///{tmp_path / 'sessions.db'}")
    app = FastAPI()
    install(app)
    app.include_router(router(SessionDeps(store, ObjectArchive(), _no_page)))
    transport = httpx2.ASGITransport(app=app)
    async with httpx2.AsyncClient(transport=transport, base_url="http://test") as client:
        assert (await client.get(f"{at}/context")).json() == shown
    store.close()


async def _no_page(fields: dict[str, Any], *_: Any) -> Any:
    raise NotImplementedError


async def test_examples_have_the_fields_of_live_answers(http: httpx2.AsyncClient) -> None:
    at = await _filled(http)
    long = {"message": {"role": "user", "content": "x" * 90_000}}
    plan = (await http.post(f"{at}/plan", json={"target_chars": 9_000})).json()
    wanted = {name: plan[name] for name in ("id", "version", "target_chars")}
    live = {
        "create": (await http.post("/v1/sessions", json={})).json(),
        "plan": plan,
        "apply": (await http.post(f"{at}/apply", json=wanted)).json(),
        "append": (await http.post(f"{at}/messages", json=long)).json(),
        "show": (await http.get(at)).json(),
        "sessions": (await http.get("/v1/sessions")).json(),
        "page": (await http.post(f"{at}/pages", json={"page": {"url": "http://a.test/"}})).json(),
        "context": (await http.get(f"{at}/context")).json(),
        "key_info": (await http.put(f"{at}/key-info", json={"key_info": "k"})).json(),
        "certificate": (await http.get(f"{at}/certificate")).json(),
        "pin": (await http.put(f"{at}/pins/0")).json(),
        "compact": (
            await http.post("/v1/compact", json={"messages": [], "budget_chars": 1_000})
        ).json(),
        "validate": (
            await http.post(
                "/v1/validate",
                json={
                    "profile": "anthropic",
                    "messages": [{"role": "assistant", "content": "a"}],
                },
            )
        ).json(),
    }
    live["diagnose"] = (await http.post(f"{at}/diagnose", json={"most_tools": 0})).json()
    live["loadout"] = (await http.post(f"{at}/loadout", json={"goal": "read"})).json()
    live["shorten"] = (
        await http.post(f"{at}/shorten", json={"strategy": {"name": "choose"}})
    ).json()
    live["put_note"] = (await http.put(f"{at}/notes/draft", json={"text": "later"})).json()
    live["note"] = (await http.get(f"{at}/notes/draft")).json()
    live["notes"] = (await http.get(f"{at}/notes")).json()
    live["survival"] = (await http.get(f"{at}/survival")).json()
    live["visible"] = (await http.get(f"{at}/calls/c1")).json()
    live["allocate"] = (await http.post("/v1/allocate", json={"task": "Say hello."})).json()
    ref = live["append"]["changes"][0]["ref"]
    live["turns"] = (await http.get(f"{at}/turns")).json()
    live["archive"] = (await http.get(f"{at}/archive?keyword=x")).json()
    live["expand"] = (await http.get(f"{at}/archive/{ref}")).json()
    assert live.keys() == ANSWERS.keys()
    for name, example in ANSWERS.items():
        assert live[name].keys() == example.keys(), name
        for field, value in example.items():
            if isinstance(value, list) and value and isinstance(value[0], dict):
                for there in live[name][field][:1]:
                    if field not in ("messages",):
                        assert there.keys() == value[0].keys(), (name, field)
            elif isinstance(value, dict) and field in ("report", "stats"):
                assert live[name][field].keys() == value.keys(), (name, field)
