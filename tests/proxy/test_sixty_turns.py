"""Sixty turns of an agent that knows of no proxy, in every API, streamed and not."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.proxy import agents
from tests.proxy.conftest import BUDGET, Running
from tests.proxy.story import ALONE, BESIDE, NOTING, Story, read_log, results_in

Json = Any
OWN = {"expand", "update_working_checkpoint"}
AGENTS: dict[str, Callable[..., list[Json]]] = {
    "anthropic": agents.anthropic_agent,
    "chat": agents.chat_agent,
    "responses": agents.responses_agent,
}


@pytest.mark.parametrize(
    ("api", "stream"), [("anthropic", True), ("chat", True), ("responses", False)]
)
def test_an_agent_runs_unchanged(running: Running, api: str, stream: bool) -> None:
    story = Story(thinks=api == "anthropic")
    provider = running.provider
    provider.script = story
    url = running.anthropic if api == "anthropic" else running.openai
    seen: set[str] = set()

    def run(name: str, arguments: dict[str, Any]) -> str:
        seen.add(name)
        return read_log(name, arguments)

    history = AGENTS[api](url, agents.TASK, run, stream=stream)
    assert story.turn == story.turns
    assert seen == {"read_log"}
    assert not any(name in str(history) for name in OWN)
    assert provider.findings == []
    assert max(provider.costs) <= BUDGET
    # Once for each turn, once more for each look-up that stands alone, and for the last word.
    assert len(provider.asked) == story.turns + len(ALONE) + len(NOTING) + 1
    # What the model looked up, it got.
    got: dict[str, str] = {}
    for asked in provider.asked:
        for call_id, text in results_in(asked.messages).items():
            got.setdefault(call_id, text)
    assert len(story.expanded) == len(ALONE) + len(BESIDE)
    for call_id in story.expanded:
        assert "no ref" not in got[call_id]
        assert 0 < len(got[call_id]) < 700
    assert "stations up to 40 are clean" in str(provider.asked[-1].messages[-1])
    # The list of tools never changes.
    assert len({str(asked.body["tools"]) for asked in provider.asked}) == 1
