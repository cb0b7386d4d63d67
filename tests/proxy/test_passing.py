"""What goes through as it is: headers, other paths, requests that cannot be compacted, fields of all kinds."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import httpx2
import pytest

from compactor.toolset import name_of
from tests.proxy.conftest import Running
from tests.proxy.provider import Call, Raw, Text
from tests.proxy.test_streams import PATHS, request

Json = Any


def test_headers_and_keys_are_passed_on_but_not_those_of_a_connection_or_ours(
    running: Running, capfd: pytest.CaptureFixture[str]
) -> None:
    given = {
        "Authorization": "Bearer sk-canary",
        "x-api-key": "sk-canary",
        "anthropic-beta": "context-1m, other",
        "X-Own": "kept",
        "Cookie": "sid=canary",
        "Connection": "keep-alive, x-drop",
        "X-Drop": "gone",
        "Keep-Alive": "timeout=5",
        "TE": "trailers",
        "Proxy-Authorization": "Basic canary",
        "X-Pagefold-Key": "pf_canary",
        "X-Pagefold-Anything": "gone",
    }
    running.provider.script = lambda asked: Raw(
        200, b'{"type":"message"}', headers=(("X-Theirs", "kept"), ("X-Pagefold-Session", "forged"))
    )
    answer = running.post(PATHS["anthropic"], request("anthropic"), **given)
    got = {name.lower(): value for name, value in running.provider.asked[0].headers.items()}
    for name in ("Authorization", "x-api-key", "anthropic-beta", "X-Own", "Cookie"):
        assert got[name.lower()] == given[name]
    for name in ("x-drop", "keep-alive", "te", "proxy-authorization"):
        assert name not in got
    assert not any(name.startswith("x-pagefold") for name in got)
    assert answer.headers["x-theirs"] == "kept"
    assert answer.headers.get_list("x-pagefold-session") != ["forged"]
    assert len(answer.headers.get_list("x-pagefold-session")) == 1
    said = capfd.readouterr()
    assert "canary" not in said.out + said.err


@pytest.mark.parametrize("path", ["/v1/models?limit=5", "/v1/files/a%2Fb/content", "/v1/batches/"])
def test_other_paths_are_the_provider_s(running: Running, path: str) -> None:
    packed = bytes.fromhex("1f8b0800000000000003")
    running.provider.script = lambda asked: Raw(
        200, packed, "application/octet-stream", (("Content-Encoding", "gzip"), ("ETag", '"4"'))
    )
    url = f"{running.openai.removesuffix('/v1')}{path}"
    headers = {"Accept-Encoding": "gzip"}
    with httpx2.stream("GET", url, headers=headers, timeout=20, trust_env=False) as answer:
        body = b"".join(answer.iter_raw())
    [asked] = running.provider.asked
    assert (asked.method, asked.path) == ("GET", path)
    assert asked.headers["accept-encoding"] == "gzip"
    assert (body, answer.headers["etag"], answer.headers["content-encoding"]) == (
        packed,
        '"4"',
        "gzip",
    )
    assert answer.headers["x-pagefold-reason"] == "path"


@pytest.mark.parametrize(
    "path",
    [
        "/anthropic/v1/messages/count_tokens",
        "/openai/v1/embeddings",
        "/openai/v1/responses/compact",
    ],
)
def test_what_asks_no_model_is_not_changed(running: Running, path: str) -> None:
    running.provider.script = lambda asked: Raw(200, b"{}")
    body = b'{"messages":  [{"role": "user", "content": "x"}]}'
    answer = httpx2.post(f"{running.url}/proxy{path}", content=body, timeout=20, trust_env=False)
    assert answer.headers["x-pagefold-history"] == "untouched"
    assert running.provider.asked[0].raw == body


@pytest.mark.parametrize(
    ("api", "more", "reason"),
    [
        ("responses", {"previous_response_id": "resp_1"}, "previous_response_id"),
        ("responses", {"conversation": "conv_1"}, "conversation"),
        ("responses", {"store": True}, "store"),
        ("responses", {"background": True}, "background"),
        ("responses", {"input": [{"type": "item_reference", "id": "msg_1"}]}, "item_reference"),
        ("responses", {"input": []}, "no input"),
        ("chat", {"n": 2}, "several answers"),
        ("chat", {"functions": [{"name": "f", "parameters": {}}]}, "functions"),
        ("chat", {"messages": "x"}, "no messages"),
        ("chat", {"messages": [{"role": "oracle", "content": "x"}]}, "unreadable"),
        ("anthropic", {"messages": []}, "no messages"),
        ("anthropic", {"tools": 5}, "no messages"),
        ("anthropic", {"messages": [4]}, "unreadable"),
    ],
)
def test_a_request_that_cannot_be_compacted_goes_through(
    running: Running, api: str, more: Json, reason: str
) -> None:
    running.provider.script = lambda asked: Raw(200, b"{}")
    running.provider.checks = False
    body = {**request(api), **more}
    answer = running.post(PATHS[api], body)
    assert answer.status_code == 200
    assert answer.headers["x-pagefold-reason"] == reason
    assert running.provider.asked[-1].body == body


def test_what_is_no_json_goes_through(running: Running) -> None:
    running.provider.script = lambda asked: Raw(400, b"{}")
    deep = b"[" * 5_000 + b"]" * 5_000
    for body in (b"", b"not json", b"4", deep):
        url = f"{running.url}/proxy{PATHS['chat']}"
        answer = httpx2.post(url, content=body, timeout=20, trust_env=False)
        assert (answer.status_code, answer.headers["x-pagefold-reason"]) == (400, "no JSON")
        assert running.provider.asked[-1].raw == body


@pytest.mark.parametrize(
    "path",
    [
        "/nobody/v1/messages",
        "/anthropic/../openai/v1",
        "/anthropic/v1/%2e%2e/x",
        "/anthropic/v1/..%2f..%2Fx",
        "/anthropic/v1/..%5c..%5Cx",
        "//evil.test/v1",
        "/",
    ],
)
def test_no_path_leads_elsewhere(running: Running, path: str) -> None:
    host, _, port = running.url.removeprefix("http://").partition(":")
    import http.client

    connection = http.client.HTTPConnection(host, int(port), timeout=20)
    connection.request("GET", f"/proxy{path}")
    answer = connection.getresponse()
    assert (answer.status, json.loads(answer.read())["code"]) == (404, "not_found")
    connection.close()
    assert running.provider.asked == []


RICH: dict[str, Json] = {
    "anthropic": {
        "system": [{"type": "text", "text": "Find causes.", "x": 1}],
        "tools": [
            {"name": "expand", "description": "Theirs.", "input_schema": {"type": "object"}},
            {"type": "web_search_20250305", "name": "web_search", "max_uses": 2},
        ],
        "tool_choice": {"type": "any", "disable_parallel_tool_use": True},
        "stop_sequences": ["END"],
        "thinking": {"type": "enabled", "budget_tokens": 1024},
        "metadata": {"user_id": "u"},
        "unknown": {"deep": [1, None, {"a": "b"}]},
        "messages": [
            {"role": "user", "content": [
                {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "iVBORw0="}},
                {"type": "document", "source": {"type": "url", "url": "https://a.test/x.pdf"}, "title": "t"},
                {"type": "text", "text": "What is it?"}]},
            {"role": "assistant", "content": [
                {"type": "thinking", "thinking": "Hm.", "signature": "c2ln"},
                {"type": "redacted_thinking", "data": "opaque"},
                {"type": "tool_use", "id": "a", "name": "expand", "input": {"z": 1, "a": 2}},
                {"type": "tool_use", "id": "b", "name": "expand", "input": {}}]},
            {"role": "user", "content": [
                {"type": "tool_result", "tool_use_id": "a", "content": [{"type": "text", "text": "one"}]},
                {"type": "tool_result", "tool_use_id": "b", "content": "two", "is_error": True, "own": 5}]},
        ],
    },
    "chat": {
        "tools": [{"type": "function", "function": {"name": "expand", "parameters": {"type": "object"}}}],
        "tool_choice": {"type": "function", "function": {"name": "expand"}},
        "stop": ["END"], "temperature": 0.2, "response_format": {"type": "json_object"}, "unknown": {"a": [None]},
        "messages": [
            {"role": "developer", "content": "Find causes.", "name": "boss"},
            {"role": "user", "content": [
                {"type": "text", "text": "What is it?"},
                {"type": "image_url", "image_url": {"url": "data:image/png;base64,iVBORw0=", "detail": "low"}}]},
            {"role": "assistant", "content": None, "own": 1, "tool_calls": [
                {"id": "a", "type": "function", "function": {"name": "expand", "arguments": "{ \"z\": 1}"}}]},
            {"role": "tool", "tool_call_id": "a", "content": "one", "own": 5},
        ],
    },
    "responses": {
        "instructions": "Find causes.", "store": False, "include": ["reasoning.encrypted_content"],
        "tools": [{"type": "function", "name": "expand", "parameters": {"type": "object"}, "strict": True},
                  {"type": "web_search"}],
        "tool_choice": "required", "reasoning": {"effort": "high"}, "unknown": {"a": [None]},
        "input": [
            {"role": "user", "content": [
                {"type": "input_text", "text": "What is it?"},
                {"type": "input_image", "image_url": "data:image/png;base64,iVBORw0="},
                {"type": "input_file", "file_id": "file_1"}]},
            {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "gAAA"},
            {"type": "function_call", "id": "fc_1", "call_id": "a", "name": "expand", "arguments": "{ \"z\": 1}"},
            {"type": "function_call_output", "call_id": "a", "output": "one"},
        ],
    },
}  # fmt: skip


@pytest.mark.parametrize("api", PATHS)
def test_every_field_survives(running: Running, api: str) -> None:
    asked = {"model": "m", "max_tokens": 100, **RICH[api]}
    answer = running.post(PATHS[api], asked)
    assert answer.status_code == 200
    sent = running.provider.asked[0].body
    key = "input" if api == "responses" else "messages"
    untouched = asked.keys() - {key, "tools", "system"}
    assert {name: sent[name] for name in untouched} == {name: asked[name] for name in untouched}
    own = [name_of(tool) for tool in sent["tools"]][len(asked["tools"]) :]
    assert own == ["pagefold_expand", "update_working_checkpoint"]
    assert bare(sent["tools"])[: len(asked["tools"])] == asked["tools"]
    assert bare(sent.get("system")) == asked.get("system")
    # All messages as they were; behind them stands the working memory, if there is room for one.
    got, wanted = bare(sent[key]), asked[key]
    assert got[: len(wanted) - 1] == wanted[:-1]
    last, expected = got[len(wanted) - 1], wanted[-1]
    if api == "anthropic":
        last = {**last, "content": last["content"][: len(expected["content"])]}
    assert last == expected
    assert running.provider.findings == []


def bare(value: Json) -> Json:
    """Without the cache markers, which the proxy sets."""
    if isinstance(value, dict):
        return {key: bare(item) for key, item in value.items() if key != "cache_control"}
    return [bare(item) for item in value] if isinstance(value, list) else value


def test_markers_stand_where_they_pay_for_as_long_as_the_client_wants(running: Running) -> None:
    marked = {
        "type": "text",
        "text": "Find causes.",
        "cache_control": {"type": "ephemeral", "ttl": "1h"},
    }
    asked = {**RICH["anthropic"], "model": "m", "max_tokens": 9, "system": [marked]}
    running.post(PATHS["anthropic"], {**asked, "cache_control": {"type": "ephemeral"}})
    sent = running.provider.asked[0].body
    assert "cache_control" not in sent
    assert sent["system"][0]["cache_control"] == {"type": "ephemeral", "ttl": "1h"}
    assert json.dumps(sent).count("cache_control") == 4
    assert json.dumps(sent).count('"ttl": "1h"') == 4


def test_the_start_of_an_answer_that_a_client_gives_stays_at_the_end(running: Running) -> None:
    prefill = {"role": "assistant", "content": "The cause is"}
    running.post(PATHS["anthropic"], request("anthropic", prefill, stream=False))
    assert running.provider.asked[0].messages[-1] == prefill
    back = [
        {"role": "assistant", "content": "The cause is rust."},
        {"role": "user", "content": "Why?"},
    ]
    again = running.post(PATHS["anthropic"], request("anthropic", *back, stream=False))
    assert again.headers["x-pagefold-history"] == "continued"


def test_without_its_tools_the_proxy_only_compacts(serve: Callable[..., Running]) -> None:
    running = serve(proxy_tools=False)
    running.provider.script = lambda asked: [Text("Done.")]
    running.post(PATHS["chat"], request("chat"))
    assert "tools" not in running.provider.asked[0].body


@pytest.mark.parametrize("api", PATHS)
def test_a_tiny_history_does_not_grow(running: Running, api: str) -> None:
    running.provider.script = lambda asked: (
        [Call("own_1", "expand", {"ref": "a:00000000"})]
        if len(running.provider.asked) == 1
        else [Text("Done.")]
    )
    task = {"role": "user", "content": f"tiny {api}"}
    body = request(api, stream=False)
    body["input" if api == "responses" else "messages"] = [task]
    answer = running.post(PATHS[api], body)
    assert answer.status_code == 200
    assert len(running.provider.asked) == 2
    for asked in running.provider.asked:
        assert "WORKING MEMORY" not in json.dumps(asked.messages)
