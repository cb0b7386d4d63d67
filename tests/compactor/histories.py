"""Generated and recorded histories for the compactor's tests."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import strategies as st

from compactor.formats import read, write

Json = Any
#: So that short histories show something, too.
EAGER = {"keep_results": 0, "keep_messages": 2, "keep_turns": 1, "renew_turns": 1, "least_chars": 60,
         "trigger_share": 0.3}  # fmt: skip
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

GENERATED = {
    "anthropic": anthropic_histories,
    "openai-chat": chat_histories,
    "openai-responses": item_histories,
    "text": text_histories,
}
#: (format, messages)
HISTORIES = st.one_of(*(st.tuples(st.just(name), made) for name, made in GENERATED.items()))

_FOUND = (
    "The queue of cell_{n}a holds {n}37 items. Port 40{n} refused: ERROR 77{n}: full. " * 12,
    "第{n}號伺服器的佇列已滿，請檢查連接埠。" * 40,
    json.dumps([{"id": n, "state": "ok" if n % 4 else "bad", "ms": n * 7} for n in range(40)]),
    "\n".join(f"10:{n:02d} GET /items/{n % 3} 200" for n in range(60)),
    "short and {n}",
)


@st.composite
def worked(draw: st.DrawFn, format: str) -> list[Json]:
    """An agent at work: valid, with results that have something to shorten, some of them read twice."""
    made: list[Json] = [
        {"role": "user", "content": "Find out why cell_9a is slow. Never restart it."}
    ]
    for n in range(draw(st.integers(4, 9))):
        tool = draw(st.sampled_from(["web_search", "code_run", "file_read", "query"]))
        found = draw(st.sampled_from(_FOUND)).replace("{n}", str(n))
        call = {"type": "tool_use", "id": f"c{n}", "name": tool, "input": {"q": f"cell_{n % 3}"}}
        said = {"type": "text", "text": f"I decided to look at item_{n}x next."}
        made.append({"role": "assistant", "content": [said, call]})
        result = {"type": "tool_result", "tool_use_id": f"c{n}", "content": found}
        made.append({"role": "user", "content": [result]})
    return write(read(made, "anthropic"), format)[0]


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
