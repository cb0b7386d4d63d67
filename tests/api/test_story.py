"""The main job over HTTP: pages and a long log in one session, a context that any provider takes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from starlette.testclient import TestClient

from api.app import create_app
from api.demo import DemoServer
from api.settings import ApiSettings
from compactor import validate
from compactor.cost import serialise
from extractor.serialise import serialise as serialise_tree
from extractor.tree import parse

BUDGET = 60_000


@pytest.fixture
def roomy(settings: ApiSettings) -> Iterator[TestClient]:
    """The same application with room for a long log in a request."""
    larger = settings.model_copy(update={"max_body_bytes": 1_000_000})
    with TestClient(create_app(larger), base_url="http://127.0.0.1:8000") as running:
        yield running


def test_two_pages_and_a_log_make_a_valid_context(roomy: TestClient, demo: DemoServer) -> None:
    client = roomy
    created = client.post("/v1/sessions", json={"budget_chars": BUDGET})
    assert created.status_code == 201, created.text
    session = f"/v1/sessions/{created.json()['id']}"
    task = {"role": "user", "content": "Compare the two pages with the log."}
    assert client.post(f"{session}/messages", json={"messages": [task]}).status_code == 200
    for path in ("article", "docs"):
        page = {"url": f"{demo.url}/{path}", "budget": 10_000}
        answer = client.post(f"{session}/pages", json={"page": page})
        assert answer.status_code == 200, answer.text
    log = "".join(f"line {number:05d} of the log\n" for number in range(1_200))
    assert len(log) > 25_000
    turn = [
        {
            "role": "assistant",
            "content": [
                {"type": "tool_use", "id": "run1", "name": "code_run", "input": {"c": "log"}}
            ],
        },
        {
            "role": "user",
            "content": [{"type": "tool_result", "tool_use_id": "run1", "content": log}],
        },
    ]
    appended = _append(client, session, turn)
    assert len(appended["appended"]) == 2

    context = client.get(f"{session}/context", params={"format": "anthropic"}).json()
    messages = context["messages"]
    assert len(serialise(messages)) <= BUDGET
    assert validate(messages, profile="anthropic") == []
    openai = client.get(f"{session}/context", params={"format": "openai-chat"}).json()["messages"]
    assert validate(openai, profile="openai-chat") == []

    results = [
        block["content"] if isinstance(block["content"], str) else block["content"][0]["text"]
        for message in messages
        for block in (message["content"] if isinstance(message["content"], list) else [])
        if block["type"] == "tool_result"
    ]
    pages = [text for text in results if text.startswith("<!DOCTYPE html>")]
    assert len(pages) == 2
    for text in pages:
        assert serialise_tree(parse(text)) == text
    (short,) = [text for text in results if "line 00000" in text]
    assert short.endswith("line 01199 of the log\n")
    assert len(short) <= 10_000
    ref = short.split("ref=", 1)[1].split()[0].rstrip("]>.,)")
    archived = client.get(f"{session}/archive/{ref}").text
    assert "line 00600 of the log" in archived


def _append(client: TestClient, session: str, turn: list[dict[str, Any]]) -> dict[str, Any]:
    answer = client.post(f"{session}/messages", json={"messages": turn, "format": "anthropic"})
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found
