"""Recorded failures of others: prefixes that change, counters that are shared, refs that die."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest
from obstore.store import LocalStore

from compactor import ObjectArchive, Policy, Session, SqlStore
from compactor.cost import serialise
from compactor.errors import ArtifactCorrupt
from compactor.formats import FORMATS, read, write
from tests.compactor.case_files import REF, case, session_of, shown


def test_f52_a_ref_expands_after_a_restart_at_any_age(tmp_path: Path) -> None:
    given = case("F52")
    url, folder = f"sqlite:///{tmp_path / 's.db'}", tmp_path / "archive"
    folder.mkdir()
    store = SqlStore(url)
    store.create("s", {})
    session = Session(archive=ObjectArchive(LocalStore(folder)), store=store, session_id="s")
    session.append_many(given.messages, given.format)
    (ref,) = session.refs(shown(session.context(given.format).messages))
    store.close()
    for path in folder.rglob("*"):
        age = path.stat().st_mtime - given.config["wait_s"]
        os.utime(path, (age, age))
    store = SqlStore(url)
    again = Session(archive=ObjectArchive(LocalStore(folder)), store=store, session_id="s")
    again.replay(store.entries("s"))
    assert again.expand(ref) == "w" * 90_000
    for path in (folder / "sha256").iterdir():
        path.unlink()
    with pytest.raises(ArtifactCorrupt, match="gone"):
        again.expand(ref)
    store.close()


@pytest.mark.parametrize("anchor", [False, True])
def test_f55_inside_an_epoch_each_request_starts_with_the_one_before(anchor: bool) -> None:
    given = case("F55")
    session = Session(replace(Policy.preset("epoch", budget_chars=200_000), anchor=anchor))
    before: list[object] = []
    for message in given.messages:
        session.append(message, given.format)
        made = session.context(given.format).messages
        if anchor and made[-1]["role"] == "user" and "WORKING MEMORY" in shown(made[-1:]):
            made = made[:-1]  # the newest entry's note floats
        sent = serialise(made)
        assert sent.startswith(serialise(before)[:-1])
        before = made
    assert len(before) == len(given.messages)
    assert not REF.search(shown(before))


def test_f56_key_order_never_changes_the_bytes() -> None:
    given = case("F56")
    other = given.expect["same_bytes_as"]
    for target in FORMATS:
        one, two = (write(read(m, given.format), target)[0] for m in (given.messages, other))
        assert serialise(one) == serialise(two)
    contexts = [
        session_of(replace(given, messages=m)).context(given.format)
        for m in (given.messages, other)
    ]
    assert serialise(contexts[0].messages) == serialise(contexts[1].messages)
    assert contexts[0].etag == contexts[1].etag


def test_f63_two_sessions_never_share_a_counter() -> None:
    given = case("F63")
    interval, requests = given.config["interval"], given.config["requests_each"]
    policy = replace(
        Policy.preset("upstream", budget_chars=2_000_000), compress_every_turns=interval
    )
    sessions = [Session(policy) for _ in range(given.config["sessions"])]
    compressed: list[list[int]] = [[] for _ in sessions]
    thought = f"<thinking>{given.messages[0]['content']}</thinking>done"
    for session in sessions:
        session.append_many(given.messages, given.format)
    for request in range(1, requests + 1):
        for session, when in zip(sessions, compressed, strict=True):
            report = session.append({"role": "assistant", "content": thought}, given.format)
            session.append({"role": "user", "content": "q"}, given.format)
            if any(change.step == "compress" for change in report.changes):
                when.append(request)
    assert compressed == [list(range(interval, requests + 1, interval))] * len(sessions)
