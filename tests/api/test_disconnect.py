"""A client that leaves takes its work with it."""

from __future__ import annotations

import asyncio

import pytest
from starlette.types import Message

from api.disconnect import ClientGone, while_connected


async def stays() -> Message:
    await asyncio.Event().wait()
    raise AssertionError("never reached")


async def test_result_is_returned_and_the_watcher_ends() -> None:
    async def work() -> str:
        await asyncio.sleep(0)
        return "page"

    before = asyncio.all_tasks()
    assert await while_connected(stays, work()) == "page"
    assert asyncio.all_tasks() == before


async def test_error_of_the_work_is_raised() -> None:
    async def work() -> None:
        raise ValueError("broken")

    with pytest.raises(ValueError, match="broken"):
        await while_connected(stays, work())


async def test_work_has_ended_when_the_client_left() -> None:
    messages: list[Message] = [
        {"type": "http.request", "body": b"", "more_body": False},
        {"type": "http.disconnect"},
    ]
    ended = False

    async def receive() -> Message:
        return messages.pop(0)

    async def work() -> None:
        nonlocal ended
        try:
            await asyncio.Event().wait()
        finally:
            ended = True

    with pytest.raises(ClientGone):
        await while_connected(receive, work())
    assert ended


async def test_cancelling_the_caller_cancels_the_work() -> None:
    ended = asyncio.Event()

    async def work() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            ended.set()

    task = asyncio.create_task(while_connected(stays, work()))
    await asyncio.sleep(0.01)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert ended.is_set()
