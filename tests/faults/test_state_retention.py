"""What is deleted is gone, with every original that only it held; what others hold stays."""

from __future__ import annotations

import threading
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from obstore.store import MemoryStore
from typer.testing import CliRunner

from api.cli import app
from api.session_parts import archive_at
from api.session_pool import SessionDeps
from api.settings import ApiSettings
from api.sweeping import sweep_once
from compactor import ObjectArchive, SqlStore
from compactor.errors import ArtifactCorrupt, NotFound
from compactor.ledger import Ledger
from compactor.retention import Purged, collect, purge_session, purge_tenant, sweep
from tests.faults.state import client_at, opened, rows, session_in, stored, turn

NAMES = st.sampled_from(["s0", "s1", "s2", "s3"])
#: What sessions do: put one of a few values with an append, put it and only read, fail, or go.
STEPS = st.lists(
    st.tuples(st.sampled_from(["append", "read", "fail", "purge"]), NAMES, st.integers(0, 5)),
    max_size=30,
)


class _Model:
    """Sessions by hand: which values each may still ask for."""

    def __init__(self, store: SqlStore, archive: ObjectArchive) -> None:
        self.store, self.archive = store, archive
        self.ledgers: dict[str, Ledger] = {}
        self.held: dict[str, dict[int, str]] = {}
        self.put: dict[str, dict[int, str]] = {}

    def do(self, step: str, name: str, number: int) -> None:
        if step == "purge":
            if name in self.held:
                purge_session(self.store, self.archive, name)
                del self.held[name], self.put[name], self.ledgers[name]
            return
        if name not in self.held:
            self.store.create(name, {})
            self.ledgers[name] = Ledger(self.store, self.archive, name)
            self.held[name], self.put[name] = {}, {}
        ledger = self.ledgers[name]
        self.put[name][number] = ledger.put(["value", number])
        if step == "append":
            version = self.store.header(name).version
            ledger.commit(name, version, [], None, {})
        elif step == "read":
            ledger.flush()
        if step != "fail":
            # With what was put before by an append that failed.
            self.held[name].update(self.put[name])


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(STEPS)
def test_an_original_is_there_exactly_as_long_as_a_session_holds_it(
    steps: list[tuple[str, str, int]],
) -> None:
    store, archive = SqlStore("sqlite://"), ObjectArchive(MemoryStore())
    model = _Model(store, archive)
    for step in steps:
        model.do(*step)
        for values in model.held.values():
            for number, ref in values.items():
                assert archive.get(ref) == ["value", number]
    collect(store, archive, tenant="", untouched_since=time.time() + 60)
    wanted = {number for values in model.held.values() for number in values}
    left = {archive.get(ref)[1] for values in model.held.values() for ref in values.values()}
    assert left == wanted
    assert len(list(archive.older_than(time.time() + 60))) == len(wanted)
    for name in list(model.held):
        model.do("purge", name, 0)
    assert list(archive.older_than(time.time() + 60)) == []
    store.close()


def _full(store: SqlStore, archive: ObjectArchive, name: str, tenant: str, first: int) -> Any:
    session = session_in(store, archive, name, tenant=tenant)
    for number in range(first, first + 3):
        session.append_many(turn(number)["messages"])
    return session


def _originals(folder: Path, tenant: str = "") -> int:
    return len(list((folder / "archive" / tenant / "sha256").glob("*")))


def test_purged_session_leaves_no_row_and_no_original_of_its_own(tmp_path: Path) -> None:
    store, archive = stored(tmp_path)
    _full(store, archive, "s1", "", 0)
    other = _full(store, archive, "s2", "", 2)
    before = _originals(tmp_path)
    done = purge_session(store, archive, "s1")
    assert done.sessions == 1
    assert 0 < done.originals == before - _originals(tmp_path)
    for table in ("events", "idempotency", "holdings"):
        assert rows(tmp_path, f"SELECT * FROM {table} WHERE session_id = 's1'") == []
    for line in other.certificate(other.context()):
        assert line.kept or other.expand(line.original)
    with pytest.raises(NotFound):
        purge_session(store, archive, "s1")
    purge_session(store, archive, "s2")
    assert _originals(tmp_path) == 0
    assert list((tmp_path / "archive" / "refs").iterdir()) == []
    store.close()


def test_purged_tenant_takes_nothing_of_another(tmp_path: Path) -> None:
    store, acme = stored(tmp_path, "acme")
    zenith = stored(tmp_path, "zenith")[1]
    for name in ("a1", "a2"):
        _full(store, acme, name, "acme", 0)
    session = _full(store, zenith, "z1", "zenith", 0)
    assert purge_tenant(store, acme, "acme").sessions == 2
    assert _originals(tmp_path, "acme") == 0
    for line in session.certificate(session.context()):
        assert line.kept or session.expand(line.original)
    with pytest.raises(NotFound):
        store.header("a1", tenant="acme")
    store.close()


def test_sessions_that_nobody_writes_to_go_after_their_time(tmp_path: Path) -> None:
    now = [1_000_000.0]
    store = SqlStore(f"sqlite:///{tmp_path / 'sessions.db'}", clock=lambda: now[0])
    archive = stored(tmp_path)[1]
    _full(store, archive, "old", "", 0)
    now[0] += 100
    live = _full(store, archive, "live", "", 1)
    now[0] += 100
    live.append({"role": "user", "content": "still here"})
    assert sweep(store, lambda _: archive, untouched_since=now[0] - 200) == Purged()
    assert sweep(store, lambda _: archive, untouched_since=now[0] - 150).sessions == 1
    with pytest.raises(NotFound):
        store.header("old")
    for line in live.certificate(live.context()):
        assert line.kept or live.expand(line.original)
    store.close()


def test_service_sweeps_by_its_setting(tmp_path: Path) -> None:
    store, archive = stored(tmp_path)
    _full(store, archive, "s1", "", 0)
    rows(tmp_path, "UPDATE sessions SET touched = touched - 90")

    async def no_page(*_: Any) -> None:
        raise NotImplementedError

    deps = SessionDeps(store, archive, no_page)
    assert sweep_once(deps, 100) == Purged()
    assert sweep_once(deps, 60).sessions == 1
    assert _originals(tmp_path) == 0
    store.close()


def test_deleting_over_http_takes_the_originals_along(tmp_path: Path) -> None:
    with client_at(tmp_path) as client:
        one, two = opened(client), opened(client)
        for path in (one, two):
            client.post(f"{path}/messages", json=turn(1))
        shared = _originals(tmp_path)
        assert shared > 0
        assert client.delete(one).status_code == 204
        assert _originals(tmp_path) == shared
        assert client.delete(two).status_code == 204
        assert _originals(tmp_path) == 0
        assert client.get(f"{one}/context").status_code == 404


def test_command_purges_one_tenant_and_no_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PAGEFOLD_DATA_DIR", str(tmp_path))
    store = SqlStore(f"sqlite:///{tmp_path / 'sessions.db'}")
    settings = ApiSettings()
    for tenant in ("acme", "zenith"):
        session = session_in(store, archive_at(settings, tenant), tenant, tenant=tenant)
        session.append_many(turn(1)["messages"])
    store.close()
    asked = CliRunner().invoke(app, ["purge", "acme"], input="n\n")
    assert asked.exit_code == 1
    done = CliRunner().invoke(app, ["purge", "acme", "--yes"])
    assert done.exit_code == 0, done.output
    assert done.output.startswith("Removed 1 sessions and ")
    assert rows(tmp_path, "SELECT tenant FROM sessions") == [("zenith",)]
    assert CliRunner().invoke(app, ["purge", "../etc", "--yes"]).exit_code == 2


def test_what_a_refused_append_left_is_collected_but_not_what_is_young(tmp_path: Path) -> None:
    store, archive = stored(tmp_path)
    _full(store, archive, "s1", "", 0)
    kept = _originals(tmp_path)
    ref = archive.put("of no session")
    assert collect(store, archive, tenant="", untouched_since=time.time() - 3_600) == 0
    assert collect(store, archive, tenant="", untouched_since=time.time() + 60) == 1
    assert _originals(tmp_path) == kept
    with pytest.raises(NotFound):
        archive.get(ref)
    store.close()


def test_nothing_is_collected_beside_sessions_of_an_older_version(tmp_path: Path) -> None:
    store, archive = stored(tmp_path)
    archive.put("perhaps held")
    store.create("s1", {})
    rows(tmp_path, "UPDATE sessions SET touched = NULL")
    assert collect(store, archive, tenant="", untouched_since=time.time() + 60) == 0
    store.close()


def test_original_that_is_purged_while_another_session_puts_it_is_there(tmp_path: Path) -> None:
    store, archive = stored(tmp_path)
    for round_ in range(5):
        first = Ledger(store, archive, f"a{round_}")
        second = Ledger(store, archive, f"b{round_}")
        for name in (f"a{round_}", f"b{round_}"):
            store.create(name, {})
        ref = first.put(["the same", round_])
        first.commit(f"a{round_}", 0, [], None, {})
        # Seen as there, and gone by the time that it is entered.
        assert second.put(["the same", round_]) == ref
        purging = threading.Thread(target=purge_session, args=(store, archive, f"a{round_}"))
        purging.start()
        second.commit(f"b{round_}", 0, [], None, {})
        purging.join()
        assert archive.get(ref) == ["the same", round_]
    store.close()


def test_crash_between_rows_and_originals_leaves_no_session_without_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store, archive = stored(tmp_path)
    _full(store, archive, "s1", "", 0)

    def cut(self: ObjectArchive, digest: str) -> bool:
        raise ArtifactCorrupt("power cut")

    with monkeypatch.context() as patch:
        patch.setattr(ObjectArchive, "remove", cut)
        with pytest.raises(ArtifactCorrupt):
            purge_session(store, archive, "s1")
    with pytest.raises(NotFound):
        store.header("s1")
    assert _originals(tmp_path) > 0
    collect(store, archive, tenant="", untouched_since=time.time() + 60)
    assert _originals(tmp_path) == 0
    store.close()
