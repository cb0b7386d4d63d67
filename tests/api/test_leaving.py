"""A client that leaves takes its work with it, whatever the route."""

from __future__ import annotations

import asyncio
import threading

import pytest
from starlette.types import Message, Receive, Scope, Send

from api.disconnect import ClientGone, Leaving
from api.threads import run_to_end

SCOPE: Scope = {"type": "http"}
BODY: Message = {"type": "http.request", "body": b"low water", "more_body": False}
GONE: Message = {"type": "http.disconnect"}


def client(*messages: Message) -> Receive:
    """A client that sends these, and then keeps quiet."""
    left = list(messages)

    async def receive() -> Message:
        if left:
            return left.pop(0)
        await asyncio.Event().wait()
        raise AssertionError("never reached")

    return receive


async def nowhere(message: Message) -> None:
    return None


async def test_answer_is_sent_and_no_task_is_left() -> None:
    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        body = (await receive())["body"]
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": body})

    sent: list[Message] = []

    async def send(message: Message) -> None:
        sent.append(message)

    before = asyncio.all_tasks()
    await Leaving(app)(SCOPE, client(BODY), send)
    assert sent[-1]["body"] == b"low water"
    assert asyncio.all_tasks() == before


async def test_work_has_ended_when_the_client_is_known_to_be_gone() -> None:
    ended = False

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        nonlocal ended
        try:
            await asyncio.Event().wait()  # it reads no body, as a GET does not
        finally:
            ended = True

    with pytest.raises(ClientGone):
        await Leaving(app)(SCOPE, client(BODY, GONE), nowhere)
    assert ended


async def test_complete_answer_is_not_taken_for_a_client_that_left() -> None:
    # Servers report both in the same way.
    finished = False

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        nonlocal finished
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b""})
        answered.set()
        await asyncio.sleep(0.05)
        finished = True

    answered = asyncio.Event()

    async def receive() -> Message:
        await answered.wait()
        return GONE

    await Leaving(app)(SCOPE, receive, nowhere)
    assert finished


async def test_failure_of_the_work_is_raised() -> None:
    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        raise ValueError("broken")

    with pytest.raises(ValueError, match="broken"):
        await Leaving(app)(SCOPE, client(BODY), nowhere)


async def test_whoever_cancels_the_request_cancels_the_work() -> None:
    began, ended = asyncio.Event(), asyncio.Event()

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        began.set()
        try:
            await asyncio.Event().wait()
        finally:
            ended.set()

    task = asyncio.create_task(Leaving(app)(SCOPE, client(BODY), nowhere))
    await began.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert ended.is_set()


async def test_lock_is_held_until_the_thread_ends_although_the_request_is_cancelled() -> None:
    lock, may_end, began = asyncio.Lock(), threading.Event(), threading.Event()

    def work() -> None:
        began.set()
        may_end.wait(10)

    async def request() -> None:
        async with lock:
            await run_to_end(work)

    task = asyncio.create_task(request())
    await asyncio.to_thread(began.wait, 10)
    for _ in range(3):
        task.cancel()
        await asyncio.sleep(0.01)
        assert lock.locked()
    may_end.set()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert not lock.locked()


async def test_failure_in_a_thread_is_raised() -> None:
    def work() -> None:
        raise ValueError("broken")

    with pytest.raises(ValueError, match="broken"):
        await run_to_end(work)
