"""A request that is sent again is answered as it was, and appends nothing."""

from __future__ import annotations

import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

from compactor import SqlStore
from tests.faults.state import client_at, opened, turn

KEY = {"Idempotency-Key": "k1"}


def test_repeated_append_has_the_same_answer_and_appends_once(tmp_path: Path) -> None:
    with client_at(tmp_path) as client:
        path = opened(client)
        first = client.post(f"{path}/messages", json=turn(1), headers=KEY)
        client.post(f"{path}/messages", json=turn(2))
        again = client.post(f"{path}/messages", json=turn(1), headers=KEY)
        assert again.status_code == first.status_code == 200
        assert again.json() == first.json()
        assert client.get(path).json()["version"] == 4


def test_the_key_of_another_request_is_refused(tmp_path: Path) -> None:
    with client_at(tmp_path) as client:
        path = opened(client)
        client.post(f"{path}/messages", json=turn(1), headers=KEY)
        answer = client.post(f"{path}/messages", json=turn(2), headers=KEY)
        assert (answer.status_code, answer.json()["code"]) == (422, "invalid_request")
        assert answer.json()["field"] == "Idempotency-Key"
        assert client.get(path).json()["version"] == 2


def test_a_key_belongs_to_one_session(tmp_path: Path) -> None:
    with client_at(tmp_path) as client:
        one, two = opened(client), opened(client)
        assert client.post(f"{one}/messages", json=turn(1), headers=KEY).status_code == 200
        assert client.post(f"{two}/messages", json=turn(2), headers=KEY).status_code == 200


def test_repeat_while_the_first_runs_is_a_conflict(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    entered, go_on = threading.Event(), threading.Event()
    commit = SqlStore.commit

    def slow(self: SqlStore, *given: Any, **named: Any) -> None:
        entered.set()
        go_on.wait(20)
        commit(self, *given, **named)

    with client_at(tmp_path) as client:
        path = opened(client)
        monkeypatch.setattr(SqlStore, "commit", slow)
        answers: list[Any] = []

        def send() -> None:
            answers.append(client.post(f"{path}/messages", json=turn(1), headers=KEY))

        first = threading.Thread(target=send)
        first.start()
        assert entered.wait(20)
        same = client.post(f"{path}/messages", json=turn(1), headers=KEY)
        other = client.post(f"{path}/messages", json=turn(2), headers=KEY)
        go_on.set()
        first.join()
        assert (same.status_code, same.json()["code"]) == (409, "conflict")
        assert (other.status_code, other.json()["code"]) == (422, "invalid_request")
        assert answers[0].status_code == 200
        assert client.get(path).json()["version"] == 2


_DIES = """
import os, sys
from pathlib import Path
from compactor import SqlStore
from tests.faults.state import client_at, turn

commit = SqlStore.commit

def cut(self, *given, **named):
    if sys.argv[3] == "after":
        commit(self, *given, **named)
    os._exit(9)

SqlStore.commit = cut
with client_at(Path(sys.argv[1])) as client:
    client.post(sys.argv[2] + "/messages", json=turn(1), headers={"Idempotency-Key": "k1"})
"""


@pytest.mark.parametrize(("moment", "left"), [("before", 0), ("after", 2)])
def test_crash_around_the_commit_is_made_good_by_a_repeat(
    moment: str, left: int, tmp_path: Path
) -> None:
    with client_at(tmp_path) as client:
        path = opened(client)
    command = [sys.executable, "-c", _DIES, str(tmp_path), path, moment]
    died = subprocess.run(command, cwd=Path(__file__).parents[2], timeout=60, check=False)
    assert died.returncode == 9
    with client_at(tmp_path) as client:
        assert client.get(path).json()["version"] == left
        again = client.post(f"{path}/messages", json=turn(1), headers=KEY)
        assert again.status_code == 200
        assert again.json()["appended"] == [0, 1]
        assert client.get(path).json()["version"] == 2


def test_failure_between_commit_and_answer_is_made_good_in_the_same_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    commit = SqlStore.commit

    def fails(self: SqlStore, *given: Any, **named: Any) -> None:
        commit(self, *given, **named)
        raise RuntimeError("the answer is lost")

    with client_at(tmp_path) as client:
        path = opened(client)
        monkeypatch.setattr(SqlStore, "commit", fails)
        with pytest.raises(RuntimeError, match="lost"):
            client.post(f"{path}/messages", json=turn(1), headers=KEY)
        monkeypatch.setattr(SqlStore, "commit", commit)
        again = client.post(f"{path}/messages", json=turn(1), headers=KEY)
        assert again.json()["version"] == client.get(path).json()["version"] == 2
