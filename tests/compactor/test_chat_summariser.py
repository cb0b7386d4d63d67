"""The chat summariser against a server of ours: what it asks, what it takes, and when it gives up."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from typing import Any

import pytest

from compactor import Policy, Session, SummaryRequest
from compactor.errors import InvalidRequest
from compactor.strategies import StrategyRule, asking
from compactor.summarise import SummariserFailed
from compactor.summarisers.chat import ChatEndpoint, ChatRule, ChatSummariser
from compactor.trust import Statement
from tests.compactor.chat_server import chat_server, completion, drips, echo, hangs, raw, says

Json = Any
KEY = "sk-secret-4711"
RULE = ChatRule(timeout_s=5, tries=3, backoff_s=0.5)
RECORD = SummaryRequest(
    (
        Statement("user", "Find the cause. " * 8),
        Statement("tool:web", "The queue of cell_9a is full. " * 40),
    ),
    100,
)
GOOD = says(completion("tool:web: The queue of cell_9a is full."))


def _endpoint(url: str, waits: list[float], rule: ChatRule = RULE, **more: Json) -> ChatEndpoint:
    return ChatEndpoint(url, "small-model", KEY, rule=rule, sleep=waits.append, **more)


def test_a_summary_is_asked_for_by_the_protocol() -> None:
    with chat_server(GOOD) as seen, closing(_endpoint(seen.url, [])) as endpoint:
        assert ChatSummariser(endpoint)(RECORD) == "tool:web: The queue of cell_9a is full."
        (body,) = seen.requests
        assert seen.keys == [f"Bearer {KEY}"]
        assert body["model"] == "small-model"
        assert body["max_tokens"] == 100
        assert body["stream"] is False
        assert [message["role"] for message in body["messages"]] == ["user"]
        assert RECORD.text in body["messages"][0]["content"]


@pytest.mark.parametrize(
    ("answer", "said", "tries"),
    [
        (says(completion("")), "the summary is empty", 1),
        (says(completion(None)), "the summary is empty", 1),
        (says(completion("tool:web: The queue", "length")), "the summary is cut off", 1),
        (says(completion("tool:web: x", "content_filter")), "the model did not finish", 1),
        (
            says(completion("Error: upstream overloaded, try later")),
            "no line has the label of a source",
            1,
        ),
        (
            says(completion("tool:web: more and more\n" * 400)),
            "the summary is larger than the record",
            1,
        ),
        (says({"error": {"message": "no credit left"}}), "the answer has no choices", 1),
        (says({"error": {"message": "bad key"}}, 401), "status 401", 1),
        (raw(b"<html>gateway</html>", "text/html"), "the answer is no JSON", 1),
        (raw(b'{"choices": [{"mess'), "the answer is no JSON (3 tries)", 3),
        (raw(b"\xff\x00garbage"), "the answer is no JSON (3 tries)", 3),
        (raw(b" " * 2_000_000), "the answer is over 1000000 bytes", 1),
        (says([1, 2]), "the answer has no choices", 1),
        (says({"error": {}}, 503), "status 503 (3 tries)", 3),
        (says({}, 429, Retry_After="900"), "status 429, asked to wait 900 s", 1),
        (lambda handler, body: handler.connection.close(), "no connection", 3),
    ],
)
def test_what_is_no_whole_summary_is_refused(
    answer: Callable[..., None], said: str, tries: int
) -> None:
    with chat_server(answer) as seen, closing(_endpoint(seen.url, [])) as endpoint:
        with pytest.raises(SummariserFailed) as failed:
            ChatSummariser(endpoint)(RECORD)
        assert str(failed.value).startswith(said)
        assert len(seen.requests) == tries


def test_tries_wait_longer_each_time_as_asked_and_are_reported() -> None:
    waits: list[float] = []
    busy = says({}, 429, Retry_After="3")
    with (
        chat_server(says({}, 500), busy, GOOD) as seen,
        closing(_endpoint(seen.url, waits)) as endpoint,
    ):
        reply = asking(ChatSummariser(endpoint))(RECORD)
        assert reply.text
        assert reply.by == "openai"
        assert waits == [0.5, 3.0]
        assert reply.notes == (
            "status 500: tried again after 0.5 s",
            "status 429: tried again after 3 s",
        )


@pytest.mark.parametrize("slow", [hangs(), drips(0.05, 40)])
def test_a_slow_answer_is_not_waited_for(slow: Callable[..., None]) -> None:
    rule = replace(RULE, timeout_s=0.2, tries=1)
    with (
        chat_server(slow) as seen,
        closing(_endpoint(seen.url, [], rule)) as endpoint,
        pytest.raises(SummariserFailed, match="no answer in time"),
    ):
        ChatSummariser(endpoint)(RECORD)


def test_after_failures_in_a_row_the_endpoint_is_left_alone_for_a_while() -> None:
    now = [0.0]
    rule = replace(RULE, tries=1, failures=2, open_s=60)
    empty = says(completion(""))
    with (
        chat_server(empty, empty, GOOD) as seen,
        closing(_endpoint(seen.url, [], rule, clock=lambda: now[0])) as endpoint,
    ):
        ask = asking(ChatSummariser(endpoint))
        notes = [ask(RECORD).notes[-1] for _ in range(4)]
        assert notes[:2] == ["openai failed: the summary is empty"] * 2
        assert notes[2:] == ["openai failed: circuit open"] * 2
        assert len(seen.requests) == 2
        now[0] = 61.0
        assert ask(RECORD).text
        assert ask(RECORD).text


def test_a_record_over_the_window_goes_in_pieces() -> None:
    rule = replace(RULE, window_tokens=300)
    long = replace(RECORD, statements=RECORD.statements * 3, most_tokens=60)
    with chat_server(echo) as seen, closing(_endpoint(seen.url, [], rule)) as endpoint:
        assert asking(ChatSummariser(endpoint))(long).text
        assert len(seen.requests) > 3


def test_a_session_goes_on_without_a_model_and_says_so() -> None:
    policy = Policy(budget_chars=9_000, strategy=StrategyRule.of("individual", keep_results=0))
    with chat_server(says({}, 500)) as seen, closing(_endpoint(seen.url, [])) as endpoint:
        session = Session(policy, summariser=ChatSummariser(endpoint))
        notes: list[str] = []
        whys: set[str] = set()
        for n in range(8):
            call = {"type": "tool_use", "id": f"c{n}", "name": "web", "input": {"q": str(n)}}
            text = f"The queue of cell_{n}a is full. " * 60
            result = {"type": "tool_result", "tool_use_id": f"c{n}", "content": text}
            for message in (
                {"role": "assistant", "content": [call]},
                {"role": "user", "content": [result]},
            ):
                report = session.append(message)
                notes += report.notes
                whys |= {change.why for change in report.changes if change.step == "summarise"}
        assert "openai failed: status 500 (3 tries)" in notes
        assert "openai failed: circuit open" in notes
        assert whys
        assert all(why.startswith("individual by extractive in place of openai") for why in whys)


def test_the_key_stands_in_no_error_note_log_or_representation(
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.DEBUG)
    leak = says({"error": {"message": f"key {KEY} is not valid"}}, 403)
    with chat_server(leak) as seen, closing(_endpoint(seen.url, [])) as endpoint:
        summariser = ChatSummariser(endpoint)
        reply = asking(summariser)(RECORD)
        shown = (repr(endpoint), repr(summariser), json.dumps(reply.notes), caplog.text)
        assert not any(KEY in text for text in shown)


@pytest.mark.parametrize("url", ["ftp://x/v1", "https://user:pw@host/v1", "host/v1"])
def test_wrong_base_urls_are_refused(url: str) -> None:
    with pytest.raises(InvalidRequest):
        ChatEndpoint(url, "m")
