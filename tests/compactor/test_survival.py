"""What every compaction reports: what lasted by class, and refs that say how to get their original again."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from obstore.store import LocalStore

from compactor import ObjectArchive, Policy, Session
from compactor.errors import ArtifactCorrupt, MandatoryDoesNotFit, RefGone
from compactor.facts import FactRule
from compactor.messages import text_message
from compactor.snapshot import check_kept
from compactor.trigger import Triggers

PATH, NUMBER, URL = "src/tide/gauge_117.py", "4,731 ms", "https://tide.example.org/bar"
LATE = Triggers(enabled=False)


def _turn(number: int, text: str, tool: str = "read") -> list[dict[str, Any]]:
    call = {"type": "tool_use", "id": f"c{number}", "name": tool, "input": {"n": number}}
    result = {"type": "tool_result", "tool_use_id": f"c{number}", "content": text}
    return [{"role": "assistant", "content": [call]}, {"role": "user", "content": [result]}]


def _session(archive: ObjectArchive | None = None, facts: FactRule | None = None) -> Session:
    policy = replace(Policy.preset("epoch", budget_chars=20_000), triggers=LATE)
    policy = replace(policy, facts=facts or FactRule())
    session = Session(policy, archive=archive)
    session.append({"role": "user", "content": f"Never touch {PATH}. See {URL}."})
    return session


def test_what_stands_is_in_view_and_the_rest_is_counted() -> None:
    session = _session()
    assert session.survival().classes == {}
    middle = "x" * 900 + f" took {NUMBER} for src/tide/old_{{}}.py " + "y" * 900
    for number in range(20):
        session.append_many(_turn(number, middle.format(number)))
    report = session.survival()
    assert report.version > 0
    assert report.after_chars < report.before_chars
    paths = report.classes["path"]
    # The budget holds ten such results; of those that left before, the index still names paths.
    assert 5 <= paths.said <= 21
    # The task's path stands; those in the middle of what was compressed are behind its ref, or gone.
    assert paths.in_view >= 1
    assert paths.said == paths.in_view + paths.by_ref + paths.lost
    assert report.classes["url"].in_view == 1
    assert report.as_json()["classes"]["path"]["lost"] == paths.lost


def test_a_fact_behind_a_visible_ref_is_one_look_up_away() -> None:
    # Without an index of facts, which would name the path itself.
    session = _session(facts=FactRule(most_facts=0))
    text = "x" * 1_500 + " took 4,731 ms in src/tide/middle.py " + "y" * 1_500
    session.append_many(_turn(0, text))
    for number in range(1, 7):
        session.append_many(_turn(number, f"{number:04} " * 520))
    paths = session.survival().classes["path"]
    assert (paths.said, paths.in_view, paths.by_ref) == (2, 1, 1)


def test_a_ref_that_is_gone_says_when_why_and_how_to_get_it_again(tmp_path: Path) -> None:
    folder = tmp_path / "archive"
    folder.mkdir()
    session = _session(ObjectArchive(LocalStore(folder)))
    report = session.append_many(_turn(7, "w" * 30_000, "code_run"))
    (ref,) = session.refs(str(session.context().messages))
    origin = session.origin(ref)
    assert origin is not None
    assert (origin.seq, origin.tool, origin.arguments) == (2, "code_run", {"n": 7})
    assert (origin.step, origin.why) == (report.changes[0].step, report.changes[0].why)
    for path in (folder / "sha256").iterdir():
        path.unlink()
    with pytest.raises(RefGone) as caught:
        session.expand(ref)
    assert 'call code_run({"n":7})' in caught.value.message
    assert "message 2" in caught.value.message
    assert caught.value.origin == origin
    assert isinstance(caught.value, ArtifactCorrupt)


def test_visible_says_where_a_result_is() -> None:
    session = _session()
    session.append_many(_turn(0, "three boats"))
    session.append_many(_turn(1, "w" * 30_000))
    assert session.visible("c0") == "whole"
    assert session.visible("c1") == "partly"
    for number in range(2, 40):
        session.append_many(_turn(number, f"{number:04} " * 200))
    assert session.visible("c0") == "ref"
    assert session.visible("nobody") == "unknown"


def test_a_snapshot_that_would_drop_a_pinned_message_is_refused() -> None:
    pinned = replace(text_message("user", "never deploy on Friday"), pinned=True, seq=0)
    other = replace(text_message("user", "why?"), seq=1)
    check_kept([pinned, other], [pinned])
    with pytest.raises(MandatoryDoesNotFit, match="message 0"):
        check_kept([pinned, other], [other])


class _Forgetful(ObjectArchive):
    """An archive that takes everything and keeps nothing, as a disk that lies."""

    def get(self, ref: str) -> Any:
        raise ArtifactCorrupt(f"{ref} is gone.")


def test_a_snapshot_that_would_leave_a_ref_unresolved_is_refused() -> None:
    session = _session(_Forgetful())
    turns = (_turn(number, f"{number:04} " * 200) for number in range(40))
    with pytest.raises(ArtifactCorrupt, match="unresolved"):
        any(session.append_many(turn) is None for turn in turns)
    before = session.version
    assert session.context().stats.appended == before
    assert session.context().stats.epoch == 0
