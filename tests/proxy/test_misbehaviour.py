"""Providers and clients that fail: what each of them sees of the other's failure."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import AsyncIterator, Callable
from typing import Any

import httpcore2
import httpx2
import pytest
from anthropic import Anthropic, APIStatusError, RateLimitError

from api.proxy.app import Proxy
from api.proxy.dialling import JudgedBackend, UpstreamTransport
from api.proxy.exchange import Exchange, Target
from api.settings import ApiSettings
from extractor.errors import BlockedAddress, InvalidUrl, TooLarge
from tests.proxy.conftest import Running
from tests.proxy.provider import Raw, Text, rendered
from tests.proxy.test_streams import NOTE, PATHS, request

Json = Any
STREAM = "text/event-stream"


def test_a_refusal_reaches_the_client_as_it_is(running: Running) -> None:
    refusal = (
        b'{"type": "error", "error": {"type": "rate_limit_error", "message": "Slow down."}, "x": 1}'
    )
    running.provider.script = lambda asked: Raw(
        429,
        refusal,
        headers=(("Retry-After", "7"), ("request-id", "req_1"), ("x-request-id", "req_2")),
    )
    for api, path in PATHS.items():
        answer = running.post(path, request(api))
        assert (answer.status_code, answer.content) == (429, refusal)
        assert answer.headers["retry-after"] == "7"
        assert (answer.headers["request-id"], answer.headers["x-request-id"]) == ("req_1", "req_2")
    with (
        Anthropic(base_url=running.anthropic, api_key="k", max_retries=0) as client,
        pytest.raises(RateLimitError) as caught,
    ):
        client.messages.create(model="m", max_tokens=9, messages=[{"role": "user", "content": "a"}])
    assert "Slow down." in str(caught.value)


def test_a_stream_that_breaks_off_breaks_off_for_the_client(running: Running) -> None:
    def script(asked: Any) -> Raw:
        body = rendered([Text("It is station 41.")], asked, 1).body
        return Raw(200, body[:400], STREAM, cut=True)

    running.provider.script = script
    # A question of its own: a history that another test left with the proxy is none of this one's.
    asked = {"messages": [{"role": "user", "content": "Which station is it?"}]}
    body = {**request("anthropic"), **asked}
    with pytest.raises(httpx2.RemoteProtocolError):
        running.post(PATHS["anthropic"], body)
    # The history is where it was, and the next try goes on from there.
    running.provider.script = lambda asked: [Text("Done.")]
    again = running.post(PATHS["anthropic"], body)
    assert again.headers["x-pagefold-history"] == "continued"
    assert len(running.provider.asked[-1].messages) == 1


def test_an_answer_that_breaks_off_is_a_problem(running: Running) -> None:
    running.provider.script = lambda asked: Raw(200, b'{"type": "mess', cut=True)
    answer = running.post(PATHS["anthropic"], request("anthropic", stream=False))
    assert (answer.status_code, answer.json()["code"]) == (502, "http_protocol")


@pytest.mark.parametrize(
    "body", [b"{", b"[]", b"{}", b'{"type": "message", "content": 4}', b"\xff\xfe"]
)
def test_an_answer_that_says_nothing_goes_through(running: Running, body: bytes) -> None:
    running.provider.script = lambda asked: Raw(200, body)
    for api, path in PATHS.items():
        answer = running.post(path, request(api, stream=False))
        assert (answer.status_code, answer.content) == (200, body)


@pytest.mark.parametrize("path", [b"/v1/m\xc3\xa9", b"/v1/a#b"])
async def test_a_path_that_is_none_is_the_client_s_error(path: bytes) -> None:
    upstream = ApiSettings().upstreams["openai"]
    settings = ApiSettings()
    exchange = Exchange(settings, UpstreamTransport(settings))
    with pytest.raises(InvalidUrl):
        await exchange.send(Target(upstream, "GET", path, []), b"")


def test_what_is_no_http_is_a_problem(serve: Callable[..., Running]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def answer() -> None:
            peer, _ = listening.accept()
            with peer:
                peer.recv(65_536)
                peer.sendall(b"SSH-2.0-OpenSSH_9.6\r\n")

        thread = threading.Thread(target=answer)
        thread.start()
        port = listening.getsockname()[1]
        running = serve(proxy_upstreams=(f"anthropic=http://127.0.0.1:{port}",))
        got = running.post(PATHS["anthropic"], request("anthropic"))
        thread.join()
    assert (got.status_code, got.json()["code"]) == (502, "http_protocol")
    # Nobody listens there any longer.
    got = running.post(PATHS["anthropic"], request("anthropic"))
    assert (got.status_code, got.json()["code"]) == (502, "connect")


def test_limits_are_settings(serve: Callable[..., Running]) -> None:
    running = serve(proxy_max_answer_bytes=2_000, max_body_bytes=4_000, max_append_bytes=9_000)
    large = json.dumps(
        {"type": "message", "content": [{"type": "text", "text": "a" * 3_000}]}
    ).encode()
    running.provider.script = lambda asked: Raw(200, large)
    answer = running.post(PATHS["anthropic"], request("anthropic", stream=False))
    assert (answer.status_code, answer.json()["code"]) == (502, "too_large")
    answer = running.post(PATHS["anthropic"], request("anthropic", pad="a" * 10_000))
    assert (answer.status_code, answer.json()["code"]) == (413, "body_too_large")


def test_a_provider_that_says_nothing_is_given_up(serve: Callable[..., Running]) -> None:
    running = serve(proxy_silence_s=0.2)

    def script(asked: Any) -> list[Any]:
        running.provider.resume.wait(20)
        return [Text("Too late.")]

    running.provider.script = script
    answer = running.post(PATHS["chat"], request("chat"))
    assert (answer.status_code, answer.json()["code"]) == (504, "deadline")


def test_a_budget_that_cannot_be_met_is_said(serve: Callable[..., Running]) -> None:
    running = serve(proxy_budget_chars=None, proxy_window_tokens=5_000)
    body = request("anthropic", system="Find causes. " * 4_000)
    with (
        Anthropic(base_url=running.anthropic, api_key="k", max_retries=0) as client,
        pytest.raises(APIStatusError) as caught,
    ):
        client.messages.create(**{**body, "stream": False})
    assert (caught.value.status_code, caught.value.body["code"]) == (422, "budget_impossible")
    assert running.provider.asked == []


def test_a_client_that_leaves_takes_its_request_with_it(running: Running) -> None:
    def script(asked: Any) -> Raw:
        body = rendered([Text("It is station 41.")], asked, 1).body
        return Raw(200, body + b": filler\n\n" * 40_000, STREAM, pause_at=len(body))

    running.provider.script = script
    url = f"{running.url}/proxy{PATHS['anthropic']}"
    with httpx2.stream(
        "POST", url, json=request("anthropic"), timeout=20, trust_env=False
    ) as answer:
        next(answer.iter_raw())
    running.provider.resume.set()
    assert running.provider.gone.wait(10)


async def test_a_provider_is_dialled_by_the_egress_rules() -> None:
    async def private(name: str) -> list[str]:
        return ["10.1.2.3"]

    settings = ApiSettings(proxy_upstreams=("own=http://models.internal:8080",), port=8_000)
    with pytest.raises(BlockedAddress):
        await JudgedBackend(settings, private).connect_tcp("models.internal", 8_080)
    # What the operator has written as an address needs no further leave, but for our own port.
    named = ApiSettings(proxy_upstreams=("own=http://127.0.0.1:8000",), port=8_000)
    with pytest.raises(BlockedAddress):
        await JudgedBackend(named).connect_tcp("127.0.0.1", 8_000)
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]

        async def loopback(name: str) -> list[str]:
            return ["127.0.0.1"]

        allowed = ApiSettings(
            proxy_upstreams=(f"own=http://models.internal:{port}",),
            allow_hosts=(f"models.internal:{port}",),
        )
        stream = await JudgedBackend(allowed, loopback).connect_tcp(
            "models.internal", port, timeout=5
        )
        await stream.aclose()
        denied = allowed.model_copy(update={"deny_hosts": ("models.internal",)})
        with pytest.raises(BlockedAddress):
            await JudgedBackend(denied, loopback).connect_tcp("models.internal", port)
        silent = ApiSettings(proxy_upstreams=(f"own=http://127.0.0.1:{port}",))
    with pytest.raises(httpcore2.ConnectError):
        await JudgedBackend(silent).connect_tcp("127.0.0.1", port, timeout=5)


@pytest.mark.parametrize("api", PATHS)
def test_a_client_that_tries_again_finds_the_model_where_it_was(running: Running, api: str) -> None:
    def script(asked: Any) -> Any:
        answers: list[Any] = [
            [Text("One moment. "), NOTE],
            Raw(429, b"{}", headers=(("Retry-After", "1"),)),
        ]
        return [*answers, [Text("Done.")]][len(running.provider.asked) - 1]

    running.provider.script = script
    body = request(api, {"role": "user", "content": f"try again {api}"}, stream=False)
    refused = running.post(PATHS[api], body)
    assert (refused.status_code, refused.headers["retry-after"]) == (429, "1")
    assert running.post(PATHS[api], body).status_code == 200
    sent = json.dumps(running.provider.asked[-1].messages)
    assert sent.count('"own_1"') == 2
    assert running.provider.findings == []


class Stream(httpx2.AsyncByteStream):
    """A body in two parts that knows whether it was closed."""

    def __init__(self, body: bytes) -> None:
        self.body, self.closed = body, False

    async def __aiter__(self) -> AsyncIterator[bytes]:
        half = len(self.body) // 2
        yield self.body[:half]
        yield self.body[half:]

    async def aclose(self) -> None:
        self.closed = True


async def test_a_follow_up_that_fails_is_closed() -> None:
    """At once, and not when the garbage collector comes by."""
    call = {"type": "tool_use", "id": "c", "name": "expand", "input": {"ref": "a:0"}}
    bodies = [
        {"type": "message", "content": [call], "stop_reason": "tool_use"},
        {"type": "message", "content": [{"type": "text", "text": "a" * 9_000}]},
    ]
    streams = [Stream(json.dumps(body).encode()) for body in bodies]
    unused = list(streams)

    class Transport(UpstreamTransport):
        async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
            head = {"content-type": "application/json"}
            return httpx2.Response(200, headers=head, stream=unused.pop(0))

    settings = ApiSettings(proxy_max_answer_bytes=2_000)
    proxy = Proxy(settings, transport=Transport(settings))
    async with httpx2.AsyncClient(
        transport=httpx2.ASGITransport(app=proxy), base_url="http://proxy/proxy"
    ) as client:
        with pytest.raises(TooLarge):
            await client.post(PATHS["anthropic"], json=request("anthropic", stream=False))
    assert [stream.closed for stream in streams] == [True, True]


@pytest.mark.parametrize("api", PATHS)
def test_an_answer_behind_a_lookup_that_cannot_be_read_is_said(running: Running, api: str) -> None:
    answers: list[Any] = [[Text("It is station 41. "), NOTE], Raw(200, b"[]"), [Text("Done.")]]
    running.provider.script = lambda asked: answers[len(running.provider.asked) - 1]
    body = request(api, {"role": "user", "content": f"unreadable {api}"}, stream=False)
    answer = running.post(PATHS[api], body)
    # What the model had said before is not what the client gets, so it must not look like an answer.
    assert (answer.status_code, answer.json()["code"]) == (502, "unreadable_answer")
    assert running.post(PATHS[api], body).status_code == 200
    assert "station 41" in json.dumps(running.provider.asked[-1].messages)
    assert running.provider.findings == []


@pytest.mark.parametrize("api", PATHS)
@pytest.mark.parametrize("odd", ["a word", 4, None, ["x"]])
def test_parts_of_an_answer_that_are_no_objects_go_through(
    running: Running, api: str, odd: Json
) -> None:
    def script(asked: Any) -> Any:
        first = len(running.provider.asked) == 1
        if first:
            return [Text("One moment. "), NOTE]
        made = json.loads(rendered([Text("Done.")], asked, 2).body)
        if api == "anthropic":
            made["content"].append(odd)
        elif api == "responses":
            made["output"].append(odd)
        else:
            made["choices"][0]["message"]["tool_calls"] = [odd]
        return Raw(200, json.dumps(made).encode())

    running.provider.script = script
    body = request(api, {"role": "user", "content": f"odd {odd} {api}"}, stream=False)
    answer = running.post(PATHS[api], body)
    assert answer.status_code == 200
    assert "Done." in answer.text
