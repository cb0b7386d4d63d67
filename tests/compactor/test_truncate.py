"""Stage 1: limits, markers, and what no cut may split."""

from __future__ import annotations

import json

import pytest
import regex
from hypothesis import given, settings
from hypothesis import strategies as st

from compactor import Policy, Session
from compactor.cut import head_tail, marker, shorten_leaves


def _after_call(
    tool: str, content: str, *, n: int = 1, preset: str = "epoch", **given: object
) -> tuple[Session, str]:
    session = Session(Policy.preset(preset, budget_chars=500_000))
    session.append({"role": "user", "content": "go"})
    calls = [{"type": "tool_use", "id": f"t{i}", "name": tool, "input": given} for i in range(n)]
    session.append({"role": "assistant", "content": calls})
    result = {"type": "tool_result", "tool_use_id": "t0", "content": content}
    session.append({"role": "user", "content": [result]})
    return session, session.context().messages[-1]["content"][0]["content"]


@pytest.mark.parametrize(
    ("tool", "limit"),
    [("code_run", 10_000), ("web_execute_js", 8_000), ("web_scan", 10_000), ("x", 10_000)],
)
def test_result_over_its_limit_keeps_head_and_tail(tool: str, limit: int) -> None:
    whole = "".join(f"{i:09d}," for i in range(6_000))
    session, shown = _after_call(tool, whole)
    assert limit * 0.9 < len(shown) <= limit
    (ref,) = session.refs(shown)
    assert session.expand(ref) == whole
    head, note, tail = shown.split("\n")
    assert whole.startswith(head)
    assert whole.endswith(tail)
    assert note == marker(len(whole) - len(head) - len(tail), ref)


def test_result_at_its_limit_is_untouched() -> None:
    assert _after_call("code_run", "x" * 10_000)[1] == "x" * 10_000


def test_parallel_calls_share_the_limit_except_in_paper() -> None:
    assert len(_after_call("code_run", "x" * 50_000, n=4)[1]) <= 2_500
    assert len(_after_call("code_run", "x" * 50_000, n=4, preset="paper")[1]) > 9_900


def test_saved_script_result_enters_as_a_preview() -> None:
    session, shown = _after_call("web_execute_js", "y" * 5_000, save_to_file="out.txt")
    assert len(shown) <= 170
    assert session.expand(session.refs(shown)[0]) == "y" * 5_000


def test_file_lines_are_limited_first() -> None:
    _, shown = _after_call("file_read", "z" * 3_000 + "\nshort\n")
    assert len(shown.split("\nshort")[0]) <= 1_280
    assert shown.endswith("\nshort\n")


def test_html_is_never_cut() -> None:
    page = "<!DOCTYPE html><title>A &amp; B</title>" + "<p>word</p>" * 5_000
    session, shown = _after_call("other", page)
    assert shown.startswith("[HTML document 'A & B', ")
    assert session.expand(session.refs(shown)[0]) == page
    small = "<!DOCTYPE html>" + "<p>word</p>" * 2_000
    assert _after_call("other", small)[1] == small


def test_html_is_folded_where_a_fold_is_given() -> None:
    session = Session(
        Policy.preset(budget_chars=200_000), fold_html=lambda html, limit: f"<p>{limit}</p>"
    )
    session.append({"role": "user", "content": "go"})
    call = {"type": "tool_use", "id": "t", "name": "web_scan", "input": {}}
    session.append({"role": "assistant", "content": [call]})
    page = "<html>" + "<p>word</p>" * 5_000
    result = {"type": "tool_result", "tool_use_id": "t", "content": page}
    report = session.append({"role": "user", "content": [result]})
    assert session.context().messages[-1]["content"][0]["content"] == "<p>35000</p>"
    assert [(c.step, session.expand(c.ref) == page) for c in report.changes] == [("fold", True)]


@settings(max_examples=60, deadline=None)
@given(
    st.text(st.sampled_from("aé漢👩‍👧\u0301\r\n🇩🇪 "), min_size=100, max_size=600),
    st.integers(0, 400),
)
def test_cut_keeps_its_limit_and_splits_no_grapheme(text: str, limit: int) -> None:
    made = head_tail(text, limit, "a:00000000")
    assert made == text or len(made) <= limit
    if made != text and limit >= 120:
        head, _, rest = made.partition("[... ")
        tail = rest.partition(" ...]\n")[2]
        edges = {0, *(m.end() for m in regex.finditer(r"\X", text))}
        assert len(text) - len(tail) in edges
        assert {len(head), len(head) - 1} & edges


def test_cut_splits_no_escape_and_prefers_a_line_end() -> None:
    coloured = "\x1b[38;5;196mred\x1b[0m" * 100
    head, _, tail = head_tail(coloured, 403, "a:00000000").split("\n")
    assert not regex.search(r"\x1b[^m]*$", head)
    assert not tail.startswith(("[", "3", "8", ";", "5", "1", "9", "6", "m"))
    lines = ("l" * 15 + "\n") * 200
    kept = head_tail(lines, 1_000, "a:00000000")
    assert {len(line) for line in kept.split("\n") if "[..." not in line} <= {15, 0}


def test_arguments_shrink_at_their_leaves() -> None:
    value = {"path": "/a", "body": "b" * 5_000, "n": [1, {"c": "d" * 900}]}
    made = shorten_leaves(value, 200, "a:00000000")
    assert json.loads(json.dumps(made)) == made
    assert made["path"] == "/a"
    assert len(made["body"]) <= 200
    assert made["n"][0] == 1
