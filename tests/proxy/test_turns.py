"""What a turn leaves behind when its client leaves, or another request of the same history comes."""

from __future__ import annotations

import asyncio
import json
import threading
from typing import Any

import pytest

from api.proxy.chat import Chat
from api.proxy.conversation import Conversation
from api.proxy.dialect import Answer
from api.proxy.recognition import Identity
from api.proxy.turn import Passage
from api.proxy.turns import Turns
from api.settings import ApiSettings
from compactor.errors import BudgetError

Json = Any
TASK = {"role": "user", "content": "Why did the import stop?"}
SAID = {"role": "assistant", "content": "It is rust."}
MORE = {"role": "user", "content": "And then?"}


def passage(*entries: Json, **more: Json) -> Passage:
    identity = Identity("", "openai", "openai-chat", "m", b"k")
    upstream = ApiSettings().upstreams["openai"]
    return Passage(upstream, Chat(), identity, {"model": "m", "messages": list(entries), **more})


async def test_a_client_that_leaves_while_it_is_read_is_not_heard_twice(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    turns = Turns(ApiSettings())
    await turns.open(passage(TASK))
    started, go_on = threading.Event(), threading.Event()
    append = Conversation.append

    def slowly(self: Conversation, entries: Json, format: str) -> Any:
        started.set()
        assert go_on.wait(10)
        return append(self, entries, format)

    with monkeypatch.context() as patched:
        patched.setattr(Conversation, "append", slowly)
        opening = asyncio.ensure_future(turns.open(passage(TASK, SAID, MORE)))
        assert await asyncio.to_thread(started.wait, 10)
        opening.cancel()
        await asyncio.sleep(0)
        go_on.set()
        with pytest.raises(asyncio.CancelledError):
            await opening
    turn = await turns.open(passage(TASK, SAID, MORE))
    assert turn.history == "continued"
    assert (await turns.body(turn))["messages"] == [TASK, SAID, MORE]


async def test_a_result_that_does_not_fit_leaves_no_call_without_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    turns = Turns(ApiSettings())
    turn = await turns.open(passage(TASK))
    append = Conversation.append

    def full(self: Conversation, entries: Json, format: str) -> Any:
        if any(entry["role"] == "tool" for entry in entries):
            raise BudgetError("It does not fit.")
        return append(self, entries, format)

    with monkeypatch.context() as patched:
        patched.setattr(Conversation, "append", full)
        with pytest.raises(BudgetError):
            await turns.answer(turn, noting("own_1", "x"))
    again = await turns.open(passage(TASK))
    assert (await turns.body(again))["messages"] == [TASK]


def noting(call_id: str, text: str) -> Answer:
    """An answer of a model that calls the proxy's tool for notes."""
    function = {
        "name": "update_working_checkpoint",
        "arguments": json.dumps({"key_info": text}),
    }
    call = {"id": call_id, "type": "function", "function": function}
    message = {"content": None, "tool_calls": [call]}
    return Chat().answer({"choices": [{"message": message, "finish_reason": "tool_calls"}]})


@pytest.mark.parametrize("when", ["before", "after"])
async def test_what_a_model_notes_for_one_user_is_not_shown_to_another(when: str) -> None:
    # One application, one key and one greeting; only the system prompt says who is who.
    turns = Turns(ApiSettings())
    ada, bob = ({"role": "system", "content": f"You help {name}."} for name in ("Ada", "Bob"))
    mine = await turns.open(passage(ada, TASK))
    theirs = await turns.open(passage(bob, TASK)) if when == "before" else None
    await turns.answer(mine, noting("own_1", "Ada's number is 4711"))
    theirs = theirs or await turns.open(passage(bob, TASK))
    assert (await turns.body(theirs))["messages"] == [bob, TASK]
    assert "4711" in json.dumps((await turns.body(mine))["messages"])


async def test_a_history_with_a_call_goes_on_under_another_system_prompt() -> None:
    turns = Turns(ApiSettings())
    call = noting("call_1", "x").entries[0]
    result = {"role": "tool", "tool_call_id": "call_1", "content": "clean"}
    clocks = [{"role": "system", "content": f"It is {hour} o'clock."} for hour in range(2)]
    history = [TASK, call, result]
    await turns.open(passage(clocks[0], *history))
    turn = await turns.open(passage(clocks[1], *history, SAID, MORE))
    assert turn.history == "continued"
