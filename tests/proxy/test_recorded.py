"""Sixty turns of a recorded agent: its model is played back, its SDK sends what a real agent would."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from anthropic import Anthropic
from openai import OpenAI

from compactor import Policy
from compactor.breakpoints import cache_plan
from compactor.formats import read, write
from compactor.messages import Message
from compactor.prices import prices_named
from testbed.replay.compactors import Setting
from testbed.replay.ours import InSession
from testbed.replay.prices import Wire
from tests.proxy import agents
from tests.proxy.conftest import BUDGET, Running
from tests.proxy.provider import Asked, Call, Part, Text, Thinking
from tests.proxy.story import refs_in, results_in
from tests.proxy.test_streams import PATHS

Json = Any
SHARED = Path(os.environ.get("PAGEFOLD_SHARED", Path(__file__).parents[3] / "shared"))
RECORDING = SHARED / "data" / "trajectories" / "anthropic" / "claude-code-ae4a77f8.json"
TURNS = 60
#: Messages whose requests are compared; the budget is spent several times over in them.
COMPARED = 50
FORMATS = {"anthropic": "anthropic", "chat": "openai-chat", "responses": "openai-responses"}


@cache
def recorded() -> list[Message]:
    """A user's message and then ``TURNS`` of the assistant's, each with the results that answer it."""
    if not RECORDING.exists():
        pytest.skip(f"no recorded histories at {SHARED} (PAGEFOLD_SHARED)")
    segments = json.loads(RECORDING.read_text("utf-8"))["segments"]
    found = read(segments[0]["messages"], "anthropic")
    starts = [at for at, message in enumerate(found) if message.role == "assistant"]
    return found[: starts[TURNS]]


def said(message: Message) -> list[Part]:
    """The parts of a recorded answer."""
    parts: list[Part] = []
    for block in message.blocks:
        if block.kind == "thinking":
            parts.append(Thinking(block.text))
        elif block.kind == "tool_use":
            parts.append(Call(block.id, block.name, block.input))
        else:
            parts.append(Text(block.text))
    return parts


def entries(message: Message, api: str) -> list[Json]:
    return write([message], FORMATS[api])[0]


@dataclass(slots=True)
class Playback:
    """Says what was recorded, and once, in the middle, looks up what was taken out."""

    answers: Iterator[list[Part]]
    looks_at: int = -1
    number: int = 0
    ref: str = ""

    def __call__(self, asked: Asked) -> list[Part]:
        if self.number >= self.looks_at >= 0 and not self.ref:
            refs = refs_in(asked.messages)
            if refs:
                self.ref = refs[-1]
                return [Call("look_1", "expand", {"ref": self.ref})]
        self.number += 1
        return next(self.answers)


class Sdk:
    """The official SDK of an API, asked with a whole history: what it says of the answer, to be sent back."""

    def __init__(self, running: Running, api: str, stack: ExitStack) -> None:
        self._api = api
        own = {"api_key": "sk-client", "max_retries": 0}
        if api == "anthropic":
            self._client: Any = stack.enter_context(Anthropic(base_url=running.anthropic, **own))
        else:
            self._client = stack.enter_context(OpenAI(base_url=running.openai, **own))

    def ask(self, history: list[Json]) -> list[Json]:
        if self._api == "anthropic":
            given: Json = {"model": "claude-test", "max_tokens": 100, "messages": history}
            content = self._client.messages.create(**given).content
            return [{"role": "assistant", "content": [b.to_dict() for b in content]}]
        if self._api == "chat":
            body = agents.unread(messages=history)
            answer = self._client.chat.completions.create(model="gpt-test", messages=[], **body)
            return [answer.choices[0].message.model_dump(exclude_none=True)]
        body = agents.unread(input=history)
        with self._client.responses.stream(
            model="gpt-test", input=[], store=False, **body
        ) as events:
            output = events.get_final_response().output
        return [item.model_dump(exclude_none=True, exclude={"parsed_arguments"}) for item in output]


@pytest.mark.parametrize("api", FORMATS)
def test_a_recorded_agent_runs_unchanged(running: Running, api: str) -> None:
    found = recorded()
    provider = running.provider
    playback = Playback((said(m) for m in found if m.role == "assistant"), looks_at=TURNS // 2)
    provider.script = playback
    with ExitStack() as stack:
        sdk = Sdk(running, api, stack)
        history: list[Json] = []
        for message in found:
            if message.role == "assistant":
                history += sdk.ask(history)
            else:
                history += entries(message, api)
    asked = len(provider.asked)
    print(
        f"{api}: {asked} requests, the largest of {max(provider.costs):,} characters, {BUDGET:,} allowed"
    )
    assert playback.number == TURNS
    assert provider.findings == []
    assert max(provider.costs) <= BUDGET
    assert len(provider.asked) == TURNS + 1
    looked_up = results_in(provider.asked[playback.looks_at + 1].messages).get("look_1") or next(
        results["look_1"]
        for asked in provider.asked
        if "look_1" in (results := results_in(asked.messages))
    )
    assert "no ref" not in looked_up
    assert looked_up
    calls = {b.id for m in found for b in m.calls}
    shown = json.dumps(history)
    assert all(call_id in shown for call_id in calls)
    assert "look_1" not in shown


@pytest.mark.parametrize("api", FORMATS)
def test_what_is_sent_and_its_cost_are_those_of_the_replay(running: Running, api: str) -> None:
    found = recorded()
    setting = Setting(format=FORMATS[api], budget_chars=BUDGET)
    prices = prices_named("anthropic" if api == "anthropic" else "openai")
    policy = replace(Policy.preset("epoch", budget_chars=BUDGET), prices=prices)
    replayed = InSession(setting, policy)
    ours, theirs = Wire(), Wire()
    costs, epoch = [0.0, 0.0], ""
    history: list[Json] = []
    for message in found[:COMPARED]:
        if message.role == "assistant" and history:
            body: Json = {"model": "m", "max_tokens": 9, "store": False}
            body["input" if api == "responses" else "messages"] = history
            answer = running.post(PATHS[api], body)
            assert answer.status_code == 200
            sent = running.provider.asked[-1].messages
            if api == "anthropic":
                sent = cache_plan(sent, at=()).messages
            expected = replayed.request()
            if api == "anthropic":
                expected = cache_plan(expected, at=()).messages
            assert [strung(entry) for entry in sent] == [strung(entry) for entry in expected]
            _, charged = ours.send(sent)
            costs[0] += charged.cost
            costs[1] += theirs.send(expected)[1].cost
            # Within an epoch a request is the start of the next one.
            now = answer.headers["x-pagefold-epoch"]
            assert not charged.broken or now != epoch
            epoch = now
        for entry in entries(message, api):
            history.append(entry)
            replayed.append(entry)
    print(f"{api}: proxied {costs[0]:,.0f}, replayed {costs[1]:,.0f} characters of plain input")
    assert int(epoch) > 1
    assert costs[0] == pytest.approx(costs[1], rel=0.01)


def test_a_restart_sends_what_would_have_been_sent(
    running: Running, serve: Callable[..., Running]
) -> None:
    history: list[Json] = []
    for number, message in enumerate(recorded()):
        history += entries(message, "chat")
        if number % 12 == 0:
            body = {"model": "m", "messages": history}
            answer = running.post(PATHS["chat"], body)
    fresh = serve()
    again = fresh.post(PATHS["chat"], body)
    assert [a.headers["x-pagefold-history"] for a in (answer, again)] == ["continued", "new"]
    assert fresh.provider.asked[-1].messages == running.provider.asked[-1].messages


def strung(entry: Json) -> Json:
    """With one text block as a string: a cache marker needs a block."""
    content = entry.get("content")
    if isinstance(content, list) and len(content) == 1 and content[0].keys() == {"type", "text"}:
        return {**entry, "content": content[0]["text"]}
    return entry
