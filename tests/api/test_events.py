"""A page as a stream of events: stages as they begin, then the page or the problem."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from typing import Any

import pytest
from starlette.testclient import TestClient

from api.demo import DemoServer
from api.drain import Drain
from api.events import Streaming, _events, wants_events
from api.metrics import Metrics
from extractor.errors import DeadlineExceeded
from extractor.offline import filter_html
from extractor.page import Page
from extractor.stages import Listener

ACCEPT = {"Accept": "text/event-stream"}


def parsed(text: str) -> list[tuple[str, Any]]:
    """Events of a stream, by the rules of the format: fields up to an empty line, comments left out."""
    found = []
    for block in text.split("\n\n"):
        fields = dict(line.split(": ", 1) for line in block.split("\n") if line and line[0] != ":")
        if fields:
            found.append((fields["event"], json.loads(fields["data"])))
    return found


def test_stages_come_in_order_and_the_page_is_the_same_as_without_events(
    client: TestClient, demo: DemoServer
) -> None:
    wanted = {"url": f"{demo.url}/article", "format": ["text"]}
    answer = client.post("/v1/pages", json=wanted, headers=ACCEPT)
    assert answer.status_code == 200
    assert answer.headers["content-type"].startswith("text/event-stream")
    *stages, (last, page) = parsed(answer.text)
    assert [data["stage"] for name, data in stages] == ["queue", "capture", "filter"]
    assert {name for name, _ in stages} == {"stage"}
    times = [data["elapsed_ms"] for _, data in stages]
    assert times == sorted(times)
    assert {data["deadline_ms"] for _, data in stages} == {30_000}
    assert last == "page"
    plain = client.post("/v1/pages", json=wanted).json()
    assert page["content"] == plain["content"]
    assert page.keys() == plain.keys()


def test_failure_is_the_last_event_and_the_same_problem_document(client: TestClient) -> None:
    wanted = {"url": "http://10.1.2.3/"}
    answer = client.post("/v1/pages", json=wanted, headers=ACCEPT)
    name, document = parsed(answer.text)[-1]
    assert (name, document) == ("problem", client.post("/v1/pages", json=wanted).json())
    assert document["code"] == "blocked_address"


def test_request_that_cannot_be_used_is_refused_before_the_stream(client: TestClient) -> None:
    answer = client.post("/v1/pages", json={"colour": 1}, headers=ACCEPT)
    assert answer.status_code == 422
    assert answer.headers["content-type"] == "application/problem+json"


@pytest.mark.parametrize(
    ("accept", "wanted"),
    [
        ("text/event-stream", True),
        ("application/json, TEXT/EVENT-STREAM;q=0.5", True),
        ("text/event-streams", False),
        ("*/*", False),
        (None, False),
    ],
)
def test_events_must_be_named_by_their_media_type(accept: str | None, wanted: bool) -> None:
    assert wants_events(accept) is wanted


async def _text(
    read: Callable[[Listener], Any], drain: Drain | None = None, keep_alive_s: float = 60
) -> str:
    streaming = Streaming(read, 30, keep_alive_s, drain or Drain(0), Metrics())
    return b"".join([part async for part in _events(streaming)]).decode()


async def test_silence_is_filled_with_comments() -> None:
    async def read(also: Listener) -> Page:
        await asyncio.sleep(0.6)
        return filter_html("<p>Hi</p>")

    assert "\n\n: still at it\n\n" in await _text(read, keep_alive_s=0.01)


async def test_stopping_service_says_so_in_the_stream() -> None:
    cancelled = False

    async def read(also: Listener) -> Page:
        nonlocal cancelled
        drain.begin()
        try:
            await asyncio.Event().wait()
        finally:
            cancelled = True
        raise AssertionError("never reached")

    drain = Drain(0)
    [(name, document)] = parsed(await _text(read, drain))
    assert (name, document["code"], document["status"]) == ("problem", "draining", 503)
    assert cancelled


async def test_unexpected_failure_tells_nothing_of_itself() -> None:
    async def read(also: Listener) -> Page:
        raise RuntimeError("secret path /root/x")

    text = await _text(read)
    assert parsed(text)[-1][1]["code"] == "internal"
    assert "secret" not in text


async def test_known_failure_is_counted_by_its_code() -> None:
    async def read(also: Listener) -> Page:
        raise DeadlineExceeded("Too late.")

    metrics = Metrics()
    streaming = Streaming(read, 30, 60, Drain(0), metrics)
    async for _ in _events(streaming):
        pass
    assert 'pagefold_failures_total{code="deadline"} 1.0' in metrics.text().decode()
