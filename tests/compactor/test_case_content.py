"""Recorded failures of others: what must survive, and what must never be mistaken."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from compactor import Limit, Policy, Session, compact, uncompact, validate
from compactor.cost import history_cost, serialise
from compactor.errors import NotFound
from tests.compactor.case_files import (
    REF,
    case,
    errors,
    followed,
    keeping,
    session_of,
    shown,
)


def test_f12_roles_alternate_for_a_strict_provider() -> None:
    given = followed(case("F12"), {"role": "user", "content": "Question 3 " * 30})
    session = session_of(given, keeping(given))
    made = session.context(given.format).messages
    assert validate(made, "mistral-strict") == []
    roles = [message["role"] for message in made]
    assert roles == ["user", "assistant"] * (len(roles) // 2) + ["user"] * (len(roles) % 2)
    whole = Session(replace(keeping(given), budget_chars=10_000, anchor=False))
    whole.append_many(case("F12").messages, given.format)
    assert "Question 2" in shown(whole.context(given.format).messages)


def test_f16_the_system_message_stays_byte_for_byte() -> None:
    given = case("F16")
    made = compact(given.messages, given.format, policy=keeping(given)).messages
    assert errors(made, "openai-chat") == []
    systems = [message for message in made if message["role"] == "system"]
    assert [json.dumps(m) for m in systems] == [json.dumps(given.messages[0])]
    assert len(made) < len(given.messages)


def test_f17_below_the_threshold_nothing_changes() -> None:
    given = case("F17")
    policy = Policy(window_tokens=given.config["trigger_tokens"])
    made = compact(given.messages, given.format, policy=policy)
    assert json.dumps(made.messages) == json.dumps(given.messages)
    assert made.report.changes == ()


def test_f35_an_image_in_a_result_leaves_and_comes_back() -> None:
    given = case("F35")
    image = given.messages[2]["content"][0]["content"][0]
    policy = keeping(given, budget_chars=4_000)
    session = session_of(given, policy)
    made = session.context(given.format).messages
    assert errors(made, "anthropic") == []
    assert len(serialise(made)) < 5_000
    refs = {ref for line in session.certificate(session.context(given.format)) for ref in line.refs}
    assert any(image["source"]["data"] in session.expand_text(ref) for ref in refs)


def test_f38_a_lone_surrogate_and_a_cut_emoji_never_reach_the_request() -> None:
    given = case("F38")
    call = {"id": "e1", "type": "function", "function": {"name": "t", "arguments": "{}"}}
    asked = [
        {"role": "user", "content": "q"},
        {"role": "assistant", "content": None, "tool_calls": [call]},
    ]
    most = given.config["max_chars"]
    policy = Policy(default_limit=Limit(most), limits={})
    for before in ([], asked):
        history = [*before, *given.messages]
        made = compact(history, given.format, policy=policy)
        text = made.messages[-1]["content"].rpartition("\n")[2]
        # Whole characters only, in the limit, from the front of what came.
        wanted = given.messages[0]["content"].replace("\ud83d", "\ufffd")
        assert 0 < len(text) <= most
        assert wanted.startswith(text)
        sent = serialise(made.messages)
        assert json.loads(sent.encode("utf-8")) == made.messages
        assert uncompact(made.messages, made.certificate, made.archive) == history


def test_f40_a_limit_in_bytes_holds_inside_two_byte_letters() -> None:
    given = case("F40")
    most = given.config["max_bytes"]
    # No character takes more than four bytes.
    policy = Policy(default_limit=Limit(most // 4), limits={})
    made = compact(given.messages, given.format, policy=policy)
    text = made.messages[-1]["content"].partition("\n")[2]
    assert "é" in text
    assert len(text.encode("utf-8")) <= most


@pytest.mark.parametrize("times", [1, 5])
def test_f31_early_facts_outlive_five_compactions(times: int) -> None:
    given = case("F31")
    session = Session(keeping(given, budget_chars=2_000, anchor=False))
    compacted = 0
    while compacted < times:
        for message in given.messages if not compacted else given.messages[1:]:
            report = session.append(message, given.format)
            compacted += any(change.step == "evict" for change in report.changes)
    text = shown(session.context(given.format).messages)
    assert [fact for fact in given.expect["contains"] if fact not in text] == []
    assert session.context(given.format).stats.cost_chars <= 2_000


def test_f32_compacting_again_with_nothing_new_gives_the_same_bytes() -> None:
    given = case("F32")
    policy = keeping(given)
    once = compact(given.messages, given.format, policy=policy).messages
    again = compact(once, given.format, policy=policy)
    assert json.dumps(again.messages) == json.dumps(once)
    assert again.report.changes == ()
    assert len(once) < len(given.messages)


def test_f47_the_open_request_stays_and_the_finished_one_says_so() -> None:
    given = case("F47")
    session = Session(keeping(given, budget_chars=700, anchor=False))
    session.append_many(given.messages, given.format)
    for n in range(12):
        session.append({"role": "assistant", "content": f"still at it {n} " * 5}, given.format)
        session.append({"role": "user", "content": "go on"}, given.format)
        made = session.context(given.format).messages
        assert errors(made, "openai-chat") == []
        said = [message["content"] for message in made]
        assert given.expect["active_request"] in said
        after = said[said.index(given.expect["active_request"]) + 1]
        assert "is done" not in str(after)
    assert said[0] == given.expect["marked_done"]
    assert "is done" in said[1]
    assert sum("is done" in str(text) for text in said) == 1
    assert "tidied; done" not in said


def test_f48_a_pinned_rule_outlives_the_list_that_rests_on_it() -> None:
    given = case("F48")
    session = Session(keeping(given, keep_first_user=False, anchor=False))
    for message in given.messages:
        pinned = message["content"] in given.config["pinned"]
        session.append(message, given.format, pinned=pinned)
    made = session.context(given.format).messages
    assert len(made) < len(given.messages)
    assert [m for m in made if m["content"] == "RULE: only edit /web"] == [given.messages[1]]


@pytest.mark.parametrize("preset", ["epoch", "paper", "upstream"])
def test_f49_what_only_looks_like_our_marks_is_the_users_text(preset: str) -> None:
    given = case("F49")
    tight = history_cost(given.messages) - 1
    policy = replace(
        Policy.preset(preset, budget_chars=tight + 200),  # type: ignore[arg-type]
        compress_every_turns=1,
        compress_exempt=given.config["keep_messages"],
        keep_first_user=True,
        anchor=False,
    )
    session = session_of(given, policy)
    session.append({"role": "assistant", "content": "a" * 300}, given.format)
    made = session.context(given.format).messages
    assert given.messages[0] in made
    assert session.refs(given.messages[0]["content"]) == ()
    for ref in ("deadbeef", "a:deadbeef"):
        with pytest.raises(NotFound):
            session.expand(ref)


def test_f53_every_ref_in_the_text_is_listed_and_expands() -> None:
    given = case("F53")
    policy = replace(Policy(budget_chars=3_000), limits={}, default_limit=Limit(1_000))
    session = session_of(given, policy)
    text = shown(session.context(given.format).messages)
    standing = list(dict.fromkeys(REF.findall(text)))
    assert standing
    assert list(session.refs(text)) == standing
    code = given.messages[2]["content"]
    assert [session.expand(ref) for ref in standing] == [code]
