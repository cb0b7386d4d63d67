"""Recorded failures of others: prefixes that change, counters that are shared, refs that die."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest
from obstore.store import LocalStore

from compactor import ObjectArchive, Policy, Session, SqlStore, cache_plan, lint_prefix
from compactor.cost import serialise
from compactor.errors import ArtifactCorrupt, InvalidRequest
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


def test_f54_a_tool_stands_once_in_a_request() -> None:
    given = case("F54")
    tools = [{"type": "function", "function": {"name": name}} for name in given.config["tools"]]
    session = Session(tools=tools)
    session.append_many(given.messages, given.format)
    sent = session.context(given.format).tools
    assert [tool["function"]["name"] for tool in sent] == ["read"]
    other = {"type": "function", "function": {"name": "read", "description": "another"}}
    with pytest.raises(InvalidRequest, match="read"):
        Session(tools=[*tools, other])


def test_f57_text_that_changes_in_the_prefix_is_named() -> None:
    given = case("F57")
    (warning,) = lint_prefix(given.messages)
    assert str(warning) == given.expect["warns"]
    said = given.messages[0]["content"]
    assert [w.where for w in lint_prefix([], system=said)] == ["system"]
    for stable in ("You are a bot. Version 2026-11-30.", "Answer in 3 steps, at most 17 turns."):
        assert lint_prefix([{"role": "system", "content": stable}], system=stable) == []
    assert lint_prefix([{"role": "user", "content": said}]) == []


@pytest.mark.parametrize("where", ["in the messages", "apart", "nowhere"])
def test_f58_there_are_never_more_than_four_markers(where: str) -> None:
    given = case("F58")
    mark = {"cache_control": {"type": "ephemeral"}}
    tools = [{"name": "t", "input_schema": {}, **mark}]
    system, *said = given.messages
    if where == "in the messages":
        plan = cache_plan(given.messages, tools=tools)
    else:
        plan = cache_plan(said, system=system["content"] if where == "apart" else None, tools=tools)
    request = [plan.system, plan.tools, plan.messages]
    assert serialise(request).count("cache_control") == given.expect["max_markers"]
    assert len(plan.breakpoints) == given.expect["max_markers"]
    # One after the fixed part, three after the newest messages, each on the last block.
    newest = [m["content"] for m in plan.messages[-3:]]
    assert all("cache_control" in blocks[-1] for blocks in newest)
    again = cache_plan(plan.messages, system=plan.system, tools=plan.tools)
    assert serialise([again.system, again.tools, again.messages]) == serialise(request)
    assert again.removed == 0
    assert (plan.removed > 0) == (where != "nowhere")


def test_f60_the_tool_list_never_changes_and_unwanted_tools_are_masked() -> None:
    given = case("F60")
    turns = given.config["tools_per_turn"]
    names = sorted({name for turn in turns for name in turn})
    session = Session(tools=[{"type": "function", "function": {"name": name}} for name in names])
    session.append_many(given.messages, given.format)
    contexts = [session.context(given.format, allowed_tools=turn) for turn in turns]
    assert len({serialise(context.tools) for context in contexts}) == 1
    assert [list(context.allowed_tools or ()) for context in contexts] == turns
    with pytest.raises(InvalidRequest, match="no tool 'd'"):
        session.context(given.format, allowed_tools=["d"])


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
