"""The Messages API through the proxy, spoken by its own SDK."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from anthropic import Anthropic

from tests.proxy.conftest import Running
from tests.proxy.provider import Asked, Call, Part, Text


@pytest.fixture
def client(running: Running) -> Iterator[Anthropic]:
    with Anthropic(base_url=running.anthropic, api_key="sk-client", max_retries=0) as made:
        yield made


def test_a_request_goes_through_with_two_more_tools(running: Running, client: Anthropic) -> None:
    asked = [{"role": "user", "content": "Why did the import stop?"}]
    answer = client.messages.create(model="claude-test", max_tokens=100, messages=asked)
    assert answer.content[0].text == "Done."
    [sent] = running.provider.asked
    assert sent.path == "/v1/messages"
    assert [tool["name"] for tool in sent.body["tools"]] == ["expand", "update_working_checkpoint"]
    assert running.provider.findings == []


def test_a_ref_is_expanded_on_the_way(running: Running, client: Anthropic) -> None:
    log = "\n".join(f"station {number} of the import" for number in range(2_000))
    messages = [
        {"role": "user", "content": "Why did the import stop?"},
        {
            "role": "assistant",
            "content": [{"type": "tool_use", "id": "toolu_1", "name": "read", "input": {}}],
        },
        {
            "role": "user",
            "content": [{"type": "tool_result", "tool_use_id": "toolu_1", "content": log}],
        },
    ]

    def script(asked: Asked) -> list[Part]:
        if len(running.provider.asked) > 1:
            return [Text("It stopped at station 1001.")]
        marker = str(asked.messages).partition("ref=")[2][:18]
        ref = marker.partition(" ")[0]
        return [
            Text("Let me look. "),
            Call("toolu_2", "expand", {"ref": ref, "grep": "station 1001 "}),
        ]

    running.provider.script = script
    answer = client.messages.create(
        model="claude-test", max_tokens=100, messages=messages, tools=[]
    )
    assert [block.text for block in answer.content] == [
        "Let me look. ",
        "It stopped at station 1001.",
    ]
    assert answer.usage.output_tokens == 40
    _, second = running.provider.asked
    result = second.messages[-1]["content"][0]
    assert result["tool_use_id"] == "toolu_2"
    assert result["content"] == "1002: station 1001 of the import"
    assert running.provider.findings == []
    assert max(running.provider.costs) <= 18_000
