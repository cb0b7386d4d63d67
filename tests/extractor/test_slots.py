"""Whose turn it is at the browsers, and who is sent away."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from extractor.browser.slots import Slots
from extractor.errors import Busy, DeadlineExceeded


class Crowd:
    """Requests by name; ``order`` is how they got their slots."""

    def __init__(self, slots: Slots) -> None:
        self.slots = slots
        self.order: list[str] = []
        self.done: dict[str, asyncio.Event] = {}
        self.tasks: dict[str, asyncio.Task[None]] = {}

    async def come(self, *names: str, seconds: float = 60) -> None:
        """Each name starts with its tenant's letter, ``-`` for nobody; some come ``behind``."""
        for name in names:
            self.done[name] = asyncio.Event()
            self.tasks[name] = asyncio.create_task(self._hold(name, seconds))
            await asyncio.sleep(0)

    async def leave(self, *names: str) -> None:
        for name in names:
            self.done[name].set()
            await self.tasks[name]
            await asyncio.sleep(0)

    async def _hold(self, name: str, seconds: float) -> None:
        deadline = asyncio.get_running_loop().time() + seconds
        behind = name.endswith("behind")
        async with self.slots.taken(deadline, name[0].strip("-"), behind=behind):
            self.order.append(name)
            await self.done[name].wait()


@asynccontextmanager
async def crowd(slots: Slots) -> AsyncIterator[Crowd]:
    made = Crowd(slots)
    try:
        yield made
    finally:
        for task in made.tasks.values():
            task.cancel()
        await asyncio.gather(*made.tasks.values(), return_exceptions=True)
        assert (slots.taken_now, slots.waiting) == (0, 0)


async def test_tenants_take_turns_however_many_requests_one_sends() -> None:
    async with crowd(Slots(1, 16, 30)) as people:
        await people.come("a1", "a2", "a3", "a4", "b1", "b2", "c1")
        for name in ("a1", "a2", "b1", "c1", "a3", "b2"):
            await people.leave(name)
        assert people.order == ["a1", "a2", "b1", "c1", "a3", "b2", "a4"]


async def test_a_tenant_at_its_cap_waits_while_others_pass() -> None:
    async with crowd(Slots(3, 16, 30, per_tenant=2)) as people:
        await people.come("a1", "a2", "a3", "b1")
        assert people.order == ["a1", "a2", "b1"]
        await people.leave("b1")
        assert people.order == ["a1", "a2", "b1"]
        await people.leave("a1")
        assert people.order[-1] == "a3"


async def test_nobody_in_particular_may_hold_every_slot() -> None:
    async with crowd(Slots(3, 0, 30, per_tenant=1)) as people:
        await people.come("-1", "-2", "-3")
        assert people.order == ["-1", "-2", "-3"]


async def test_a_full_queue_sheds_the_newcomer_and_says_when_to_come_again() -> None:
    async with crowd(Slots(2, 2, 30)) as people:
        await people.come("a1", "a2", "a3", "a4")
        with pytest.raises(Busy) as caught:
            async with people.slots.taken(asyncio.get_running_loop().time() + 60, "a"):
                pass
        assert 1 <= caught.value.retry_after_s <= 30
        assert people.slots.waiting == 2


async def test_a_tenant_that_fills_the_queue_gives_way_to_one_with_less() -> None:
    async with crowd(Slots(1, 3, 30)) as people:
        await people.come("a1", "a2", "a3", "a4", "b1")
        with pytest.raises(Busy):
            await people.tasks["a4"]
        await people.leave("a1", "a2", "b1")
        assert people.order == ["a1", "a2", "b1", "a3"]
        # One each beside two: nobody has more than a fair part, so the last to come is sent away.
        await people.come("a5", "b2", "b3")
        with pytest.raises(Busy):
            async with people.slots.taken(asyncio.get_running_loop().time() + 60, "b"):
                pass


async def test_who_gives_up_waiting_leaves_no_trace() -> None:
    async with crowd(Slots(1, 4, 30)) as people:
        await people.come("a1")
        await people.come("a2", seconds=0.01)
        with pytest.raises(DeadlineExceeded):
            await people.tasks["a2"]
        await people.come("b1", "b2")
        people.tasks["b1"].cancel()
        await asyncio.sleep(0)
        await people.leave("a1")
        assert people.order == ["a1", "b2"]


async def test_a_slot_that_comes_as_its_caller_leaves_goes_to_the_next() -> None:
    async with crowd(Slots(1, 4, 30)) as people:
        await people.come("a1", "b1", "c1")
        people.done["a1"].set()
        await asyncio.sleep(0)
        people.tasks["b1"].cancel()
        for _ in range(5):
            await asyncio.sleep(0)
        assert people.order == ["a1", "c1"]


async def test_what_comes_behind_gets_a_slot_when_nobody_else_wants_it() -> None:
    async with crowd(Slots(1, 2, 30)) as people:
        await people.come("a1", "b behind", "c behind", "a2", "a3")
        assert people.slots.waiting == 2, "it takes up a place in the queue"
        await people.come("d1 behind")
        for name in ("a1", "a2", "a3", "b behind", "c behind", "d1 behind"):
            await people.leave(name)
        assert people.order == ["a1", "a2", "a3", "b behind", "c behind", "d1 behind"]


async def test_what_comes_behind_gives_up_at_its_deadline() -> None:
    async with crowd(Slots(1, 2, 30)) as people:
        await people.come("a1")
        await people.come("b behind", seconds=0.01)
        with pytest.raises(DeadlineExceeded):
            await people.tasks["b behind"]
