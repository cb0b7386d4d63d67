"""Turns at hosts."""

from __future__ import annotations

import asyncio

import pytest

from batch.hosts import HostTurns, host_of
from batch.refusals import HttpStatus


async def free() -> None:
    return None


def test_a_host_is_its_name_and_port() -> None:
    assert host_of("https://Example.org./a?b") == "example.org:443"
    assert host_of("http://example.org:8080/") == "example.org:8080"
    assert host_of("nonsense") == host_of("http://[/") == host_of("http://a:99999/") == ""


async def test_no_more_pages_of_a_host_at_a_time_than_allowed() -> None:
    turns, inside, most = HostTurns(2, None), 0, 0

    async def ask(host: str) -> None:
        nonlocal inside, most
        async with turns.turn(f"http://{host}/", 0, free):
            inside += 1
            most = max(most, inside)
            await asyncio.sleep(0.005)
            inside -= 1

    await asyncio.gather(*(ask("a") for _ in range(7)))
    assert most == 2
    most = 0
    await asyncio.gather(*(ask(host) for host in "abcdef"))
    assert most == 6


async def test_turns_start_as_far_apart_as_the_rate_and_robots_ask() -> None:
    clock = asyncio.get_running_loop().time
    for rate, delay in [(50.0, 0.0), (None, 0.02), (1_000.0, 0.02)]:
        turns, starts, begun = HostTurns(4, rate), [], clock()

        async def ask() -> None:
            async with turns.turn("http://a/", delay, free):  # noqa: B023  # used up within the round
                starts.append(clock())  # noqa: B023

        await asyncio.gather(*(ask() for _ in range(4)))
        late = [start - begun - 0.02 * number for number, start in enumerate(starts)]
        assert min(late) >= 0, (rate, delay)


async def test_waiting_for_room_in_the_process_does_not_bunch_turns_up() -> None:
    room, starts = asyncio.Semaphore(0), list[float]()
    turns, clock = HostTurns(4, 100.0), asyncio.get_running_loop().time

    async def admitted() -> None:
        await room.acquire()

    async def ask() -> None:
        async with turns.turn("http://a/", 0, admitted):
            starts.append(clock())

    asked = asyncio.gather(ask(), ask(), ask())
    await asyncio.sleep(0.05)
    released = clock()
    for _ in range(3):
        room.release()
    await asked
    assert min(start - released - 0.01 * number for number, start in enumerate(starts)) >= 0


async def test_a_host_that_asks_to_be_left_alone_is() -> None:
    turns, starts, clock = HostTurns(4, None), list[float](), asyncio.get_running_loop().time

    async def refused() -> None:
        async with turns.turn("http://a/", 0, free):
            starts.append(clock())
            raise HttpStatus(429, "1")

    with pytest.raises(HttpStatus):
        await refused()
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.2), turns.turn("http://a/", 0, free):
            starts.append(clock())
    async with turns.turn("http://b/", 0, free):
        pass
    async with turns.turn("http://a/", 0, free):
        assert clock() - starts[0] >= 0.99
    assert len(starts) == 1


async def test_hosts_that_are_done_are_forgotten() -> None:
    turns = HostTurns(1, None)
    for number in range(5_000):
        async with turns.turn(f"http://host{number}/", 0, free):
            pass
    assert len(turns._hosts) <= 1_000
