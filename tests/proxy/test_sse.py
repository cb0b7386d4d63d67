"""Events are lines that end where the standard says, whatever else a text holds."""

from __future__ import annotations

import json

import pytest

from api.proxy import sse


@pytest.mark.parametrize("odd", ["\u2028", "\u2029", "\x85"])
def test_what_ends_a_line_elsewhere_is_text_here(odd: str) -> None:
    data = {"text": f"one{odd}two"}
    raw = f"event: x\ndata: {json.dumps(data, ensure_ascii=False)}\n\n".encode()
    assert sse.read(raw).data == data


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_lines_end_in_three_ways(end: str) -> None:
    read = sse.read(f'event: x{end}data: {{"a":{end}data: 1}}{end}{end}'.encode())
    assert (read.name, read.data) == ("x", {"a": 1})
