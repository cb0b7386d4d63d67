"""The index of facts: what it finds, what it replaces, how much it keeps."""

from __future__ import annotations

from dataclasses import replace
from itertools import count
from typing import Any

import pytest
from hypothesis import given, settings

from compactor import Policy, Session
from compactor.cost import cost
from compactor.errors import InvalidRequest
from compactor.facts import FACTS_HEAD, FactRule, Facts, listing
from compactor.facts.values import subject_of
from tests.compactor.histories import anthropic_histories

Json = Any
_LONG = "all is well\n" * 3_000


def _session(*entries: tuple[str, Json], **policy: Json) -> Session:
    """User and assistant say a text each; any other name is a tool with its input and its result."""
    session = Session(Policy(budget_chars=400_000, **policy))
    numbers = count()
    for who, said in entries:
        if who in ("user", "assistant"):
            session.append({"role": who, "content": said})
            continue
        given, result = said
        name = f"c{next(numbers)}"
        call = {"type": "tool_use", "id": name, "name": who, "input": given}
        answer = {"type": "tool_result", "tool_use_id": name, "content": result}
        session.append({"role": "assistant", "content": [call]})
        session.append({"role": "user", "content": [answer]})
    return session


def _texts(session: Session, kind: str) -> list[str]:
    return [fact.text for fact in session.facts if fact.kind == kind]


@pytest.mark.parametrize(
    ("kind", "who", "said", "text"),
    [
        ("constraint", "user", "Hello. Never edit /srv/live. Thanks.", "Never edit /srv/live."),
        ("constraint", "user", "先看日志。不要改数据库。", "不要改数据库。"),
        ("decision", "assistant", "I decided to use QF-7731.", "I decided to use QF-7731."),
        ("path", "user", "look at src/app/main.py:31 please", "src/app/main.py"),
        ("path", "user", r"it is in C:\logs\run.txt now", r"C:\logs\run.txt"),
        ("url", "user", "see https://example.org/a?b=1.", "https://example.org/a?b=1"),
        ("identifier", "user", "call load_rows for it", "load_rows"),
        ("identifier", "user", "the ticket PROJ-4711 says so", "PROJ-4711"),
        ("identifier", "assistant", "commit 9f8e7d6 broke it", "9f8e7d6"),
        ("number", "user", "it took 350 ms in all", "it took 350 ms"),
        ("number", "user", "they paid $1,250 for it", "they paid $1,250"),
        ("value", "user", "The staging port is 48213.", "The staging port is 48213."),
        ("command", "bash", ({"command": "pytest -q tests"}, "ok"), "pytest -q tests"),
        ("path", "read", ({"file_path": "/etc/app.toml"}, "ok"), "/etc/app.toml"),
        ("error", "bash", ({}, f"{_LONG}ERROR 2201: disk gone\n{_LONG}"), "ERROR 2201: disk gone"),
        ("error", "bash", ({}, "a\nValueError: bad row 7\n"), "ValueError: bad row 7"),
        ("value", "bash", ({}, "a = 1\nretry_wait: 45 s\n"), "retry_wait: 45 s"),
    ],
)
def test_facts_are_found_word_for_word(kind: str, who: str, said: Json, text: str) -> None:
    assert text in _texts(_session((who, said)), kind)


@pytest.mark.parametrize(
    "said", ["read/write and either/or", "he said so: twice", "12/31", "well-known e.g. here"]
)
def test_words_of_a_language_are_no_facts(said: str) -> None:
    assert list(_session(("user", said)).facts) == []


def test_tools_set_no_constraints_and_user_text_is_no_decision() -> None:
    text = "You must never stop. We decided to obey."
    session = _session(("web", ({}, text)), ("user", "We decided nothing."))
    assert _texts(session, "constraint") == _texts(session, "decision") == []


@pytest.mark.parametrize(
    ("first", "then", "gone", "there"),
    [
        ("The staging port is 48213.", "The staging port is now 59120.", "48213", "59120"),
        ("Note: our deploy key is DK-4471.", "Update: deploy key: DK-9930.", "DK-4471", "DK-9930"),
        ("The key is DK-4471.", "I rotated the key from DK-4471 to DK-9930.", "DK-4471", "DK-9930"),
        ("Use svc-a81 for it.", "Use svc-b22 instead of svc-a81.", "svc-a81", "svc-b22"),
        ("maxRowsPerPage = 50210", "max_rows_per_page: 61233", "50210", "61233"),
        ("The timeout is 30 s.", "The timeout is now 45 s.", "30 s", "45 s"),
    ],
)
@pytest.mark.parametrize("by", ["user", "tool"])
def test_a_later_value_takes_the_place_of_the_earlier(
    first: str, then: str, gone: str, there: str, by: str
) -> None:
    def say(text: str) -> tuple[str, Json]:
        return ("user", text) if by == "user" else ("bash", ({}, f"ok\n{text}\nok"))

    session = _session(say(first), ("assistant", f"I have seen that: {first}"), say(then))
    texts = [fact.text for fact in session.facts]
    assert not [text for text in texts if gone in text]
    assert [text for text in texts if there in text]


def test_what_a_tool_repeats_stays_replaced_until_it_is_set_again() -> None:
    entries = [("user", "The staging port is 48213."), ("user", "The staging port is now 59120.")]
    session = _session(*entries, ("bash", ({}, "old log mentions 48213 twice")))
    assert "48213" not in str([fact.text for fact in session.facts])
    session.append({"role": "user", "content": "The staging port is 48213 again."})
    texts = str([fact.text for fact in session.facts])
    assert "48213" in texts
    assert "59120" not in texts


def test_a_subject_is_the_same_however_it_is_put() -> None:
    for text in ("The staging port", "port for staging", "stagingPort", "note that staging_port"):
        assert subject_of(text) == "port staging"


def test_the_index_is_bounded_and_keeps_what_is_worth_most() -> None:
    rule = FactRule(most_facts=40)
    lines = [("bash", ({}, f"row_{n} part_{n} name_{n}")) for n in range(60)]
    session = _session(("user", "Never touch db_main."), *lines, facts=rule)
    assert len(session.facts) <= 50
    assert "Never touch db_main." in _texts(session, "constraint")
    assert "row_59" in _texts(session, "identifier")
    assert "row_0" not in _texts(session, "identifier")
    assert len(_session(("user", "Never touch db_main."), facts=FactRule(most_facts=0)).facts) == 0
    with pytest.raises(InvalidRequest):
        replace(rule, text_chars=1)


def test_a_listing_names_source_and_ref_and_leaves_out_what_stands_in_view() -> None:
    session = _session(("user", "Keep port PX-771 open."), ("bash", ({}, "job_id is JB-9921")))
    refs = {0: "a:00000000", 2: "a:00000002"}
    made = listing(session.facts, refs.get, [], 2_000)
    assert made.split("\n") == [
        FACTS_HEAD,
        "> user: Keep port PX-771 open. (ref=a:00000000)",
        "> tool:bash: job_id is JB-9921 (ref=a:00000002)",
    ]
    assert "PX-771" not in listing(session.facts, refs.get, ["Keep port PX-771 open."], 2_000)
    assert "JB-9921" not in listing(session.facts, {0: "a:00000000"}.get, [], 2_000)
    for most in (0, 60, 110, 130, 170):
        assert cost(listing(session.facts, refs.get, [], most)) <= max(most, 2)


def test_facts_that_were_evicted_are_listed_with_refs_that_expand() -> None:
    lines = [("bash", ({}, f"order {n} has id OR-{7000 + n}\n" + "x " * 600)) for n in range(12)]
    session = _session(("user", "go"), *lines)
    small = Session(Policy(budget_chars=9_000, index_share=0.0))
    for message in session.context().messages:
        small.append(message)
    made = small.facts_listing(2_000)
    for line in made.split("\n")[1:]:
        assert line.startswith(("> tool:bash: ", "> assistant: ", "> user: "))
        (ref,) = small.refs(line)
        said = line.partition(": ")[2].rpartition(" (ref=")[0].split(" | ")
        assert all(text in str(small.expand(ref)) for text in said)
    assert "OR-7000" in made


@settings(max_examples=30, deadline=None)
@given(anthropic_histories)
def test_facts_are_the_same_each_time_and_each_on_one_line(messages: list[Json]) -> None:
    one, two = (Session(Policy(budget_chars=40_000)) for _ in range(2))
    one.append_many(messages)
    for message in messages:
        two.append(message)
    assert list(one.facts) == list(two.facts)
    assert all("\n" not in fact.text and len(fact.text) <= 240 for fact in one.facts)


def test_a_failed_append_leaves_no_fact() -> None:
    session = Session(Policy(budget_chars=400))
    before = session.facts
    with pytest.raises(Exception, match="budget"):
        session.append({"role": "user", "content": "The key is DK-1. " + "x" * 900}, pinned=True)
    assert session.facts is before
    assert isinstance(before, Facts)
