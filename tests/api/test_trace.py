"""What a session knows, over HTTP: the story in short, lists, sub-sessions, refusals."""

from __future__ import annotations

import hashlib
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx2
import pytest
from fastapi import FastAPI

from api.errors import install
from api.session_pool import SessionDeps
from api.sessions import router
from api.trace_docs import ANSWERS
from compactor import ObjectArchive, SqlStore

JSON = {"Content-Type": "application/json"}
TOOLS = [{"name": name, "description": name, "input_schema": {}} for name in ("probe", "deploy")]


@pytest.fixture
async def http(tmp_path: Path) -> AsyncIterator[httpx2.AsyncClient]:
    async def fetch(fields: dict[str, Any], *_: Any) -> Any:
        raise AssertionError("no page is read here")

    store = SqlStore(f"sqlite:///{tmp_path / 'sessions.db'}")
    app = FastAPI()
    install(app)
    app.include_router(router(SessionDeps(store, ObjectArchive(), fetch, max_live_sessions=1)))
    transport = httpx2.ASGITransport(app=app)
    async with httpx2.AsyncClient(transport=transport, base_url="http://test") as client:
        yield client
    store.close()


async def _opened(http: httpx2.AsyncClient) -> str:
    body = {"budget_chars": 18_000, "trace": True, "tools": TOOLS}
    return str((await http.post("/v1/sessions", json=body)).headers["location"])


async def _put(http: httpx2.AsyncClient, method: str, path: str, **body: Any) -> Any:
    answer = await http.request(method, path, json=body)
    assert answer.status_code < 300, answer.text
    return answer.json()


async def _result(http: httpx2.AsyncClient, at: str, text: str) -> None:
    call = {"type": "tool_use", "id": "c1", "name": "probe", "input": {}}
    result = {"type": "tool_result", "tool_use_id": "c1", "content": text}
    messages = [
        {"role": "user", "content": "Why does the leader change?"},
        {"role": "assistant", "content": [call]},
        {"role": "user", "content": [result]},
    ]
    await _put(http, "POST", f"{at}/messages", messages=messages)


async def test_an_appended_result_opens_a_rejected_hypothesis_again(
    http: httpx2.AsyncClient,
) -> None:
    at = await _opened(http)
    await _put(http, "PUT", f"{at}/goal", text="Find why the leader changes.")
    network = await _put(http, "POST", f"{at}/hypotheses", claim="Packets drop.", status="active")
    quiet = await _put(http, "POST", f"{at}/evidence", text="No loss, one sample a minute.")
    holds = {"subject": "network", "measure": "gap", "comparator": "<", "value": 0.05, "unit": "s"}
    rejected = await _put(
        http,
        "PUT",
        f"{at}/hypotheses/{network['id']}",
        status="provisionally_rejected",
        reason="quiet",
        evidence=[quiet["id"]],
        assumptions=[{"text": "sampling covers it", "holds": holds}],
    )
    decided = await _put(
        http, "POST", f"{at}/decisions", text="Leave it alone.", depends_on=[network["id"]]
    )
    assert (rejected["status"], decided["marked"]) == ("provisionally_rejected", "")

    await _result(http, at, "high rate\nnetwork gap: 200 ms\n")

    item = (await http.get(f"{at}/items/{network['id']}")).json()
    assert item["status"] == "reopened"
    assert [version["what"] for version in item["versions"]] == [
        "active",
        "provisionally_rejected",
        "reopened",
    ]
    cause = item["versions"][-1]["by"][0]
    evidence = (await http.get(f"{at}/items/{cause}")).json()
    assert evidence["status"] == "proposed"
    assert [found["text"] for found in evidence["originals"]] == ["network gap: 200 ms"]
    [decision] = (await http.get(f"{at}/decisions")).json()["items"]
    assert network["id"] in decision["marked"]

    found = await _put(http, "POST", f"{at}/recall", query="packets", budget_chars=2_000)
    assert {network["id"], "g1"} <= {each["id"] for each in found["items"]}
    assert found["chars"] <= 2_000
    graph = (await http.get(f"{at}/graph")).json()
    edge = {"source": decided["id"], "edge": "depends_on", "target": network["id"]}
    assert edge in graph["edges"]
    events = (await http.get(f"{at}/events", params={"after": 2})).json()
    assert events["events"][0]["number"] == 2
    assert events["total"] == events["events"][-1]["number"] + 1

    still = await _put(
        http,
        "PUT",
        f"{at}/items/{decision['id']}/revalidation",
        reason="the plan holds",
        evidence=[quiet["id"]],
    )
    assert still["marked"] == ""


async def test_what_is_not_allowed_is_refused_and_writes_nothing(http: httpx2.AsyncClient) -> None:
    at = await _opened(http)
    claim = await _put(http, "POST", f"{at}/hypotheses", claim="It is the disk.")
    refusals = [
        ("PUT", f"hypotheses/{claim['id']}", {"status": "confirmed", "reason": "sure"}, 422),
        ("POST", "hypotheses", {"claim": "x", "status": "confirmed"}, 422),
        ("POST", "evidence", {"text": "x", "supports": ["h99"]}, 422),
        ("POST", "evidence", {"text": "half \ud800"}, 422),
        ("POST", "hypotheses", {"claim": "x", "invalidation": ["half \ud800"]}, 422),
        ("PUT", "hypotheses/h99", {"status": "active", "reason": "why"}, 404),
        ("POST", "recall", {"query": "x", "budget_chars": 1}, None),
    ]
    await _put(http, "POST", f"{at}/constraints", text="Never restart a node.")
    before = (await http.get(at)).json()["version"]
    for method, path, body, status in refusals:
        answer = await http.request(method, f"{at}/{path}", content=json.dumps(body), headers=JSON)
        assert answer.status_code == (status or 422), answer.text
    assert answer.json()["code"] == "mandatory_does_not_fit"
    for value in ("1e999", "NaN"):
        measured = f'{{"subject": "a b", "measure": "c", "value": {value}}}'
        content = f'{{"text": "x", "measurement": {measured}}}'
        answer = await http.post(f"{at}/evidence", content=content, headers=JSON)
        assert answer.status_code == 422, answer.text
    stale = await http.put(f"{at}/goal", json={"text": "x"}, headers={"If-Match": '"v0"'})
    assert stale.status_code == 412
    assert (await http.get(at)).json()["version"] == before


async def test_an_action_of_unknown_outcome_is_checked_before_it_is_repeated(
    http: httpx2.AsyncClient,
) -> None:
    at = await _opened(http)
    asked = {"tool": "deploy", "arguments": {"to": "node-2"}, "side_effect": "external"}
    action = await _put(http, "POST", f"{at}/actions", **asked)
    await _put(http, "PUT", f"{at}/actions/{action['id']}", outcome="unknown", why="time-out")
    again = await http.post(f"{at}/actions", json=asked)
    assert (again.status_code, again.json()["code"]) == (409, "conflict")
    seen = await _put(http, "POST", f"{at}/evidence", text="node-2 runs the old build")
    checked = {"outcome": "failed", "evidence": [seen["id"]]}
    await _put(http, "PUT", f"{at}/actions/{action['id']}", **checked)
    second = await _put(http, "POST", f"{at}/actions", **asked)
    await _put(http, "PUT", f"{at}/actions/{second['id']}", outcome="done")
    assert (await _put(http, "POST", f"{at}/actions", **asked))["id"] == second["id"]


async def test_a_sub_session_has_no_more_than_its_parent(http: httpx2.AsyncClient) -> None:
    at = await _opened(http)
    await _put(http, "POST", f"{at}/constraints", text="Never restart a node.")
    for wider in ({"budget_chars": 18_001}, {"tools": ["probe", "delete"]}):
        answer = await http.post(f"{at}/children", json={"goal": "look", **wider})
        assert answer.status_code == 422, answer.text
    contract = {"goal": "Read the logs.", "exclusions": ["node-3"], "tools": ["probe"]}
    opened = await http.post(f"{at}/children", json={**contract, "budget_chars": 9_000})
    child, below = opened.json(), opened.headers["location"]
    held = (await http.get(f"{below}/constraints")).json()["items"]
    assert [item["text"] for item in held] == ["Never restart a node.", "Excluded: node-3"]
    lifted = await http.put(f"{below}/constraints/{held[0]['id']}", json={"reason": "must"})
    assert lifted.status_code == 422
    assert (await http.get(below)).json()["budget_chars"] == 9_000
    grandchild = await http.post(f"{below}/children", json={"goal": "x", "tools": ["deploy"]})
    assert grandchild.status_code == 422

    noted = await _put(http, "POST", f"{below}/evidence", text="term 412 lost a vote")
    long = await http.put(f"{at}/children/{child['id']}", json={"text": "word " * 2_000})
    assert long.status_code == 422
    result = {"text": "A vote was lost.", "evidence": [noted["id"]], "open_questions": ["why"]}
    closed = await _put(http, "PUT", f"{at}/children/{child['id']}", **result)
    ref = closed["result"]["trace_ref"]
    assert ref == f"session:{below.rsplit('/', 1)[1]}"
    assert (await http.get(f"{below}/items/{noted['id']}")).json()["text"] == noted["text"]


async def test_examples_have_the_shape_of_live_answers(http: httpx2.AsyncClient) -> None:
    at = await _opened(http)
    live = {"trace_item": await _put(http, "POST", f"{at}/hypotheses", claim="x")}
    live["trace_items"] = (await http.get(f"{at}/hypotheses")).json()
    live["trace_events"] = (await http.get(f"{at}/events")).json()
    live["trace_of"] = (await http.get(f"{at}/items/h1")).json()
    live["trace_graph"] = (await http.get(f"{at}/graph")).json()
    kept = await _put(http, "POST", f"{at}/artifacts", text="gap: 200 ms", source="probe 80")
    live["original"] = (await http.get(f"{at}/artifacts/{kept['id']}")).json()
    live["recall"] = await _put(http, "POST", f"{at}/recall", query="x")
    for name, answer in live.items():
        assert ANSWERS[name].keys() == answer.keys(), name
    version = live["trace_graph"]["nodes"][0]["versions"][0]
    assert ANSWERS["trace_graph"]["nodes"][0]["versions"][0].keys() == version.keys()
    assert ANSWERS["original"]["artifact"].keys() == live["original"]["artifact"].keys()
    assert ANSWERS["recall"]["items"][0].keys() == live["recall"]["items"][0].keys()


async def test_the_graph_has_every_version_and_counts_what_it_leaves_out(
    http: httpx2.AsyncClient,
) -> None:
    at = await _opened(http)
    for claim in ("first", "second", "third"):
        await _put(http, "POST", f"{at}/hypotheses", claim=claim)
    seen = await _put(http, "POST", f"{at}/evidence", text="seen")
    answer = {"status": "confirmed", "reason": "seen", "evidence": [seen["id"]]}
    await _put(http, "PUT", f"{at}/hypotheses/h3", **answer)
    await _put(http, "POST", f"{at}/evidence", text="unseen", contradicts=["h3"])
    graph = (await http.get(f"{at}/graph", params={"newest": 1})).json()
    assert graph["left_out"] == {"hypothesis": 2, "evidence": 1}
    [third] = [node for node in graph["nodes"] if node["id"] == "h3"]
    told = [(each["what"], each["status"], bool(each["marked"])) for each in third["versions"]]
    assert told == [
        ("proposed", "proposed", False),
        ("confirmed", "confirmed", False),
        ("reopened", "reopened", True),
    ]


async def test_an_original_is_read_in_parts_and_only_if_it_is_what_it_was(
    http: httpx2.AsyncClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    at = await _opened(http)
    text = "😀 probe\r\nnetwork gap: 200 ms\n"
    kept = await _put(http, "POST", f"{at}/artifacts", text=text, source="probe 80")
    path = f"{at}/artifacts/{kept['id']}"
    whole = (await http.get(path)).json()
    assert (whole["text"], whole["total"]) == (text, len(text))
    assert whole["artifact"]["sha256"] == hashlib.sha256(text.encode()).hexdigest()
    part = (await http.get(path, params={"start": 9, "count": 7})).json()
    assert (part["text"], part["start"], part["count"]) == ("network", 9, 7)
    past = (await http.get(path, params={"start": 10_000})).json()
    assert (past["text"], past["count"]) == ("", 0)
    assert (await http.get(f"{at}/artifacts/o99")).status_code == 404
    claim = await _put(http, "POST", f"{at}/hypotheses", claim="x")
    assert (await http.get(f"{at}/artifacts/{claim['id']}")).status_code == 422
    monkeypatch.setattr(ObjectArchive, "get", lambda self, ref: text.replace("200", "100"))
    damaged = await http.get(path)
    assert damaged.json()["code"] == "artifact_corrupt"
    assert "network" not in damaged.text
