"""A log that was tampered with is found, row by row, and never replayed."""

from __future__ import annotations

from pathlib import Path

import pytest

from api.doctor import check_sessions
from api.settings import ApiSettings
from compactor.audit import audit
from compactor.errors import LogCorrupt
from tests.faults.state import client_at, opened, rows, session_in, stored, turn

EDITS = {
    "body": ("UPDATE events SET body = replace(body, 'm 2', 'm X') WHERE seq = 2", 2),
    "kind": ("UPDATE events SET kind = 'key_info' WHERE seq = 3", 3),
    "link": ("UPDATE events SET link = 'f' || substr(link, 2) || 'x' WHERE seq = 1", 1),
    "no link": ("UPDATE events SET link = NULL WHERE seq = 4", 4),
    "swapped": (
        "UPDATE events SET body = (SELECT body FROM events e WHERE e.seq = 5 - events.seq) "
        "WHERE seq IN (2, 3)",
        2,
    ),
    "removed": ("DELETE FROM events WHERE seq = 2", 2),
    "first removed": ("DELETE FROM events WHERE seq = 0", 0),
    "last removed": ("DELETE FROM events WHERE seq = 5", 5),
    "settings": ('UPDATE sessions SET header = \'{"policy":"paper"}\'', 0),
}


@pytest.mark.parametrize("edit", sorted(EDITS))
def test_edited_row_is_found_by_its_name_and_never_replayed(edit: str, tmp_path: Path) -> None:
    store, archive = stored(tmp_path)
    session = session_in(store, archive, "s1")
    for number in range(6):
        role = "user" if number % 2 == 0 else "assistant"
        session.append({"role": role, "content": f"m {number}"})
    assert list(audit(store.engine)) == []
    query, seq = EDITS[edit]
    rows(tmp_path, query)
    (found,) = audit(store.engine)
    assert found.startswith(f"events s1 {seq}: ")
    with pytest.raises(LogCorrupt) as caught:
        session_in(store, archive, "s1", new=False)
    assert caught.value.detail == found
    store.close()


def test_rows_from_another_session_do_not_fit(tmp_path: Path) -> None:
    store, archive = stored(tmp_path)
    for name in ("s1", "s2"):
        session_in(store, archive, name).append({"role": "user", "content": "the same"})
    assert list(audit(store.engine)) == []
    rows(tmp_path, "UPDATE events SET link = (SELECT link FROM events WHERE session_id = 's1')")
    assert [found.split()[1] for found in audit(store.engine)] == ["s2"]
    store.close()


def test_reading_on_checks_what_is_new_against_what_was_there(tmp_path: Path) -> None:
    store, archive = stored(tmp_path)
    session = session_in(store, archive, "s1")
    for number in range(4):
        session.append({"role": "user", "content": f"m {number}"})
    assert [entry.seq for entry in store.entries("s1", after=2)] == [2, 3]
    assert store.entries("s1", after=4) == []
    rows(tmp_path, "UPDATE events SET body = replace(body, 'm 3', 'm X') WHERE seq = 3")
    with pytest.raises(LogCorrupt):
        store.entries("s1", after=2)
    store.close()


def test_service_refuses_a_damaged_session_and_serves_the_others(tmp_path: Path) -> None:
    with client_at(tmp_path) as client:
        bad, good = opened(client), opened(client)
        for path in (bad, good):
            client.post(f"{path}/messages", json=turn(1))
    session_id = bad.rpartition("/")[2]
    rows(
        tmp_path,
        "UPDATE events SET body = replace(body, 'line', 'lime') WHERE session_id = ?",
        session_id,
    )
    with client_at(tmp_path) as client:
        answer = client.get(f"{bad}/context")
        assert (answer.status_code, answer.json()["code"]) == (500, "log_corrupt")
        assert session_id not in answer.json()["detail"]
        refused = client.post(f"{bad}/messages", json=turn(2))
        assert refused.json()["code"] == "log_corrupt"
        assert client.get(f"{good}/context").status_code == 200


def test_doctor_names_the_row(tmp_path: Path) -> None:
    settings = ApiSettings(data_dir=tmp_path)
    assert check_sessions(settings).ok
    assert not (tmp_path / "sessions.db").exists()
    store, archive = stored(tmp_path)
    session_in(store, archive, "s1").append({"role": "user", "content": "as it was"})
    assert check_sessions(settings).ok
    rows(tmp_path, "UPDATE events SET body = replace(body, 'as it was', 'as it is')")
    found = check_sessions(settings)
    assert not found.ok
    assert found.required
    assert "events s1 0" in found.message
    store.close()
