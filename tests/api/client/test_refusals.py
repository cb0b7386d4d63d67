"""What the client makes of refusals: typed errors, and patience where the service asks for it."""

from __future__ import annotations

import json
import socket
import time
from email.utils import formatdate
from typing import Any

import httpx2
import pytest

from api.client import (
    Busy,
    Conflict,
    InvalidInput,
    NoAnswer,
    NotAllowed,
    NotFound,
    PageFailed,
    Pagefold,
    ProblemError,
    Retries,
    VersionMismatch,
)
from api.errors import CATALOGUE, problem

#: HTTP status → class, as the documentation of the errors says.
KINDS = {
    400: InvalidInput, 401: NotAllowed, 403: NotAllowed, 404: NotFound, 409: Conflict, 412: VersionMismatch,
    413: InvalidInput, 421: NotAllowed, 422: InvalidInput, 429: Busy, 502: PageFailed, 503: Busy,
    504: PageFailed,
}  # fmt: skip


def answering(*answers: tuple[str, dict[str, Any]]) -> tuple[Pagefold, list[httpx2.Request]]:
    """A client of a service that answers with these problems, then with a text."""
    left, asked = list(answers), []

    def answer(request: httpx2.Request) -> httpx2.Response:
        asked.append(request)
        if not left:
            return httpx2.Response(200, text="Low water is at four.")
        code, more = left.pop(0)
        made = problem(code, "A sentence.", **more)
        return httpx2.Response(
            made.status_code, content=bytes(made.body), headers=dict(made.headers)
        )

    return Pagefold("http://service", transport=httpx2.MockTransport(answer)), asked


@pytest.fixture
def slept(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    waits: list[float] = []
    monkeypatch.setattr(time, "sleep", waits.append)
    return waits


@pytest.mark.parametrize("code", CATALOGUE)
def test_every_code_becomes_a_typed_error(code: str) -> None:
    service, asked = answering((code, {"phase": "resolve", "field": "url"}))
    with pytest.raises(ProblemError) as caught:
        service.read("https://example.org/")
    error, status = caught.value, CATALOGUE[code][0]
    assert (error.code, error.status, error.phase, error.field) == (code, status, "resolve", "url")
    assert str(error) == f"{code}: A sentence."
    assert type(error) is KINDS.get(status, ProblemError)
    assert len(asked) == 1  # none of them says that it is retryable


def test_busy_is_sent_again_after_the_time_that_the_service_names(slept: list[float]) -> None:
    again = {"retryable": True}
    service, asked = answering(
        ("busy", {**again, "retry_after_s": 7}), ("rate_limited", again), ("draining", again)
    )
    assert service.read("https://example.org/") == "Low water is at four."
    assert slept == [7, 1, 1]
    assert len(asked) == 4


def test_patience_has_an_end(slept: list[float]) -> None:
    service, asked = answering(*[("busy", {"retryable": True})] * 9)
    with pytest.raises(Busy):
        service.read("https://example.org/")
    assert (len(asked), len(slept)) == (Retries().tries, Retries().tries - 1)


def test_a_long_wait_is_left_to_the_caller(slept: list[float]) -> None:
    service, asked = answering(("rate_limited", {"retryable": True, "retry_after_s": 60}))
    with pytest.raises(Busy) as caught:
        service.read("https://example.org/")
    assert caught.value.retry_after_s == 60
    assert (len(asked), slept) == (1, [])


@pytest.mark.parametrize(
    ("after", "waits"),
    [
        (formatdate(0, usegmt=True), [0.0]),
        ("in a quarter of an hour", []),
        ("soon", [1.0]),
        ("-1", [1.0]),
    ],
)
def test_a_time_to_wait_may_be_a_date(after: str, waits: list[float], slept: list[float]) -> None:
    if after == "in a quarter of an hour":
        after = formatdate(time.time() + 900)
    body = json.dumps({"code": "busy", "detail": "Full.", "retryable": True}).encode()
    refused = httpx2.Response(503, content=body, headers={"Retry-After": after})
    left = [httpx2.Response(200, text="Low water."), refused]
    service = Pagefold("http://s", transport=httpx2.MockTransport(lambda _: left.pop()))
    if waits:
        assert service.read("https://example.org/") == "Low water."
    else:
        with pytest.raises(Busy) as caught:
            service.read("https://example.org/")
        assert 800 < (caught.value.retry_after_s or 0) <= 900
    assert slept == waits


def test_a_page_that_failed_is_not_fetched_again(slept: list[float]) -> None:
    service, asked = answering(("connect", {"retryable": True}))
    with pytest.raises(PageFailed) as caught:
        service.read("https://example.org/")
    assert caught.value.retryable
    assert (len(asked), slept) == (1, [])


@pytest.mark.parametrize(
    "body", [b"<h1>Bad gateway</h1>", b"[]", b"null", b"", b'{"code": "busy"}']
)
def test_what_something_between_has_answered_is_said(body: bytes) -> None:
    transport = httpx2.MockTransport(lambda _: httpx2.Response(502, content=body))
    with pytest.raises(PageFailed) as caught:
        Pagefold("http://service", transport=transport).read("https://example.org/")
    assert caught.value.code == "not_pagefold"


@pytest.mark.parametrize("status", [200, 302])
def test_a_good_answer_of_something_between_is_no_answer(status: int) -> None:
    transport = httpx2.MockTransport(lambda _: httpx2.Response(status, text="<h1>Log in</h1>"))
    with pytest.raises(ProblemError) as caught:
        Pagefold("http://service", transport=transport).session("x")
    assert (caught.value.code, caught.value.status) == ("not_pagefold", status)


STREAM = (
    b'retry: 2000\n\n: at it\n\nid: 1\nevent: page\ndata: {\ndata: "n": 1}\n\n'
    b'event: problem\ndata: {"code": "dns", "detail": "No.", "status": 502}\n\n'
)


def test_a_stream_is_events_and_may_end_in_a_problem() -> None:
    asked: list[httpx2.Request] = []

    def answer(request: httpx2.Request) -> httpx2.Response:
        asked.append(request)
        return httpx2.Response(200, content=STREAM, headers={"Content-Type": "text/event-stream"})

    events = Pagefold("http://s", transport=httpx2.MockTransport(answer)).job_events("j", after="7")
    assert next(events) == {"event": "page", "id": "1", "data": {"n": 1}}
    with pytest.raises(PageFailed, match="dns"):
        next(events)
    assert asked[0].headers["Last-Event-ID"] == "7"


def test_what_has_no_method_can_be_called() -> None:
    service, asked = answering(("not_found", {}))
    with pytest.raises(NotFound):
        service.call("GET", "/v1/sessions/s/turns")
    nothing = httpx2.MockTransport(lambda _: httpx2.Response(204))
    assert Pagefold("http://s", transport=nothing).call("DELETE", "/v1/tabs/t") is None
    assert asked[0].url.path == "/v1/sessions/s/turns"


def test_nothing_answers() -> None:
    with pytest.raises(NoAnswer, match=r"no answer from http://127\.0\.0\.1:9 ") as caught:
        Pagefold("http://127.0.0.1:9").session("x")
    assert caught.value.retryable


def test_an_answer_that_does_not_come_is_not_waited_for() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"http://127.0.0.1:{silent.getsockname()[1]}"
        with pytest.raises(NoAnswer, match="timed out") as caught:
            Pagefold(url, timeout_s=0.1).session("x")
    assert caught.value.retryable


def test_ids_cannot_leave_their_place_in_the_path() -> None:
    service, asked = answering()
    service.unfold("../../v1", "f1?x=#/..")
    assert (
        asked[0].url.raw_path.partition(b"?")[0]
        == b"/v1/snapshots/..%2F..%2Fv1/folds/f1%3Fx%3D%23%2F.."
    )
    for wrong in ("", ".", ".."):
        with pytest.raises(ValueError, match="no id or ref"):
            service.session(wrong)
    assert len(asked) == 1


def test_the_key_and_the_guards_are_sent() -> None:
    asked: list[httpx2.Request] = []

    def answer(request: httpx2.Request) -> httpx2.Response:
        asked.append(request)
        return httpx2.Response(200, json={})

    with Pagefold("http://s", key="pf_1.x", transport=httpx2.MockTransport(answer)) as service:
        service.append("s", [{"role": "user", "content": "x"}], key="turn-1", version=3)
    headers = asked[0].headers
    assert (headers["Authorization"], headers["Idempotency-Key"]) == ("Bearer pf_1.x", "turn-1")
    assert headers["If-Match"] == '"v3"'
    assert json.loads(asked[0].content)["messages"] == [{"role": "user", "content": "x"}]
