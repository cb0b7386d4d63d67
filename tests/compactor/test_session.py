"""A session's promises one by one."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import pytest
from obstore.store import LocalStore, MemoryStore

import compactor
from compactor import ObjectArchive, Policy, Session, SqlStore, compact
from compactor.errors import (
    ArtifactCorrupt,
    BudgetImpossible,
    Conflict,
    InvalidRequest,
    MandatoryDoesNotFit,
    NotFound,
    VersionMismatch,
)
from compactor.log import Keyed

Json = Any


def _texts(messages: list[Json]) -> str:
    return repr(messages)


def test_public_names_are_sorted_and_exist() -> None:
    assert compactor.__all__ == sorted(compactor.__all__)
    assert all(hasattr(compactor, name) for name in compactor.__all__)


def test_first_user_message_and_pins_survive_eviction() -> None:
    session = Session(Policy.preset(budget_chars=4_000))
    session.append({"role": "user", "content": "TASK-1"})
    session.append({"role": "user", "content": "RULE-2"}, pinned=True)
    for i in range(60):
        session.append({"role": "assistant", "content": f"step {i} " + "s" * 200})
    shown = _texts(session.context().messages)
    assert "TASK-1" in shown
    assert "RULE-2" in shown
    assert "step 59" in shown
    assert session.context().stats.evicted > 20
    assert session.context().stats.cost_chars <= 4_000


def test_eviction_stops_under_its_share_of_the_budget() -> None:
    session = Session(Policy.preset(budget_chars=10_000))
    for i in range(60):
        role = "user" if i % 2 == 0 else "assistant"
        report = session.append({"role": role, "content": "t" * 250})
        if any(change.step == "evict" for change in report.changes):
            break
    assert 2_000 < report.cost_chars < 3_000


def test_pinned_content_over_the_budget_is_a_typed_error_and_changes_nothing() -> None:
    session = Session(Policy.preset(budget_chars=2_000))
    session.append({"role": "user", "content": "go"})
    with pytest.raises(MandatoryDoesNotFit):
        session.append({"role": "user", "content": "p" * 3_000}, pinned=True)
    assert session.version == 1
    with pytest.raises(BudgetImpossible):
        Policy(window_tokens=5_000).budget("word " * 5_000)


def test_signed_thinking_is_whole_or_gone() -> None:
    thought = {"type": "thinking", "thinking": "h" * 900, "signature": "sig"}
    session = Session(Policy.preset(budget_chars=1_500))
    session.append({"role": "user", "content": "go"})
    said = {"type": "text", "text": "done " * 100}
    report = session.append({"role": "assistant", "content": [thought, said]})
    blocks = session.context().messages[-1]["content"]
    assert thought in blocks or all(block["type"] != "thinking" for block in blocks)
    assert report.cost_chars <= 1_500


def test_look_alike_refs_are_not_refs() -> None:
    session = Session()
    session.append({"role": "user", "content": "see ref=a:deadbeef"})
    assert session.refs("see ref=a:deadbeef") == ()
    with pytest.raises(NotFound):
        session.expand("a:deadbeef")


def test_archive_is_content_addressed_and_verified(tmp_path: Path) -> None:
    archive = ObjectArchive(LocalStore(tmp_path))
    ref = archive.put("b\ud800\x00a")
    assert ref == archive.put("b\ud800\x00a")
    assert ref == "a:" + hashlib.sha256(b'"b\\ud800\\u0000a"').hexdigest()[:8]
    assert ObjectArchive(LocalStore(tmp_path)).get(ref) == "b\ud800\x00a"
    (stored,) = (tmp_path / "sha256").iterdir()
    stored.write_bytes(b'"forged"')
    with pytest.raises(ArtifactCorrupt):
        archive.get(ref)


def test_a_taken_short_ref_is_never_given_twice() -> None:
    objects = MemoryStore()
    digest = hashlib.sha256(b'"v"').hexdigest()
    objects.put(f"refs/{digest[:8]}", b"0" * 64)
    assert ObjectArchive(objects).put("v") == f"a:{digest[:9]}"


def test_messages_of_another_format_say_which_there_are() -> None:
    call = {"id": "c", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    for message in (
        {"role": "tool", "tool_call_id": "c", "content": "r"},
        {"role": "assistant", "content": None, "tool_calls": [call]},
    ):
        session = Session(Policy.preset(budget_chars=2_000))
        with pytest.raises(InvalidRequest, match=r"read as anthropic; .* openai-chat"):
            session.append(message)


def test_peek_and_grep_read_a_part() -> None:
    session = Session(Policy.preset(budget_chars=2_000))
    whole = "\n".join(f"line {i}" for i in range(2_000))
    ref = session.append({"role": "user", "content": whole}).changes[-1].ref
    assert session.peek(ref, 0, 6) == "line 0"
    assert session.grep(ref, "LINE 1999") == [(2_000, "line 1999")]


def test_grep_in_messages_finds_lines_of_their_texts() -> None:
    session = Session(Policy.preset(budget_chars=4_000))
    for turn in range(12):
        call = {"type": "tool_use", "id": f"c{turn}", "name": "read_log", "input": {"part": turn}}
        log = "".join(f"{turn}:{n} station {n % 7}\n" for n in range(60))
        done = {"type": "tool_result", "tool_use_id": f"c{turn}", "content": log}
        session.append({"role": "assistant", "content": [call]})
        session.append({"role": "user", "content": [done]})
    refs = session.refs(str(session.context().messages))
    spans = [ref for ref in refs if isinstance(session.expand(ref), list)]
    found = [text for ref in spans for _, text in session.grep(ref, "2:33 ")]
    assert found == ["2:33 station 5"]
    assert [text for ref in spans for _, text in session.grep(ref, "part: 2")]


def test_a_stored_session_comes_back_byte_for_byte(tmp_path: Path) -> None:
    store = SqlStore(f"sqlite:///{tmp_path / 's.db'}")
    store.create("s", {}, tenant="t")
    policy = Policy.preset(budget_chars=3_000)
    session = Session(policy, store=store, session_id="s")
    for i in range(40):
        session.append({"role": "user" if i % 2 == 0 else "assistant", "content": "t" * 200})
    again = Session(policy, store=store, session_id="s")
    again.replay(store.entries("s"))
    assert again.context() == session.context()
    assert again.certificate(again.context()) == session.certificate(session.context())
    stale = Session(policy, store=store, session_id="s")
    with pytest.raises(VersionMismatch):
        stale.append({"role": "user", "content": "late"})
    assert store.header("s", tenant="t").version == 40
    with pytest.raises(NotFound):
        store.header("s", tenant="other")
    store.delete("s", tenant="t")
    assert store.entries("s") == []
    store.close()


def test_a_key_belongs_to_one_request(tmp_path: Path) -> None:
    store = SqlStore(f"sqlite:///{tmp_path / 's.db'}")
    store.create("s", {})
    session = Session(store=store, session_id="s")
    keyed = Keyed("k", "f1")
    report = session.append_many([{"role": "user", "content": "a"}], keyed=keyed)
    assert store.reply("s", keyed) == report.as_json()
    with pytest.raises(InvalidRequest) as refused:
        store.reply("s", Keyed("k", "f2"))
    assert refused.value.field == "Idempotency-Key"
    with pytest.raises(Conflict):
        session.append_many([{"role": "user", "content": "b"}], keyed=keyed)
    assert store.header("s").version == session.version == 1
    store.close()


def test_unreadable_messages_name_their_index() -> None:
    with pytest.raises(InvalidRequest, match="Message 1"):
        compact([{"role": "user", "content": "a"}, {"content": "b"}])
    with pytest.raises(InvalidRequest, match="openai-chat"):
        compact([], "nope")
