"""The list of sessions: in order of the last write, in pieces, one tenant's alone."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
import sqlalchemy as sa

from compactor import SqlStore
from compactor.shelf import Kept, kept_sessions
from compactor.tables import sessions


class _Clock:
    now = 1_790_000_000.9

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> _Clock:
    return _Clock()


@pytest.fixture
def store(tmp_path: Path, clock: _Clock) -> Iterator[SqlStore]:
    made = SqlStore(f"sqlite:///{tmp_path / 'sessions.db'}", clock=clock)
    yield made
    made.close()


def test_what_was_written_to_last_comes_first(store: SqlStore, clock: _Clock) -> None:
    for name in "abc":
        store.create(name, {})
    store.create("d", {}, tenant="other")
    clock.now += 60
    store.commit("a", 0, [], None, {})
    assert kept_sessions(store.engine, "", most=9) == [
        Kept("a", 0, 1_790_000_060),
        Kept("c", 0, 1_790_000_000),
        Kept("b", 0, 1_790_000_000),
    ]


def test_pieces_make_up_the_whole(store: SqlStore) -> None:
    for name in "edcba":
        store.create(name, {})
    with store.engine.begin() as connection:
        old = sa.update(sessions).where(sessions.c.id.in_(["c", "d"]))
        connection.execute(old.values(touched=None))
    found: list[Kept] = []
    while piece := kept_sessions(store.engine, "", before=found[-1] if found else None, most=2):
        found += piece
    assert [(each.id, each.touched > 0) for each in found] == [
        ("e", True),
        ("b", True),
        ("a", True),
        ("d", False),
        ("c", False),
    ]
