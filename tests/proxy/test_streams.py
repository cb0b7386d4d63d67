"""Streams: untouched where the model keeps to the client's tools, whole and in order where it does not."""

from __future__ import annotations

import json
from typing import Any

import httpx2
import pytest

from tests.proxy.conftest import Running
from tests.proxy.provider import Asked, Call, Part, Raw, Text, Thinking

Json = Any
PATHS = {
    "anthropic": "/anthropic/v1/messages",
    "chat": "/openai/v1/chat/completions",
    "responses": "/openai/v1/responses",
}
NOTE = Call("own_1", "update_working_checkpoint", {"key_info": "station 41"})
THEIRS = Call("their_1", "read_log", {"station": 4})


def request(api: str, *entries: Json, **more: Json) -> Json:
    history = [{"role": "user", "content": "Why did the import stop?"}, *entries]
    made: Json = {"model": "m", "stream": True, **more}
    if api == "responses":
        return {**made, "store": False, "input": history}
    if api == "anthropic":
        made["max_tokens"] = 100
    return {"messages": history, **made}


def events(body: bytes) -> list[Json]:
    lines = [line[6:] for line in body.decode().splitlines() if line.startswith("data: ")]
    return [json.loads(line) for line in lines if line != "[DONE]"]


@pytest.mark.parametrize("api", PATHS)
def test_a_stream_without_our_tools_is_the_provider_s_to_the_byte(
    running: Running, api: str
) -> None:
    running.provider.script = lambda asked: [
        Thinking("Hm."),
        Text("Läuft, 走る."),
        THEIRS,
        Call("t2", "x", {}),
    ]
    answer = running.post(PATHS[api], request(api))
    assert answer.content == running.provider.sent[-1]
    assert answer.headers["content-type"] == "text/event-stream; charset=utf-8"
    assert answer.headers["x-pagefold-session"]


def test_a_stream_in_an_unusual_form_stays_as_it_is(running: Running) -> None:
    odd = (
        b": a comment\r\n\r\nretry: 10\r\nid: 4\r\nevent: ping\r\ndata: {\"type\":\r\ndata:  \"ping\"}\r\n\r\n"
        b"data: not json\n\ndata: [1]\n\nevent: message_stop\ndata: {\"type\": \"message_stop\"}\n\ndata: {\"left"
    )  # fmt: skip
    running.provider.script = lambda asked: Raw(200, odd, "text/event-stream")
    assert running.post(PATHS["anthropic"], request("anthropic")).content == odd


@pytest.mark.parametrize("api", PATHS)
def test_a_call_of_ours_leaves_no_trace_in_a_stream(running: Running, api: str) -> None:
    def script(asked: Asked) -> list[Part]:
        first = len(running.provider.asked) == 1
        return [Text("One moment. "), NOTE] if first else [Text("It is station 41."), THEIRS]

    running.provider.script = script
    answer = running.post(PATHS[api], request(api))
    assert len(running.provider.asked) == 2
    shown = answer.content.decode()
    assert "own_1" not in shown
    assert "checkpoint" not in shown
    CHECKS[api](events(answer.content))
    assert running.provider.findings == []


def _check_anthropic(found: list[Json]) -> None:
    kinds = [event["type"] for event in found if event["type"] != "ping"]
    assert [kinds[0], *kinds[-2:]] == ["message_start", "message_delta", "message_stop"]
    assert kinds.count("message_start") == kinds.count("message_stop") == 1
    starts = [e for e in found if e["type"] == "content_block_start"]
    assert [(e["index"], e["content_block"]["type"]) for e in starts] == [
        (0, "text"),
        (1, "text"),
        (2, "tool_use"),
    ]
    order = [e["index"] for e in found if "index" in e]
    assert order == sorted(order)
    assert found[-2]["usage"]["output_tokens"] == 40
    assert found[-2]["delta"]["stop_reason"] == "tool_use"


def _check_chat(found: list[Json]) -> None:
    assert len({event["id"] for event in found}) == 1
    deltas = [event["choices"][0]["delta"] for event in found if event["choices"]]
    assert "".join(d.get("content") or "" for d in deltas) == "One moment. It is station 41."
    assert sum("role" in delta for delta in deltas) == 1
    calls = [call for delta in deltas for call in delta.get("tool_calls", ())]
    assert {call["index"] for call in calls} == {0}
    finishes = [event["choices"][0]["finish_reason"] for event in found if event["choices"]]
    assert [finish for finish in finishes if finish] == ["tool_calls"]
    assert [e["usage"]["completion_tokens"] for e in found if e["usage"]] == [40]


def _check_responses(found: list[Json]) -> None:
    assert [event["sequence_number"] for event in found] == list(range(len(found)))
    kinds = [event["type"] for event in found]
    assert kinds.count("response.created") == kinds.count("response.completed") == 1
    assert kinds[-1] == "response.completed"
    added = [e for e in found if e["type"] == "response.output_item.added"]
    assert [e["output_index"] for e in added] == [0, 1, 2]
    last = found[-1]["response"]
    assert [item["type"] for item in last["output"]] == ["message", "message", "function_call"]
    assert last["id"] == found[0]["response"]["id"]
    assert last["usage"]["output_tokens"] == 40


CHECKS = {"anthropic": _check_anthropic, "chat": _check_chat, "responses": _check_responses}


@pytest.mark.parametrize("stream", [True, False])
@pytest.mark.parametrize("api", PATHS)
def test_calls_of_ours_beside_the_client_s_are_answered_together(
    running: Running, api: str, stream: bool
) -> None:
    running.provider.script = lambda asked: [Text("Both."), NOTE, THEIRS]
    answer = running.post(PATHS[api], request(api, stream=stream))
    assert len(running.provider.asked) == 1
    assert "own_1" not in answer.text
    assert "their_1" in answer.text
    call = {"name": "read_log", "arguments": '{"station": 4}'}
    back: dict[str, list[Json]] = {
        "anthropic": [
            {"role": "assistant", "content": [
                {"type": "text", "text": "Both."},
                {"type": "tool_use", "id": "their_1", "name": "read_log", "input": {"station": 4}}]},
            {"role": "user", "content": [
                {"type": "tool_result", "tool_use_id": "their_1", "content": "clean"}]},
        ],
        "chat": [
            {"role": "assistant", "content": "Both.",
             "tool_calls": [{"id": "their_1", "type": "function", "function": call}]},
            {"role": "tool", "tool_call_id": "their_1", "content": "clean"},
        ],
        "responses": [
            {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Both."}]},
            {"type": "function_call", "call_id": "their_1", **call},
            {"type": "function_call_output", "call_id": "their_1", "output": "clean"},
        ],
    }  # fmt: skip
    running.provider.script = lambda asked: [Text("Fine.")]
    again = running.post(PATHS[api], request(api, *back[api], stream=stream))
    assert again.headers["x-pagefold-history"] == "continued"
    sent = json.dumps(running.provider.asked[-1].messages)
    assert sent.count('"own_1"') == 2
    assert sent.count('"their_1"') == 2
    assert "Noted." in sent
    assert running.provider.findings == []


@pytest.mark.parametrize("api", PATHS)
def test_events_come_as_they_are_sent(running: Running, api: str) -> None:
    whole = running.provider

    def script(asked: Asked) -> Raw:
        from tests.proxy.provider import rendered

        made = rendered([Text("first and last")], asked, 1)
        return Raw(200, made.body, made.content_type, pause_at=made.body.rindex(b"\n\n", 0, -2))

    whole.script = script
    url = f"{running.url}/proxy{PATHS[api]}"
    with httpx2.stream("POST", url, json=request(api), timeout=20, trust_env=False) as answer:
        pieces = answer.iter_raw()
        got = next(pieces)
        assert got
        assert not whole.resume.is_set()
        whole.resume.set()
        assert got + b"".join(pieces) == whole.sent[-1]


@pytest.mark.parametrize("api", PATHS)
def test_a_refusal_in_the_middle_of_an_answer_is_an_event(running: Running, api: str) -> None:
    refusal = {"error": {"type": "overloaded_error", "message": "Overloaded."}}

    def script(asked: Asked) -> list[Part] | Raw:
        if len(running.provider.asked) == 1:
            return [Text("One moment. "), NOTE]
        return Raw(529, json.dumps(refusal).encode())

    running.provider.script = script
    answer = running.post(PATHS[api], request(api))
    last = events(answer.content)[-1]
    assert "Overloaded." in json.dumps(last)
    assert last.get("type") == "error" or "error" in last


@pytest.mark.parametrize("api", PATHS)
def test_look_ups_have_an_end(running: Running, api: str) -> None:
    numbers = iter(range(100))
    running.provider.script = lambda asked: [
        Call(f"own_{next(numbers)}", "expand", {"ref": "a:00"})
    ]
    whole = running.post(PATHS[api], request(api, stream=False))
    assert (whole.status_code, whole.json()["code"]) == (502, "lookups_exhausted")
    assert len(running.provider.asked) == 9
    assert "Answer now" in json.dumps(running.provider.asked[-1].messages[-2:])
    streamed = running.post(PATHS[api], request(api))
    assert "lookups_exhausted" in streamed.text
    assert running.provider.findings == []


def _chat_stream(*deltas: Json) -> bytes:
    made = [{"id": "c1", "choices": [{"index": 0, "delta": delta}]} for delta in deltas]
    end = {"id": "c1", "choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]}
    lines = [f"data: {json.dumps(event)}\n\n" for event in (*made, end)]
    return "".join([*lines, "data: [DONE]\n\n"]).encode()


def _pieces(*pieces: Json) -> list[Json]:
    return [{"tool_calls": [piece]} for piece in pieces]


def _function(**given: str) -> Json:
    return {"function": given}


OURS = "update_working_checkpoint"
CUT = [
    # Without an index: an id begins a call, and what has none goes on with the last.
    _pieces(
        {"id": "own_1", "type": "function", **_function(name=OURS, arguments='{"key_info"')},
        _function(arguments=': "x"}'),
    ),
    # The name later than the index and the id, and in two pieces.
    _pieces(
        {"index": 0, "id": "own_1", "type": "function", **_function(arguments="")},
        {"index": 0, **_function(name="update_working_")},
        {"index": 0, **_function(name="checkpoint", arguments='{"key_info"')},
        {"index": 0, **_function(arguments=': "x"}')},
    ),
    # The id later than the name.
    _pieces(
        {"index": 0, **_function(name=OURS)},
        {"index": 0, "id": "own_1", "type": "function"},
        {"index": 0, **_function(arguments='{"key_info": "x"}')},
    ),
    # A name that is repeated, and an index that is null.
    _pieces(
        {"index": None, "id": "own_1", "type": "function", **_function(name=OURS, arguments="")},
        {"index": None, "id": "own_1", **_function(name=OURS, arguments='{"key_info": "x"}')},
    ),
]


@pytest.mark.parametrize("number", range(len(CUT)))
def test_a_call_of_ours_is_known_however_it_is_cut(running: Running, number: int) -> None:
    body = _chat_stream({"role": "assistant", "content": "One moment. "}, *CUT[number])
    answers: list[Any] = [Raw(200, body, "text/event-stream"), [Text("Done.")]]
    running.provider.script = lambda asked: answers[len(running.provider.asked) - 1]
    task = {"role": "user", "content": f"cut {number}"}
    answer = running.post(PATHS["chat"], {**request("chat"), "messages": [task]})
    assert len(running.provider.asked) == 2
    said = next(entry for entry in running.provider.asked[1].messages if "tool_calls" in entry)
    (call,) = said["tool_calls"]
    assert (call["id"], call["function"]["name"]) == ("own_1", OURS)
    assert json.loads(call["function"]["arguments"]) == {"key_info": "x"}
    shown = answer.content.decode()
    assert "checkpoint" not in shown
    assert "own_1" not in shown
    said = [event["choices"][0]["delta"] for event in events(answer.content) if event["choices"]]
    assert "".join(delta.get("content") or "" for delta in said) == "One moment. Done."


@pytest.mark.parametrize("number", range(len(CUT)))
def test_a_call_of_theirs_reaches_them_however_it_is_cut(running: Running, number: int) -> None:
    text = json.dumps(CUT[number]).replace(OURS, "read_log").replace("update_working_", "read_")
    theirs = json.loads(text.replace('"checkpoint"', '"log"').replace("own_1", "their_1"))
    body = _chat_stream(*theirs)
    running.provider.script = lambda asked: Raw(200, body, "text/event-stream")
    task = {"role": "user", "content": f"cut, theirs {number}"}
    answer = running.post(PATHS["chat"], {**request("chat"), "messages": [task]})
    assert len(running.provider.asked) == 1
    found = [call for event in events(answer.content) for call in _calls_in(event)]
    named = [call.get("function", {}).get("name") or "" for call in found]
    given = [call["function"].get("arguments", "") for call in found if "function" in call]
    assert "read_log" in ("".join(named), named[0])
    assert "".join(given) == '{"key_info": "x"}'
    assert {call.get("id") for call in found} - {None} == {"their_1"}


def _calls_in(event: Json) -> list[Json]:
    return event["choices"][0]["delta"].get("tool_calls") or []


def test_two_calls_without_an_index_are_two(running: Running) -> None:
    pieces = _pieces(
        {"id": "own_1", "type": "function", **_function(name=OURS, arguments='{"key_info"')},
        _function(arguments=': "x"}'),
        {"id": "their_1", "type": "function", **_function(name="read_log", arguments='{"sta')},
        _function(arguments='tion": 4}'),
    )
    body = _chat_stream(*pieces)
    running.provider.script = lambda asked: Raw(200, body, "text/event-stream")
    task = {"role": "user", "content": "two calls without an index"}
    answer = running.post(PATHS["chat"], {**request("chat"), "messages": [task]})
    found = [call for event in events(answer.content) for call in _calls_in(event)]
    assert [call.get("id") for call in found] == ["their_1", None]
    assert "".join(call["function"]["arguments"] for call in found) == '{"station": 4}'
    assert "checkpoint" not in answer.text


def test_pieces_of_another_kind_of_call_go_through_at_once(running: Running) -> None:
    first = {"index": 0, "id": "their_1", "type": "custom", "custom": {"name": "sql", "input": ""}}
    pieces = _pieces(first, {"index": 0, "custom": {"input": "select"}})
    body = _chat_stream(*pieces)
    running.provider.script = lambda asked: Raw(200, body, "text/event-stream")
    task = {"role": "user", "content": "another kind"}
    answer = running.post(PATHS["chat"], {**request("chat"), "messages": [task]})
    assert answer.content == body


def test_a_name_that_begins_like_ours_is_theirs(running: Running) -> None:
    pieces = _pieces(
        {"index": 0, "id": "a", "type": "function", **_function(name="expand", arguments="")},
        {"index": 0, **_function(name="_all")},
        {"index": 1, "id": "b", "type": "function", **_function(name="exp", arguments="")},
    )
    running.provider.script = lambda asked: Raw(200, _chat_stream(*pieces), "text/event-stream")
    task = {"role": "user", "content": "begins like ours"}
    answer = running.post(PATHS["chat"], {**request("chat"), "messages": [task]})
    found = [call for event in events(answer.content) for call in _calls_in(event)]
    assert [(call["index"], call["id"], call["function"]["name"]) for call in found] == [
        (0, "a", "expand_all"),
        (1, "b", "exp"),
    ]
