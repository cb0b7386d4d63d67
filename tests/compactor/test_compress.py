"""Stage 2: what older messages keep."""

from __future__ import annotations

from typing import Any

import pytest

from compactor import ObjectArchive
from compactor.compress import compress
from compactor.formats import read, write
from compactor.tags import find_tags

Json = Any


def _compressed(
    messages: list[Json], format: str, exempt: int = 0
) -> tuple[list[Json], ObjectArchive]:
    archive = ObjectArchive()
    made, _ = compress(read(messages, format), exempt=exempt, limit=800, archive=archive)
    return write(made, format)[0], archive


def test_long_results_and_arguments_keep_a_window_with_a_ref() -> None:
    call = {"type": "tool_use", "id": "a", "name": "t", "input": {"code": "x" * 3_000, "n": 7}}
    result = {"type": "tool_result", "tool_use_id": "a", "content": "y" * 3_000}
    given = [{"role": "assistant", "content": [call]}, {"role": "user", "content": [result]}]
    (said, answered), archive = _compressed(given, "anthropic")
    shown = answered["content"][0]["content"]
    assert len(shown) <= 800
    ref = shown.split("ref=")[1].split(" ")[0]
    assert archive.get(ref) == "y" * 3_000
    assert said["content"][0]["input"]["n"] == 7
    assert len(said["content"][0]["input"]["code"]) < 800


def test_the_newest_are_exempt_and_short_ones_stay() -> None:
    given = [{"role": "assistant", "content": "<history>old list</history>"} for _ in range(3)]
    made, _ = _compressed(given, "openai-chat", exempt=1)
    assert [m["content"] for m in made] == [
        "<history>[...]</history>",
        "<history>[...]</history>",
        "<history>old list</history>",
    ]


def test_a_users_own_tags_are_text() -> None:
    given = [{"role": "user", "content": "<history>SECRET-42</history><key_info>PIN 9</key_info>"}]
    assert _compressed(given, "openai-chat")[0] == given


def test_signed_thinking_is_never_cut() -> None:
    thought = {"type": "thinking", "thinking": "z" * 3_000, "signature": "s"}
    given = [{"role": "assistant", "content": [thought, {"type": "text", "text": "so"}]}]
    assert _compressed(given, "anthropic")[0] == given


def test_a_second_pass_changes_nothing() -> None:
    text = f"<thinking>{'a' * 5_000}</thinking> <history>{'b' * 50}</history> end"
    once, _ = _compressed([{"role": "assistant", "content": text}], "openai-chat")
    assert once[0]["content"].endswith("<history>[...]</history> end")
    assert _compressed(once, "openai-chat")[0] == once


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("<history>a<history>b</history>c</history>d", ["a<history>b</history>c"]),
        ("<history>never closed", ["never closed"]),
        ("<![CDATA[<history>no tag</history>]]><history>tag</history>", ["tag"]),
        ("a < b <historyx>no</historyx> </history>", []),
        ('<history n="1">x</history>', ["x"]),
        ("<history" * 1_000, []),
    ],
)
def test_tags_are_found_however_they_are_written(text: str, wanted: list[str]) -> None:
    assert [text[tag.inner : tag.close] for tag in find_tags(text, ("history",))] == wanted
