"""What was acknowledged survives a kill, and of many writers one wins each version."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from compactor import Session, SqlStore
from compactor.errors import VersionMismatch
from testbed.crash import crash
from tests.compactor.postgres import running_postgres

KILLS = 2
WRITERS = 16
ROUNDS = 5


@pytest.fixture(params=["sqlite", "postgresql"])
def database(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    if request.param == "sqlite":
        yield f"sqlite:///{tmp_path / 'sessions.db'}"
    else:
        with running_postgres() as url:
            yield url


def test_acknowledged_appends_survive_kills(database: str, tmp_path: Path) -> None:
    tally = crash(database, tmp_path, KILLS)
    assert tally.problems == []
    assert tally.kills == KILLS
    assert tally.acknowledged > 0


def test_one_of_many_writers_wins_each_version(database: str) -> None:
    store = SqlStore(database)
    store.create("s", {})
    won: list[tuple[int, int]] = []
    refused: list[int] = []
    start = threading.Barrier(WRITERS)

    def write(number: int) -> None:
        for version in range(ROUNDS):
            session = Session(store=store, session_id="s")
            session.replay(store.entries("s"))
            start.wait()
            try:
                message = {"role": "user", "content": f"{version} by {number}"}
                session.append(message, expected_version=version)
            except VersionMismatch:
                refused.append(version)
            else:
                won.append((version, number))
            start.wait()

    threads = [threading.Thread(target=write, args=(number,)) for number in range(WRITERS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    stored = [str(entry.body["raw"]["content"]) for entry in store.entries("s")]
    store.close()
    assert sorted(version for version, _ in won) == list(range(ROUNDS))
    assert len(refused) == ROUNDS * (WRITERS - 1)
    assert stored == [f"{version} by {number}" for version, number in sorted(won)]
