"""What belongs to one tenant does not exist for another, by whatever route it is asked for."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from api.demo import DemoServer
from compactor.tables import jobs
from tests.security.keyed import Service, calls, keyed_service, make_key

Call = tuple[str, str]
USER = {"message": {"role": "user", "content": "low water"}}
LONG = "\n".join(f"{number} boats crossed the bar" for number in range(5_000))

#: A valid body for every call with an id in its path that takes one.
BODIES: dict[Call, dict[str, Any]] = {
    ("POST", "/v1/sessions/{session_id}/messages"): USER,
    ("POST", "/v1/sessions/{session_id}/pages"): {"page": {"html": "<p>Low water"}},
    ("PUT", "/v1/sessions/{session_id}/key-info"): {"key_info": "bar closed"},
    ("POST", "/v1/sessions/{session_id}/plan"): {},
    ("POST", "/v1/sessions/{session_id}/diagnose"): {},
    ("POST", "/v1/sessions/{session_id}/loadout"): {},
    ("POST", "/v1/sessions/{session_id}/shorten"): {},
    ("PUT", "/v1/sessions/{session_id}/notes/{name}"): {"text": "bar closed"},
    ("POST", "/v1/tabs/{tab_id}/scan"): {"format": "text"},
    ("POST", "/v1/tabs/{tab_id}/execute"): {"script": "1"},
    ("POST", "/v1/tabs/{tab_id}/act"): {"action": "scroll", "to": "end"},
    ("POST", "/v1/tabs/{tab_id}/screenshot"): {},
    **{
        (method, f"/v1/sessions/{{session_id}}/{path}"): body
        for method, path, body in (
            ("PUT", "goal", {"text": "cross the bar"}),
            ("POST", "constraints", {"text": "not at low water"}),
            ("PUT", "constraints/{item}", {"reason": "high water"}),
            ("POST", "actions", {"tool": "sail"}),
            ("PUT", "actions/{item}", {"outcome": "done"}),
            ("POST", "artifacts", {"text": "low water at noon"}),
            ("POST", "evidence", {"text": "low water at noon"}),
            ("POST", "hypotheses", {"claim": "the bar is closed"}),
            ("PUT", "hypotheses/{item}", {"status": "rejected", "reason": "x", "evidence": ["e1"]}),
            ("POST", "decisions", {"text": "wait"}),
            ("POST", "sentences", {"text": "it is closed", "depends_on": ["e1"]}),
            ("POST", "links", {"source": "e1", "edge": "supports", "target": "h1"}),
            ("PUT", "items/{item}/revalidation", {"reason": "seen", "evidence": ["e1"]}),
            ("POST", "recall", {"query": "bar"}),
            ("POST", "children", {"goal": "read the tables"}),
            ("PUT", "children/{item}", {"text": "noon"}),
        )
    },
}
#: What an item is called, by where it stands in the path: ``own`` writes one of each.
ITEMS = {"constraints": "c1", "actions": "x1", "artifacts": "o1", "children": "k1"}
#: Calls with a body that only the owner can know, and those without any.
PLANNED = ("POST", "/v1/sessions/{session_id}/apply")
BODILESS = {("PUT", "/v1/sessions/{session_id}/pins/{message}")}
#: Ids of the right form that nobody has.
UNKNOWN = {
    "job_id": "76543210fedcba98" * 2,
    "session_id": "0123456789abcdef" * 2,
    "snapshot_id": "fedcba9876543210" * 2,
    "ref": "a:0123456789abcdef",
    "tab_id": "t_0123456789abcdef",
    "value_ref": "a:0123456789abcdef",
    "message": "0",
    "call_id": "toolu_nobody",
    "name": "draft",
    "item": "h9",
}


@dataclass(frozen=True, slots=True)
class Owned:
    """What one tenant has: the ids to put into paths of snapshots, sessions, jobs and tabs."""

    session: str
    snapshot: str
    fold: str
    archived: str
    job: str
    tab: str
    value: str

    def filled(self, path: str) -> str:
        ref = self.archived if "/archive/" in path else self.fold
        values = {"session_id": self.session, "snapshot_id": self.snapshot, "ref": ref}
        values |= {"job_id": self.job, "tab_id": self.tab, "value_ref": self.value}
        item = ITEMS.get(path.partition("/{item}")[0].rpartition("/")[2], "h1")
        return path.format(**values, item=item, message=0, call_id="c1", name="draft")


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    folder = tmp_path_factory.mktemp("matrix")
    with DemoServer(0) as demo:
        own_host = {"demo_port": demo.port, "allow_hosts": (f"127.0.0.1:{demo.port}",)}
        with keyed_service(folder, "acme", "zenith", **own_host) as running:
            yield running


@pytest.fixture
def owned(service: Service) -> Owned:
    return own(service, "acme")


def own(service: Service, tenant: str) -> Owned:
    """A session with something archived, a snapshot with a fold, and a job that has ended."""
    html = "<main>" + "".join(f"<p>{line}</p>" for line in LONG.splitlines()[:300]) + "</main>"
    wanted = {"html": html, "format": ["markdown"], "budget": 1_000}
    page = service.call(tenant, "POST", "/v1/pages", json=wanted).json()
    opened = service.call(tenant, "POST", "/v1/sessions", json={"budget_chars": 20_000})
    session = opened.json()["id"]
    messages = [
        {"role": "user", "content": "read the ledger"},
        {"role": "assistant", "content": [{"type": "tool_use", "id": "c1", "name": "read", "input": {}}]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c1", "content": LONG}]},
    ]  # fmt: skip
    path = f"/v1/sessions/{session}/messages"
    report = service.call(tenant, "POST", path, json={"messages": messages}).json()
    [ref] = {change["ref"] for change in report["changes"] if change["ref"]}
    service.call(tenant, "PUT", f"/v1/sessions/{session}/notes/draft", json={"text": "low water"})
    at = f"/v1/sessions/{session}"
    known = (
        ("constraints", {"text": "not at low water"}),
        ("actions", {"tool": "moor", "key": "1"}),
        ("artifacts", {"text": "low water at noon"}),
        ("evidence", {"text": "low water at noon"}),
        ("hypotheses", {"claim": "the bar is open", "status": "active"}),
        ("evidence", {"text": "low water at one", "contradicts": ["h1"]}),
        ("children", {"goal": "read the tables"}),
    )
    for name, body in known:
        assert service.call(tenant, "POST", f"{at}/{name}", json=body).status_code < 300
    job = service.call(tenant, "POST", "/v1/jobs", json={"pages": [{"html": "<p>Low water"}]})
    # Its events come to an end with it.
    service.call(tenant, "GET", f"{job.headers['location']}/events")
    tab = own_tab(service, tenant)
    script = {"script": "'low water'", "save_to_file": True}
    value = service.call(tenant, "POST", f"/v1/tabs/{tab}/execute", json=script).json()["saved"]
    snapshot, fold = page["snapshot"]["id"], page["folds"][0]["ref"]
    return Owned(session, snapshot, fold, ref, job.json()["id"], tab, value)


def own_tab(service: Service, tenant: str) -> str:
    """The id of the tenant's first tab; opened where there is none."""
    tabs = service.call(tenant, "GET", "/v1/tabs").json()["tabs"]
    if tabs:
        return str(tabs[0]["id"])
    url = f"http://127.0.0.1:{service.settings.demo_port}/terms"
    return str(service.call(tenant, "POST", "/v1/tabs", json={"url": url}).json()["id"])


def with_ids(service: Service) -> list[Call]:
    found = [(method, path) for method, path in calls(service.app) if "{" in path]
    assert len(found) >= 11
    # What deletes comes last, the whole after its parts, so that the owner's calls find it.
    return sorted(found, key=lambda call: (call[0] == "DELETE", -len(call[1])))


def ask(service: Service, tenant: str, call: Call, path: str, **more: Any) -> Any:
    if call == PLANNED:
        planned = service.call("acme", "POST", path.replace("/apply", "/plan"), json={})
        plan = planned.json() if planned.status_code == 200 else {"id": "0" * 16}
        asked = {name: plan.get(name, 1) for name in ("id", "version", "target_chars")}
        return service.call(tenant, "POST", path, json=asked, **more)
    if call[0] in ("POST", "PUT", "PATCH") and call not in BODILESS:
        assert call in BODIES, f"say in BODIES how to call {call}"
        more["json"] = BODIES[call]
    return service.call(tenant, call[0], path, **more)


def test_ids_of_another_tenant_are_as_unknown_as_those_of_nobody(
    service: Service, owned: Owned
) -> None:
    for call in with_ids(service):
        names = {part.partition("}")[0] for part in call[1].split("{")[1:]}
        assert names <= UNKNOWN.keys(), f"say in UNKNOWN what an unknown id looks like: {call}"
        theirs = ask(service, "zenith", call, owned.filled(call[1]))
        nobodys = ask(service, "zenith", call, call[1].format(**UNKNOWN))
        assert theirs.status_code == nobodys.status_code == 404, (call, theirs.text)
        assert theirs.content == nobodys.content, call
        assert without_standing(theirs) == without_standing(nobodys), call
        mine = ask(service, "acme", call, owned.filled(call[1]))
        assert mine.status_code < 300, (call, mine.text)


def without_standing(response: Any) -> dict[str, str]:
    own = ("x-request-id", "ratelimit")
    return {name: value for name, value in response.headers.items() if name not in own}


def test_a_conditional_or_keyed_call_does_not_tell_either(service: Service, owned: Owned) -> None:
    at = f"/v1/sessions/{owned.session}"
    for headers in ({"If-Match": '"v1"'}, {"If-Match": '"v3"'}, {"If-None-Match": "*"}):
        for call in with_ids(service):
            theirs = ask(service, "zenith", call, owned.filled(call[1]), headers=headers)
            assert theirs.status_code == 404, (call, headers)
    key = {"Idempotency-Key": "retry-1"}
    first = service.call("acme", "POST", f"{at}/messages", json=USER, headers=key)
    again = service.call("acme", "POST", f"{at}/messages", json=USER, headers=key)
    assert first.json() == again.json()
    for body in (USER, {"message": {"role": "user", "content": "other"}}):
        theirs = service.call("zenith", "POST", f"{at}/messages", json=body, headers=key)
        assert theirs.status_code == 404
    # On a session of its own the same key is a new one.
    opened = service.call("zenith", "POST", "/v1/sessions", json={"budget_chars": 20_000})
    own_path = f"{opened.headers['location']}/messages"
    fresh = service.call("zenith", "POST", own_path, json=USER, headers=key)
    assert (fresh.status_code, fresh.json()["version"]) == (200, 1)


def test_the_same_page_read_by_two_is_two_snapshots_in_two_places(
    service: Service, owned: Owned
) -> None:
    stored = list((service.settings.data_dir / "snapshots").rglob("*.zst"))
    assert stored
    assert {path.relative_to(service.settings.data_dir).parts[1:3] for path in stored} <= {
        ("tenants", "acme"),
        ("tenants", "zenith"),
    }
    path = f"/v1/snapshots/{owned.snapshot}"
    assert service.call("zenith", "GET", path).status_code == 404
    # Reading it themselves makes it theirs, and deleting theirs would not take ours.
    load = service.app.state.extractor.store
    load.of("zenith").save(load.of("acme").load(owned.snapshot))
    assert service.call("zenith", "GET", path).status_code == 200


def test_a_ref_that_another_archived_opens_in_no_session_of_mine(
    service: Service, owned: Owned
) -> None:
    opened = service.call("zenith", "POST", "/v1/sessions", json={"budget_chars": 20_000})
    at = opened.headers["location"]
    # A text that speaks of the ref, in the words in which the compactor does.
    said = f"[cut; expand ref={owned.archived}]"
    body = {"message": {"role": "user", "content": said}}
    assert service.call("zenith", "POST", f"{at}/messages", json=body).status_code == 200
    answer = service.call("zenith", "GET", f"{at}/archive/{owned.archived}")
    assert answer.status_code == 404
    assert "boats" not in answer.text
    archive = service.settings.data_dir / "archive"
    kept = [path for path in archive.rglob("*") if path.is_file()]
    assert kept
    assert all(path.is_relative_to(archive / "tenants" / "acme") for path in kept)


def test_an_original_that_both_have_opens_to_each_in_its_own_session(service: Service) -> None:
    mine, theirs = own(service, "acme"), own(service, "zenith")
    assert mine.archived == theirs.archived
    for tenant, owner in (("acme", mine), ("zenith", theirs)):
        path = f"/v1/sessions/{owner.session}/archive/{owner.archived}"
        assert service.call(tenant, "GET", path).json()["text"] == LONG


def test_jobs_of_another_are_not_listed_and_its_idempotency_keys_are_not_known(
    service: Service, owned: Owned
) -> None:
    def listed(tenant: str) -> set[str]:
        found = service.call(tenant, "GET", "/v1/jobs", params={"limit": 500}).json()
        return {job["id"] for job in found["jobs"]}

    body, key = {"pages": [{"html": "<p>Low water"}]}, {"Idempotency-Key": "job-1"}
    mine, again = (
        service.call("acme", "POST", "/v1/jobs", json=body, headers=key).json()["id"]
        for _ in range(2)
    )
    other = {"pages": [{"html": "<p>High water"}]}
    theirs = service.call("zenith", "POST", "/v1/jobs", json=other, headers=key)
    assert theirs.status_code == 201
    assert mine == again != theirs.json()["id"]
    assert {mine, owned.job} <= listed("acme")
    assert theirs.json()["id"] not in listed("acme")
    assert not listed("zenith") & {mine, owned.job}


def test_sessions_of_another_are_not_listed(service: Service, owned: Owned) -> None:
    theirs = service.call("zenith", "POST", "/v1/sessions", json={}).json()["id"]
    for tenant, mine, other in (("acme", owned.session, theirs), ("zenith", theirs, owned.session)):
        found = service.call(tenant, "GET", "/v1/sessions", params={"limit": 500}).json()
        listed = {each["id"] for each in found["sessions"]}
        assert mine in listed, tenant
        assert other not in listed, tenant
        # The cursor of another's list leads to no session of theirs.
        found = service.call(
            tenant, "GET", "/v1/sessions", params={"cursor": f"9999999999-{other}"}
        )
        assert other not in found.text


def test_a_key_that_may_not_run_scripts_may_not_have_a_job_do_it(service: Service) -> None:
    key, _ = make_key(service.settings, "acme", "pages", requests_per_minute=10_007, concurrency=3)
    service.app.state.key_ring.forget()
    headers = {"Authorization": f"Bearer {key}"}
    scripted = {"url": "http://127.0.0.1:9/", "wait": {"predicate": "() => true"}}
    for body in ({"pages": [scripted]}, {"pages": ["http://a.test/"], "options": scripted}):
        answer = service.client.post("/v1/jobs", json=body, headers=headers)
        assert (answer.status_code, answer.json()["code"]) == (403, "forbidden")
    made = service.client.post("/v1/jobs", json={"pages": [{"html": "<p>a"}]}, headers=headers)
    query = sa.select(jobs.c.per_minute, jobs.c.at_a_time).where(jobs.c.id == made.json()["id"])
    with service.app.state.jobs.engine.connect() as connection:
        assert tuple(connection.execute(query).one()) == (10_007, 3)


def test_two_keys_of_one_tenant_see_the_same(service: Service, owned: Owned) -> None:
    key, _ = make_key(service.settings, "acme", "pages", "sessions")
    service.app.state.key_ring.forget()
    answer = service.client.get(
        f"/v1/sessions/{owned.session}", headers={"Authorization": f"Bearer {key}"}
    )
    assert answer.status_code == 200


def test_what_was_made_without_keys_belongs_to_no_tenant(tmp_path: Path) -> None:
    with keyed_service(tmp_path, key_ttl_s=0) as service:
        at = service.client.post("/v1/sessions", json={"budget_chars": 20_000}).headers["location"]
        page = service.client.post("/v1/pages", json={"html": "<p>Low water"}).json()
        key, _ = make_key(service.settings, "acme")
        for path in (at, f"/v1/snapshots/{page['snapshot']['id']}"):
            answer = service.client.get(path, headers={"X-API-Key": key})
            assert answer.status_code == 404, path


def test_a_snapshot_does_not_say_whose_it_is(service: Service, owned: Owned) -> None:
    wanted = {"html": "<p>Low water", "explain": True, "provenance": True}
    page = service.call("acme", "POST", "/v1/pages", json=wanted)
    shown = json.dumps(page.json()) + str(page.headers)
    session = service.call("acme", "GET", f"/v1/sessions/{owned.session}")
    shown += session.text + str(session.headers)
    assert "acme" not in shown
    assert service.keys["acme"].partition(".")[0] not in shown
