"""What no agent sends on a good day, over HTTP: the right answer or a typed error, the service alive."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from typing import Any

import httpx2
import pytest
from starlette.testclient import TestClient

from api.app import create_app
from api.settings import ApiSettings
from compactor import validate

JSON = {"content-type": "application/json"}
FAMILY = "👩‍👩‍👧"


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    settings = ApiSettings(
        data_dir=tmp_path_factory.mktemp("data"), concurrency=1, max_body_bytes=400_000
    )
    with TestClient(create_app(settings), base_url="http://127.0.0.1:8000") as running:
        yield running


@pytest.fixture(autouse=True)
def _alive_afterwards(service: TestClient) -> Iterator[None]:
    yield
    assert service.get("/healthz").status_code == 200
    at = _opened(service)
    answer = service.post(f"{at}/messages", json={"message": {"role": "user", "content": "hi"}})
    assert answer.status_code == 200


def _opened(service: TestClient, **body: Any) -> str:
    answer = service.post("/v1/sessions", json={"budget_chars": 30_000, **body})
    assert answer.status_code == 201, answer.text
    return str(answer.headers["location"])


def _refused(answer: httpx2.Response, status: int, code: str) -> str:
    assert answer.status_code == status, answer.text[:500]
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.json()["code"] == code
    return str(answer.json()["detail"])


def _calls(count: int) -> dict[str, Any]:
    blocks = [{"type": "tool_use", "id": f"t{i}", "name": "x", "input": {}} for i in range(count)]
    return {"role": "assistant", "content": blocks}


def _result(content: Any, call: str = "t0") -> dict[str, Any]:
    block = {"type": "tool_result", "tool_use_id": call, "content": content}
    return {"role": "user", "content": [block]}


def test_fifty_megabytes_in_one_result_come_back_whole(service: TestClient) -> None:
    at = _opened(service)
    service.post(f"{at}/messages", json={"message": _calls(1)})
    text = "line of the log 7\n" * (50_000_000 // 18)
    answer = service.post(f"{at}/messages", json={"message": _result(text)})
    assert answer.status_code == 200, answer.text[:500]
    report = answer.json()
    assert report["cost_chars"] <= 30_000
    ref = report["changes"][0]["ref"]
    part = service.get(f"{at}/archive/{ref}", params={"start": len(text) - 18, "count": 100})
    assert part.json()["text"] == "line of the log 7\n"
    assert part.json()["total"] == len(text)


def test_an_append_over_its_own_limit_is_refused(service: TestClient) -> None:
    at = _opened(service)
    body = b'{"message": {"role": "user", "content": "' + b"x" * 64_000_000 + b'"}}'
    detail = _refused(
        service.post(f"{at}/messages", content=body, headers=JSON), 413, "body_too_large"
    )
    assert "PAGEFOLD_MAX_APPEND_BYTES" in detail
    assert service.get(at).json()["version"] == 0


def test_only_appends_may_be_large(service: TestClient) -> None:
    body = {"messages": [{"role": "user", "content": "x" * 500_000}]}
    detail = _refused(service.post("/v1/compact", json=body), 413, "body_too_large")
    assert "PAGEFOLD_MAX_BODY_BYTES" in detail


def test_ten_thousand_parallel_results_keep_their_order(service: TestClient) -> None:
    at = _opened(service, budget_chars=10_000_000)
    results = [_result(f"r{i}", f"t{i}")["content"][0] for i in range(10_000)]
    answer = service.post(
        f"{at}/messages",
        json={
            "messages": [
                {"role": "user", "content": "go"},
                _calls(10_000),
                {"role": "user", "content": results},
            ]
        },
    )
    assert answer.status_code == 200, answer.text[:500]
    shown = service.get(f"{at}/context").json()["messages"]
    assert [block["content"] for block in shown[2]["content"][:10_000]] == [
        f"r{i}" for i in range(10_000)
    ]


@pytest.mark.parametrize("format", ["openai-chat", "openai-responses"])
def test_ten_thousand_results_one_by_one_keep_their_order(service: TestClient, format: str) -> None:
    at = _opened(service, budget_chars=10_000_000)
    numbers = range(10_000)
    if format == "openai-chat":
        function = {"name": "x", "arguments": "{}"}
        calls = [{"id": f"t{i}", "type": "function", "function": function} for i in numbers]
        turn: list[Any] = [{"role": "assistant", "content": None, "tool_calls": calls}]
        turn += [{"role": "tool", "tool_call_id": f"t{i}", "content": f"r{i}"} for i in numbers]
    else:
        call = {"type": "function_call", "name": "x", "arguments": "{}"}
        turn = [{**call, "call_id": f"t{i}"} for i in numbers]
        output = {"type": "function_call_output"}
        turn += [{**output, "call_id": f"t{i}", "output": f"r{i}"} for i in numbers]
    body = {"format": format, "messages": [{"role": "user", "content": "go"}, *turn]}
    answer = service.post(f"{at}/messages", json=body)
    assert answer.status_code == 200, answer.text[:500]
    shown = service.get(f"{at}/context", params={"format": format}).json()["messages"]
    said = [
        m.get("output", m.get("content")) for m in shown if "call_id" in m or "tool_call_id" in m
    ]
    assert [text for text in said if text] == [f"r{i}" for i in numbers]
    assert validate(shown, format) == []


def test_more_calls_than_the_budget_holds_are_refused(service: TestClient) -> None:
    at = _opened(service)
    answer = service.post(f"{at}/messages", json={"message": _calls(10_000)})
    _refused(answer, 422, "budget_impossible")
    assert service.get(at).json()["version"] == 0


def test_lone_surrogates_go_in_and_come_back_from_the_archive(service: TestClient) -> None:
    at = _opened(service)
    body = b'{"message": {"role": "user", "content": "a\\ud800b"}}'
    answer = service.post(f"{at}/messages", content=body, headers={**JSON, "Idempotency-Key": "k"})
    assert answer.status_code == 200, answer.text
    context = service.get(f"{at}/context")
    assert context.json()["messages"][0]["content"][0]["text"] == "a\ufffdb"
    (change,) = answer.json()["changes"]
    whole = service.get(f"{at}/archive/{change['ref']}")
    assert whole.status_code == 200
    assert json.loads(whole.json()["text"])["content"] == "a\ud800b"


@pytest.mark.parametrize("field", ["system", "key_info", "tools", "keyword", "name", "note"])
def test_lone_surrogates_elsewhere_are_no_accident(service: TestClient, field: str) -> None:
    at = _opened(service)
    if field == "system":
        made = service.post("/v1/sessions", content=b'{"system": "a\\ud800"}', headers=JSON)
    elif field == "name":
        made = service.post("/v1/sessions", content=b'{"a\\ud800": 1}', headers=JSON)
    elif field == "note":
        note = (
            b'{"type": "tool_use", "id": "t", "name": "update_working_checkpoint",'
            b' "input": {"key_info": "a\\ud800"}}'
        )
        body = b'{"message": {"role": "assistant", "content": [' + note + b"]}}"
        made = service.post(f"{at}/messages", content=body, headers=JSON)
        service.post(f"{at}/messages", json={"message": {"role": "user", "content": "on"}})
    elif field == "tools":
        body = b'{"tools": [{"name": "t", "description": "a\\ud800"}]}'
        made = service.post("/v1/sessions", content=body, headers=JSON)
    elif field == "key_info":
        body = b'{"key_info": "a\\ud800"}'
        made = service.put(f"{at}/key-info", content=body, headers=JSON)
    else:
        made = service.get(f"{at}/archive/a:12345678?keyword=%ED%A0%80")
    assert made.status_code in (200, 201, 404, 422), made.text
    if made.status_code == 201:
        at = str(made.headers["location"])
    assert service.get(f"{at}/context").status_code == 200


def test_joined_emoji_are_never_cut(service: TestClient) -> None:
    at = _opened(service)
    service.post(f"{at}/messages", json={"message": _calls(1)})
    for shift in range(len(FAMILY)):
        text = "x" * shift + FAMILY * 6_000
        service.post(f"{at}/messages", json={"message": _result(text)})
        shown = service.get(f"{at}/context").json()["messages"]
        (result,) = [b for b in shown[-1]["content"] if b["type"] == "tool_result"]
        head, _, tail = result["content"].partition("\n[... ")
        assert head == "x" * shift + FAMILY * ((len(head) - shift) // len(FAMILY))
        tail = tail.partition("...]\n")[2]
        assert tail == FAMILY * (len(tail) // len(FAMILY))
        service.post(f"{at}/messages", json={"message": _calls(1)})
        at = _opened(service)
        service.post(f"{at}/messages", json={"message": _calls(1)})


@pytest.mark.parametrize("levels", [230, 990, 4_000, 100_000])
@pytest.mark.parametrize("path", ["messages", "open", "compact", "validate", "pages"])
def test_deep_json_is_refused_by_name(service: TestClient, levels: int, path: str) -> None:
    at = _opened(service)
    deep = b"[" * levels + b"]" * levels
    call = b'{"type": "tool_use", "id": "t", "name": "x", "input": {"a": ' + deep + b"}}"
    message = b'{"role": "assistant", "content": [' + call + b"]}"
    url, body = {
        "messages": (f"{at}/messages", b'{"message": ' + message + b"}"),
        "open": ("/v1/sessions", b'{"tools": [{"name": "t", "a": ' + deep + b"}]}"),
        "compact": ("/v1/compact", b'{"messages": [' + message + b"]}"),
        "validate": ("/v1/validate", b'{"profile": "anthropic", "messages": [' + message + b"]}"),
        "pages": (f"{at}/pages", b'{"page": {"url": "http://a.test/", "a": ' + deep + b"}}"),
    }[path]
    answer = service.post(url, content=body, headers={**JSON, "Idempotency-Key": "k"})
    assert "nested" in _refused(answer, 422, "invalid_request")


@pytest.mark.parametrize("levels", [4_000, 100_000])
def test_deep_json_inside_a_text_is_only_text(service: TestClient, levels: int) -> None:
    at = _opened(service)
    deep = "[" * levels + "]" * levels
    call = {"id": "t", "type": "function", "function": {"name": "x", "arguments": deep}}
    turn = [
        {"role": "user", "content": "go"},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "t", "content": deep},
    ]
    body = {"format": "openai-chat", "messages": turn}
    assert service.post(f"{at}/messages", json=body).status_code == 200
    for format in ("openai-chat", "anthropic", "openai-responses", "text"):
        shown = service.get(f"{at}/context", params={"format": format})
        assert shown.status_code == 200, shown.text
        assert shown.json()["stats"]["cost_chars"] <= 30_000


_PNG = base64.b64encode(b"\x89PNG\r\n\x1a\n" + bytes(200_000)).decode()
_IMAGE = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": _PNG}}
_SOUND = {"type": "input_audio", "input_audio": {"data": _PNG, "format": "wav"}}
_URL = {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{_PNG}"}}


@pytest.mark.parametrize(
    ("format", "part"), [("anthropic", _IMAGE), ("openai-chat", _SOUND), ("openai-chat", _URL)]
)
def test_pictures_and_sound_stay_whole_and_cost_their_kind(
    service: TestClient, format: str, part: dict[str, Any]
) -> None:
    at = _opened(service)
    said = [part, {"type": "text", "text": "what is this?"}]
    message = {"role": "user", "content": said}
    answer = service.post(f"{at}/messages", json={"format": format, "message": message})
    assert answer.status_code == 200, answer.text[:300]
    assert answer.json()["cost_chars"] < 10_000
    shown = service.get(f"{at}/context", params={"format": format}).json()["messages"]
    assert shown == [message]
    for other in ("anthropic", "openai-chat", "openai-responses", "text"):
        assert service.get(f"{at}/context", params={"format": other}).status_code == 200


def test_a_picture_in_a_result_gives_way_to_a_ref_where_room_is_short(
    service: TestClient,
) -> None:
    at = _opened(service, budget_chars=4_000)
    service.post(f"{at}/messages", json={"message": _calls(1)})
    answer = service.post(f"{at}/messages", json={"message": _result([_IMAGE])})
    assert answer.status_code == 200, answer.text[:300]
    (change,) = [c for c in answer.json()["changes"] if c["step"] == "window"]
    whole = service.get(f"{at}/archive/{change['ref']}").json()["text"]
    assert json.loads(whole) == _IMAGE


@pytest.mark.parametrize(
    ("format", "message", "status"),
    [
        ("anthropic", {"role": "user", "content": ""}, 200),
        ("anthropic", {"role": "user", "content": "  \n"}, 200),
        ("anthropic", {"role": "user", "content": []}, 200),
        ("anthropic", {"role": "user", "content": [{"type": "text", "text": ""}]}, 200),
        ("anthropic", {"role": "user", "content": [{"type": "tool_result"}]}, 200),
        ("anthropic", {"role": "assistant", "content": [{"type": "tool_use"}]}, 200),
        ("anthropic", {"role": "user", "content": [{}]}, 200),
        ("anthropic", {"role": "user"}, 422),
        ("anthropic", {"role": "user", "content": None}, 422),
        ("anthropic", {"role": "user", "content": 7}, 422),
        ("anthropic", {"role": "user", "content": ["x"]}, 422),
        ("anthropic", {"content": "x"}, 422),
        ("anthropic", {}, 422),
        ("openai-chat", {"role": "assistant", "content": None}, 200),
        ("openai-chat", {"role": "assistant"}, 200),
        ("openai-chat", {"role": "tool", "content": None}, 200),
        ("openai-chat", {"role": "tool", "tool_call_id": None, "content": []}, 200),
        ("openai-chat", {"role": "assistant", "tool_calls": [{}]}, 422),
        ("openai-chat", {"role": "assistant", "tool_calls": "x"}, 422),
        ("openai-chat", {"role": "user", "content": 7}, 422),
        ("openai-responses", {"type": "function_call"}, 200),
        ("openai-responses", {"type": "function_call_output"}, 200),
        ("openai-responses", {"type": "reasoning", "summary": 3}, 200),
        ("openai-responses", {"role": "user"}, 422),
        ("openai-responses", {}, 422),
        ("text", {"role": "user", "content": ""}, 200),
        ("text", {"role": "user"}, 422),
    ],
)
def test_empty_and_missing_contents(
    service: TestClient, format: str, message: dict[str, Any], status: int
) -> None:
    at = _opened(service)
    answer = service.post(f"{at}/messages", json={"format": format, "message": message})
    if status == 422:
        _refused(answer, 422, "invalid_request")
        assert answer.json()["field"].startswith("messages.0")
        return
    assert answer.status_code == 200, answer.text
    service.post(f"{at}/messages", json={"message": {"role": "user", "content": "on"}})
    for profile in ("anthropic", "openai-chat", "openai-responses"):
        shown = service.get(f"{at}/context", params={"format": profile})
        assert shown.status_code == 200, shown.text
        found = validate(shown.json()["messages"], profile)
        assert [finding for finding in found if finding.severity == "error"] == []
    lines = service.get(f"{at}/certificate", params={"format": format}).json()["certificate"]
    context = service.get(f"{at}/context", params={"format": format}).json()["messages"]
    first = lines[0]
    if first["kept"]:
        assert context[first["at"]] == message
    else:
        whole = service.get(f"{at}/archive/{first['original']}").json()["text"]
        assert json.loads(whole) == message


@pytest.mark.parametrize("value", ["NaN", "Infinity", "-Infinity"])
def test_numbers_that_json_cannot_say_are_refused(service: TestClient, value: str) -> None:
    at = _opened(service)
    block = '{"type": "tool_use", "id": "t", "name": "x", "input": {"a": ' + value + "}}"
    body = '{"message": {"role": "assistant", "content": [' + block + "]}}"
    answer = service.post(f"{at}/messages", content=body.encode(), headers=JSON)
    assert value in _refused(answer, 422, "invalid_request")


def test_a_body_that_is_no_utf8_is_refused(service: TestClient) -> None:
    at = _opened(service)
    body = b'{"message": {"role": "user", "content": "\xff\xfe"}}'
    _refused(service.post(f"{at}/messages", content=body, headers=JSON), 422, "invalid_request")
