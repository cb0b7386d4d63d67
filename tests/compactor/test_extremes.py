"""What no provider sends on a good day: the right result, or a typed error, in linear time."""

from __future__ import annotations

import pytest

from compactor import Policy, Session, validate
from compactor.errors import BudgetImpossible, InvalidRequest
from compactor.messages import Json

CALL = {"type": "tool_use", "id": "t", "name": "code_run", "input": {}}


def _session(budget_chars: int = 30_000) -> Session:
    session = Session(Policy.preset("epoch", budget_chars=budget_chars))
    session.append({"role": "user", "content": "Go on."})
    return session


def _calls(count: int) -> Json:
    blocks = [{"type": "tool_use", "id": f"t{i}", "name": "x", "input": {}} for i in range(count)]
    return {"role": "assistant", "content": blocks}


def test_ten_thousand_parallel_results_keep_their_order() -> None:
    session = _session(10_000_000)
    session.append(_calls(10_000))
    results = [
        {"type": "tool_result", "tool_use_id": f"t{i}", "content": f"r{i}"} for i in range(10_000)
    ]
    session.append({"role": "user", "content": results})
    newest = session.context().messages[2]["content"]
    assert [block["content"] for block in newest[:10_000]] == [f"r{i}" for i in range(10_000)]


def test_more_calls_than_the_budget_holds_are_refused_and_change_nothing() -> None:
    session = _session()
    with pytest.raises(BudgetImpossible):
        session.append(_calls(10_000))
    assert session.version == 1


def test_fifty_megabytes_in_one_result_fit_and_come_back_whole() -> None:
    session = _session()
    session.append({"role": "assistant", "content": [CALL]})
    text = "line of the log 7\n" * (50_000_000 // 18)
    result = {"type": "tool_result", "tool_use_id": "t", "content": text}
    report = session.append({"role": "user", "content": [result]})
    assert report.cost_chars <= report.budget_chars
    assert session.expand(report.changes[0].ref) == text


def test_four_thousand_levels_of_json_are_refused_by_name() -> None:
    deep: Json = 1
    for _ in range(4_000):
        deep = {"a": deep}
    session = _session()
    with pytest.raises(InvalidRequest, match="nested"):
        session.append({"role": "assistant", "content": [{**CALL, "input": deep}]})


def test_four_thousand_levels_inside_a_text_are_only_text() -> None:
    deep = "[" * 4_000 + "]" * 4_000
    session = _session()
    call = {"id": "t", "type": "function", "function": {"name": "x", "arguments": deep}}
    session.append({"role": "assistant", "content": None, "tool_calls": [call]}, "openai-chat")
    session.append({"role": "tool", "tool_call_id": "t", "content": deep}, "openai-chat")
    assert session.context("anthropic").stats.cost_chars <= 30_000


def test_lone_surrogates_leave_a_context_that_can_be_encoded() -> None:
    session = _session()
    session.append({"role": "user", "content": "a\ud800b"})
    assert str(session.context().messages).encode("utf-8")


FAMILY = "👩‍👩‍👧"


@pytest.mark.parametrize("shift", range(len(FAMILY)))
def test_joined_emoji_are_never_cut(shift: int) -> None:
    session = _session()
    session.append({"role": "assistant", "content": [CALL]})
    text = "x" * shift + FAMILY * 6_000
    result = {"type": "tool_result", "tool_use_id": "t", "content": text}
    session.append({"role": "user", "content": [result]})
    cut = session.context().messages[-1]["content"][0]["content"]
    head, _, rest = cut.partition("\n[... ")
    tail = rest.partition("...]\n")[2]
    assert head == "x" * shift + FAMILY * ((len(head) - shift) // len(FAMILY))
    assert tail == FAMILY * (len(tail) // len(FAMILY))


@pytest.mark.parametrize("media", ["image/png", "audio/wav", "application/pdf"])
def test_base64_costs_its_kind_and_gives_way_whole(media: str) -> None:
    kind = {"image/png": "image", "audio/wav": "audio", "application/pdf": "document"}[media]
    source = {"type": "base64", "media_type": media, "data": "QUJD" * 100_000}
    part = {"type": kind, "source": source}
    message = {"role": "user", "content": [part, {"type": "text", "text": "what is this?"}]}
    wide = _session(60_000)
    assert wide.append(message).cost_chars < 40_000
    assert wide.context().messages[-1] == message
    tight = _session(3_000)
    (change,) = tight.append(message).changes
    assert tight.expand(change.ref) == part
    assert tight.context().stats.cost_chars <= 3_000


@pytest.mark.parametrize("content", ["", " \n", [], [{"type": "text", "text": ""}], [{}]])
def test_empty_contents_become_what_providers_take(content: Json) -> None:
    session = _session()
    session.append({"role": "user", "content": content})
    for format in ("anthropic", "openai-chat", "openai-responses"):
        assert validate(session.context(format).messages, format) == []
    shown = session.context()
    line = session.certificate(shown)[-1]
    whole = shown.messages[line.at] if line.kept else session.expand(line.original)
    assert whole == {"role": "user", "content": content}


@pytest.mark.parametrize("message", [{"role": "user"}, {"role": "user", "content": None}, {}, "x"])
def test_missing_contents_are_refused_by_name(message: Json) -> None:
    session = _session()
    with pytest.raises(InvalidRequest) as refused:
        session.append(message)
    assert (refused.value.field or "").startswith("messages.0")
    assert session.version == 1
