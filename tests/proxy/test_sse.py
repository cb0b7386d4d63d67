"""Events are lines that end where the standard says, whatever else a text holds."""

from __future__ import annotations

import json
import time
from collections.abc import AsyncIterator

import pytest

from api.proxy import sse
from extractor.errors import TooLarge


@pytest.mark.parametrize("odd", ["\u2028", "\u2029", "\x85"])
def test_what_ends_a_line_elsewhere_is_text_here(odd: str) -> None:
    data = {"text": f"one{odd}two"}
    raw = f"event: x\ndata: {json.dumps(data, ensure_ascii=False)}\n\n".encode()
    assert sse.read(raw).data == data


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_lines_end_in_three_ways(end: str) -> None:
    read = sse.read(f'event: x{end}data: {{"a":{end}data: 1}}{end}{end}'.encode())
    assert (read.name, read.data) == ("x", {"a": 1})


async def _chunks(raw: bytes, size: int) -> AsyncIterator[bytes]:
    for at in range(0, len(raw), size):
        yield raw[at : at + size]


async def _split(raw: bytes, size: int, most_bytes: int = 1_000_000) -> list[bytes]:
    return [event async for event in sse.split(_chunks(raw, size), most_bytes)]


@pytest.mark.parametrize("size", [1, 2, 3, 5, 7, 10_000])
async def test_events_are_the_same_in_any_pieces(size: int) -> None:
    given = [
        b"data: a\n\n",
        b"data: b\r\n\r\n",
        b": c\n\r\n",
        b"\n\n",
        b"event: d\ndata: e\r\n\n",
        b"left",
    ]
    assert await _split(b"".join(given), size) == given


async def test_an_event_that_is_too_large_is_said_before_it_is_whole() -> None:
    assert await _split(b"data: a\n\n" * 50, 450, most_bytes=20) == [b"data: a\n\n"] * 50
    with pytest.raises(TooLarge):
        await _split(b"a" * 60, 7, most_bytes=20)


async def test_a_huge_event_costs_what_its_bytes_cost() -> None:
    """Sixteen times the bytes in pieces of one size: linear work is near 16 times, quadratic 256."""
    times = []
    for size in (250_000, 4_000_000):
        raw = b"a" * size + b"\n\n"
        start = time.process_time()
        assert await _split(raw, 100, most_bytes=10_000_000) == [raw]
        times.append(time.process_time() - start)
    assert times[1] < 60 * times[0]
