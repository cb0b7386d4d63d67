"""Generated and recorded histories for the compactor's tests."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import strategies as st

Json = Any
_ROOT = Path(os.environ.get("PAGEFOLD_SHARED", Path(__file__).parents[3] / "shared"))

_ids = st.sampled_from(["", "a", "b", "call_0", "toolu_01", "x:9"])
_texts = st.one_of(
    st.text(max_size=40),
    st.builds(
        lambda unit, n: unit * n,
        st.sampled_from(["ab\n", "é", "漢字", '"', "👩‍👩‍👧", "\x1b[1m"]),
        st.integers(0, 3_000),
    ),
)
_calls = st.builds(
    lambda i, name, value: {"type": "tool_use", "id": i, "name": name, "input": {"q": value}},
    _ids,
    st.sampled_from(["code_run", "web_scan", "file_read", "other"]),
    _texts,
)
_results = st.builds(
    lambda i, text, listed: {
        "type": "tool_result",
        "tool_use_id": i,
        "content": [{"type": "text", "text": text}] if listed else text,
    },
    _ids,
    _texts,
    st.booleans(),
)
_said = st.builds(lambda text: {"type": "text", "text": text}, _texts)
_thought = st.builds(lambda text: {"type": "thinking", "thinking": text, "signature": "s1"}, _texts)
_message = st.one_of(
    st.builds(
        lambda blocks: {"role": "assistant", "content": blocks},
        st.lists(st.one_of(_said, _calls, _thought), max_size=3),
    ),
    st.builds(
        lambda blocks: {"role": "user", "content": blocks},
        st.lists(st.one_of(_said, _results), max_size=3),
    ),
    st.builds(lambda text: {"role": "user", "content": text}, _texts),
)

# Any order, any ids: nothing about these lists is valid on purpose.
anthropic_histories = st.lists(_message, max_size=12)

_chat_call = st.builds(
    lambda i, text: {
        "id": i,
        "type": "function",
        "function": {"name": "t", "arguments": json.dumps({"q": text})},
    },
    _ids,
    _texts,
)
_chat_message = st.one_of(
    st.builds(lambda text: {"role": "user", "content": text}, _texts),
    st.builds(lambda text: {"role": "assistant", "content": text}, _texts),
    st.builds(
        lambda calls, text: {"role": "assistant", "content": text, "tool_calls": calls},
        st.lists(_chat_call, min_size=1, max_size=3),
        st.one_of(st.none(), _texts),
    ),
    st.builds(lambda i, text: {"role": "tool", "tool_call_id": i, "content": text}, _ids, _texts),
)
chat_histories = st.lists(_chat_message, max_size=12)


_item = st.one_of(
    st.builds(
        lambda role, text, own: {"type": "message", "role": role, "content": text, **own},
        st.sampled_from(["user", "assistant"]),
        _texts,
        st.sampled_from([{}, {"id": "msg_1"}]),
    ),
    st.builds(
        lambda text: {"role": "user", "content": [{"type": "input_text", "text": text}]}, _texts
    ),
    st.builds(
        lambda i, text: {
            "type": "function_call",
            "call_id": i,
            "name": "t",
            "arguments": json.dumps({"q": text}),
        },
        _ids,
        _texts,
    ),
    st.builds(
        lambda i, text: {"type": "function_call_output", "call_id": i, "output": text}, _ids, _texts
    ),
    st.builds(
        lambda text: {"type": "reasoning", "id": "rs_1", "encrypted_content": text, "summary": []},
        _texts,
    ),
    st.just({"type": "web_search_call", "id": "ws_1", "status": "completed"}),
)
item_histories = st.lists(_item, max_size=14)

_said_in_text = st.one_of(
    _texts,
    st.builds(lambda text: f"<thinking>{text}</thinking>done", _texts),
    st.builds(
        lambda text: 'so <tool_use>{"name": "t", "input": ' + json.dumps(text) + "}</tool_use>",
        _texts,
    ),
)
_text_message = st.one_of(
    st.builds(lambda text: {"role": "assistant", "content": text}, _said_in_text),
    st.builds(lambda text: {"role": "user", "content": text}, _texts),
    st.builds(
        lambda text: {"role": "user", "content": f"<tool_result>{text}</tool_result>"}, _texts
    ),
)
text_histories = st.lists(_text_message, max_size=12)


def recorded() -> list[tuple[str, str, list[Json]]]:
    """(name, format, messages) of some recorded sessions; skips the test where they are absent."""
    folder = _ROOT / "data" / "trajectories"
    if not folder.is_dir():
        pytest.skip("recorded histories are absent; set PAGEFOLD_SHARED to their folder")
    found = []
    for format, pattern in (
        ("anthropic", "anthropic/claude-code-agent-*.json"),
        ("anthropic", "anthropic/claude-code-fa*.json"),
        ("openai-chat", "openai_chat/*.json"),
    ):
        for path in sorted(folder.glob(pattern))[:6]:
            data = json.loads(path.read_text(encoding="utf-8"))
            if isinstance(data, dict):
                first = data["segments"][0] if "segments" in data else data
                data = first.get("messages") or first.get("traj") or first.get("history") or []
            if data:
                found.append((path.name, format, data))
    return found


def cases() -> dict[str, Json]:
    """The compaction cases by id; skips the test where they are absent."""
    path = _ROOT / "cases" / "compaction.jsonl"
    if not path.is_file():
        pytest.skip("the cases are absent; set PAGEFOLD_SHARED to their folder")
    lines = path.read_text(encoding="utf-8").splitlines()
    return {case["id"]: case for case in map(json.loads, lines)}
