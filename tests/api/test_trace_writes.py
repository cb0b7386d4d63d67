"""Writes of what is known, once for a key and all or nothing; and the log that a client checks by itself."""

from __future__ import annotations

import hashlib
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx2
import pytest
import sqlalchemy as sa
from fastapi import FastAPI

from api.errors import install
from api.session_pool import SessionDeps
from api.sessions import router
from api.trace_docs import ANSWERS
from compactor import ObjectArchive, Policy, Session, SqlStore
from compactor.log import Entry
from compactor.tables import sessions
from compactor.trace import TraceRule

TOOLS = [{"name": name, "description": name, "input_schema": {}} for name in ("probe", "deploy")]
#: Each write, in an order in which none is refused.
WRITES: tuple[tuple[str, str, dict[str, Any]], ...] = (
    ("PUT", "goal", {"text": "Find why the leader changes."}),
    ("POST", "constraints", {"text": "Never restart a node."}),
    ("POST", "artifacts", {"text": "gap: 200 ms", "source": "node-1"}),
    ("POST", "evidence", {"text": "A gap of 200 ms.", "rests_on": [{"artifact": "o1"}]}),
    ("POST", "hypotheses", {"claim": "Packets drop.", "status": "active", "supports": ["e1"]}),
    ("POST", "decisions", {"text": "Look at the switch.", "depends_on": ["h1"]}),
    ("POST", "sentences", {"text": "There was a gap.", "depends_on": ["e1"]}),
    ("POST", "links", {"source": "e1", "edge": "contradicts", "target": "d1"}),
    ("PUT", "items/d1/revalidation", {"reason": "it stands", "evidence": ["e1"]}),
    ("PUT", "hypotheses/h1", {"status": "confirmed", "reason": "seen", "evidence": ["e1"]}),
    ("POST", "actions", {"tool": "deploy", "side_effect": "external"}),
    ("PUT", "actions/x1", {"outcome": "unknown"}),
    ("POST", "children", {"goal": "Read the logs.", "exclusions": ["node-3"], "tools": ["probe"]}),
    ("PUT", "children/k1", {"text": "A vote was lost."}),
    ("PUT", "constraints/c1", {"reason": "the owner said so"}),
)


@pytest.fixture
def store(tmp_path: Path) -> Any:
    made = SqlStore(f"sqlite:///{tmp_path / 'sessions.db'}")
    yield made
    made.close()


@pytest.fixture
async def http(store: SqlStore) -> AsyncIterator[httpx2.AsyncClient]:
    async def fetch(fields: dict[str, Any], *_: Any) -> Any:
        raise AssertionError("no page is read here")

    app = FastAPI()
    install(app)
    app.include_router(router(SessionDeps(store, ObjectArchive(), fetch, max_live_sessions=1)))
    transport = httpx2.ASGITransport(app=app, raise_app_exceptions=False)
    async with httpx2.AsyncClient(transport=transport, base_url="http://test") as client:
        yield client


async def _opened(http: httpx2.AsyncClient, **more: Any) -> str:
    body = {"budget_chars": 18_000, "trace": True, "tools": TOOLS, **more}
    return str((await http.post("/v1/sessions", json=body)).headers["location"])


async def test_each_write_counts_once_for_its_key(http: httpx2.AsyncClient) -> None:
    at = await _opened(http)
    made = dict[str, Any]()
    for method, path, body in WRITES:
        asked = {"json": body, "headers": {"Idempotency-Key": f"{method} {path}"}}
        first = await http.request(method, f"{at}/{path}", **asked)
        assert first.status_code in (200, 201), (path, first.text)
        again = await http.request(method, f"{at}/{path}", **asked)
        assert (again.status_code, again.json()) == (first.status_code, first.json()), path
        for name in ("ETag", "Location"):
            assert again.headers.get(name) == first.headers.get(name), path
        made[path] = first.json()
    shown = await http.get(at)
    assert shown.json()["version"] == len(WRITES) == made["constraints/c1"]["session_version"]
    for path, answer in made.items():
        known = (await http.get(f"{at}/items/{answer['id']}")).json()
        assert known["text"] == answer["text"], path
    # The session was put aside meanwhile, and a stale version does not matter to who has an answer.
    await _opened(http)
    headers = {"Idempotency-Key": "PUT goal", "If-Match": '"v0"'}
    later = await http.put(f"{at}/goal", json=WRITES[0][2], headers=headers)
    assert later.json() == made["goal"]


async def test_a_key_is_of_one_request(http: httpx2.AsyncClient) -> None:
    at, headers = await _opened(http), {"Idempotency-Key": "1"}
    await http.put(f"{at}/goal", json={"text": "look"}, headers=headers)
    for method, path, body in (
        ("PUT", "goal", {"text": "look again"}),
        ("POST", "constraints", {"text": "look"}),
        ("POST", "messages", {"message": {"role": "user", "content": "look"}}),
    ):
        answer = await http.request(method, f"{at}/{path}", json=body, headers=headers)
        assert (answer.status_code, answer.json()["code"]) == (422, "invalid_request"), path
    assert (await http.get(at)).json()["version"] == 1


async def test_what_was_refused_may_be_asked_again_with_its_key(http: httpx2.AsyncClient) -> None:
    at, headers = await _opened(http), {"Idempotency-Key": "1"}
    body = {"text": "It drops.", "supports": ["h1"]}
    assert (await http.post(f"{at}/evidence", json=body, headers=headers)).status_code == 422
    await http.post(f"{at}/hypotheses", json={"claim": "Packets drop."})
    stale = {**headers, "If-Match": '"v0"'}
    assert (await http.post(f"{at}/evidence", json=body, headers=stale)).status_code == 412
    made = await http.post(f"{at}/evidence", json=body, headers=headers)
    assert (made.status_code, made.headers["ETag"]) == (200, '"v2"')


@pytest.mark.parametrize("table", ["sessions", "events"])
async def test_a_crash_while_a_child_is_opened_leaves_nothing(
    http: httpx2.AsyncClient, store: SqlStore, table: str
) -> None:
    at = await _opened(http)
    await http.post(f"{at}/constraints", json={"text": "Never restart a node."})
    parent = at.rsplit("/", 1)[1]
    of = "id" if table == "sessions" else "session_id"
    with store.engine.begin() as connection:
        connection.execute(
            sa.text(
                f"CREATE TRIGGER broken BEFORE INSERT ON {table} WHEN NEW.{of} != '{parent}' "
                "BEGIN SELECT RAISE(ABORT, 'the power went'); END"
            )
        )
    asked: dict[str, Any] = {"json": {"goal": "Read."}, "headers": {"Idempotency-Key": "1"}}
    assert (await http.post(f"{at}/children", **asked)).status_code == 500
    assert (await http.get(f"{at}/children")).json() == {"version": 1, "items": []}
    assert _sessions(store) == {parent}
    with store.engine.begin() as connection:
        connection.execute(sa.text("DROP TRIGGER broken"))
    child = await http.post(f"{at}/children", **asked)
    assert child.status_code == 201
    assert (await http.post(f"{at}/children", **asked)).json() == child.json()
    assert _sessions(store) == {parent, child.json()["session_id"]}
    below = child.headers["location"]
    [goal] = (await http.get(f"{below}/items/g1")).json()["versions"]
    assert goal["seq"] == 0
    [held] = (await http.get(f"{below}/constraints")).json()["items"]
    assert (held["text"], held["source"]) == ("Never restart a node.", "contract")
    assert ANSWERS["trace_child"].keys() == child.json().keys()


async def test_a_contract_that_cannot_be_written_down_opens_nothing(
    http: httpx2.AsyncClient, store: SqlStore
) -> None:
    at = await _opened(http)
    answer = await http.post(f"{at}/children", json={"goal": "Read.", "constraints": ["x" * 4_001]})
    assert (answer.status_code, answer.json()["code"]) == (422, "invalid_request")
    assert (await http.get(at)).json()["version"] == 0
    assert len(_sessions(store)) == 1


def _sessions(store: SqlStore) -> set[str]:
    with store.engine.connect() as connection:
        return set(connection.execute(sa.select(sessions.c.id)).scalars())


def _link(*parts: str) -> str:
    framed = "".join(f"{len(part)}:{part}" for part in parts)
    return hashlib.sha256(framed.encode()).hexdigest()


async def test_a_client_checks_the_log_by_itself_and_replays_it(http: httpx2.AsyncClient) -> None:
    at = await _opened(http)
    for number in range(6):
        message = {"role": "user", "content": f"gap: {number} ms"}
        await http.post(f"{at}/messages", json={"message": message})
        await http.post(f"{at}/evidence", json={"text": f"A gap of {number} ms."})
    replayed = Session(
        Policy(budget_chars=18_000).with_trace(TraceRule(extract=True, replace_stale=True)),
        tools=TOOLS,
    )
    after, link, pages = 0, "", 0
    while after is not None:
        page = (await http.get(f"{at}/log", params={"after": after, "limit": 5})).json()
        assert ANSWERS["session_log"].keys() == page.keys()
        link = link or _link("pagefold session", at.rsplit("/", 1)[1], page["header"])
        assert page["before"] == link
        for row in page["rows"]:
            link = _link(link, str(row["seq"]), row["kind"], row["body"])
            assert row["link"] == link
            replayed.replay([Entry(row["seq"], row["kind"], json.loads(row["body"]))])
        after, pages = page["next"], pages + 1
    assert (pages, replayed.version) == (3, 12)
    assert replayed.trace.item("e6").text == "A gap of 5 ms."
    context = (await http.get(f"{at}/context")).json()
    assert replayed.context().messages == context["messages"]


async def test_a_page_of_the_log_is_bounded_and_damage_is_told(
    http: httpx2.AsyncClient, store: SqlStore
) -> None:
    at = await _opened(http)
    for number in range(4):
        await http.post(f"{at}/evidence", json={"text": f"{number}" * 1_000})
    first = (await http.get(f"{at}/log", params={"most_chars": 1_500})).json()
    assert ([row["seq"] for row in first["rows"]], first["next"]) == ([0, 1], 2)
    end = (await http.get(f"{at}/log", params={"after": 4})).json()
    assert (end["rows"], end["next"], end["version"]) == ([], None, 4)
    with store.engine.begin() as connection:
        connection.execute(sa.text("UPDATE events SET body = '{}' WHERE seq = 2"))
    broken = await http.get(f"{at}/log", params={"after": 1})
    assert (broken.status_code, broken.json()["code"]) == (500, "log_corrupt")
