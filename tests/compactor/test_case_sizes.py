"""Recorded failures of others: what things cost, and results that give way."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from compactor import Policy, Session, SqlStore
from compactor.cost import cost
from compactor.estimate import estimate_tokens
from tests.compactor.case_files import case, errors, session_of


def test_f33_an_image_is_priced_as_an_image() -> None:
    given = case("F33")
    tokens = estimate_tokens(given.messages)
    assert given.expect["min_tokens"] <= tokens <= given.expect["max_tokens"]
    assert cost(given.messages) < 20_000


@pytest.mark.parametrize("kind", ["file", "audio", "input_audio"])
def test_f34_a_file_or_a_recording_is_priced_by_its_kind(kind: str) -> None:
    given = case("F34")
    part = given.messages[0]["content"][0]
    if kind == "audio":
        part = {"type": "audio", "mime_type": "audio/wav", "base64": part["base64"]}
    if kind == "input_audio":
        part = {"type": kind, "input_audio": {"data": part["base64"], "format": "wav"}}
    messages = [{"role": "user", "content": [part]}]
    assert 60 <= estimate_tokens(messages) <= given.expect["max_tokens"]
    assert cost(messages) < 100_000


def test_f36_ideographs_are_not_four_to_a_token() -> None:
    given = case("F36")
    text = given.messages[0]["content"]
    assert len(text) == given.expect["chars"]
    least = given.expect["min_tokens"]
    assert least <= estimate_tokens(given.messages, "o200k") <= len(text)
    assert least <= estimate_tokens(given.messages) <= 1.5 * len(text)


def test_f29_a_placeholder_longer_than_the_result_is_refused() -> None:
    given = case("F29")
    session = session_of(given)
    assert session.clear_tool_results(keep=given.config["keep"]).changes == ()
    assert json.dumps(session.context(given.format).messages) == json.dumps(given.messages)
    assert errors(given.messages, "openai-chat") == []


def test_f50_a_cleared_result_says_so_and_comes_back(tmp_path: Path) -> None:
    given = case("F50")
    store = SqlStore(f"sqlite:///{tmp_path / 's.db'}")
    store.create("s", {})
    policy = Policy(anchor=False)
    session = Session(policy, store=store, session_id="s")
    session.append_many(given.messages, given.format)
    (change,) = session.clear_tool_results(keep=given.config["keep"]).changes
    context = session.context(given.format)
    assert errors(context.messages, "openai-chat") == []
    visible = {name: session.visible(name) == "whole" for name in given.expect["visible"]}
    assert visible == given.expect["visible"]
    assert session.visible("f1") == "ref"
    assert session.expand(change.ref) == "d" * 2_000
    assert change.ref in context.messages[2]["content"]
    assert "\n" not in context.messages[2]["content"]
    assert session.clear_tool_results(keep=given.config["keep"]).changes == ()
    again = Session(policy, archive=session.archive, store=store, session_id="s")
    again.replay(store.entries("s"))
    assert again.context(given.format) == context
    assert again.visible("f1") == "ref"
    store.close()


def test_excluded_and_unused_results_are_not_cleared() -> None:
    given = case("F50")
    session = session_of(given)
    assert session.clear_tool_results(keep=0, exclude=("fin",)).changes == ()
    (change,) = session.clear_tool_results(keep=0).changes
    assert change.seq == 2
    assert session.visible("f2") == "whole"
