"""Reversible folds: what they say, worked out by hand, and that the original is one look-up away."""

from __future__ import annotations

import json
from typing import Any

import pytest

from compactor import ObjectArchive
from compactor.estimate import estimate_tokens
from compactor.folds import (
    fold_file,
    fold_reasoning,
    fold_result,
    fold_turns,
    offloaded,
    quieted,
)
from compactor.formats import read

Json = Any
ROWS = [{"id": n, "state": "bad" if n % 4 == 0 else "ok", "ms": n * 10} for n in range(100)]
CSV = "id,state,ms\n" + "\n".join(f"{row['id']},{row['state']},{row['ms']}" for row in ROWS)
MARKDOWN = "| id | state | ms |\n|---|---|---|\n" + "\n".join(
    f"| {row['id']} | {row['state']} | {row['ms']} |" for row in ROWS
)


def _text(text: str, tool: str = "query", given: Json = None, *, always: bool = False) -> str:
    fold = fold_result(text, tool, given, always=always)
    assert fold is not None
    return fold.text("a:1f3c9b2e")


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        (json.dumps(ROWS), "JSON array"),
        (json.dumps({"page": 1, "rows": ROWS}), "JSON object, its 'rows':"),
        ("\n".join(map(json.dumps, ROWS)), "JSON lines"),
        (CSV, "CSV"),
        (CSV.replace(",", "\t"), "TSV"),
        (CSV.replace(",", ";"), "CSV"),
        (MARKDOWN, "table"),
    ],
)
def test_a_table_becomes_its_shape_extremes_totals_shares_and_ends(text: str, kind: str) -> None:
    made = _text(text, given={"sql": "select * from runs"})
    head, *lines = made.split("\n")
    assert head == (
        f'[{kind} of 100 rows × 3 columns from query({{"sql":"select * from runs"}}), '
        f"{len(text):,} characters, ref=a:1f3c9b2e]"
    )
    assert "id: 0 to 99, total 4950, mean 49.5" in lines
    assert "state: 2 different, ok 75%, bad 25%" in lines
    assert "ms: 0 to 990, total 49500, mean 495" in lines
    assert lines[-2:] == ["first: 0 | bad | 0", "last: 99 | ok | 990"]
    assert ("beside them: page: 1" in lines) == ("its 'rows'" in kind)
    assert estimate_tokens(made) <= 260


def test_a_wide_table_counts_the_columns_that_find_no_room() -> None:
    rows = [{f"column_{c}": c * n for c in range(60)} for n in range(40)]
    made = _text(json.dumps(rows))
    assert "40 rows × 60 columns" in made
    shown = sum(line.startswith("column_") for line in made.split("\n"))
    assert f"… and {60 - shown} more columns" in made
    assert len(made) <= 900


@pytest.mark.parametrize(
    "text",
    [
        "Well, it was late, and cold, and nobody came.\n" * 30,
        "[1, 2",
        "{}",
        "a,b\n1,2",
        "plain words, nothing else",
    ],
)
def test_prose_and_scraps_are_no_tables(text: str) -> None:
    assert fold_result(text, "t") is None or "table" not in _text(text) and "CSV" not in _text(text)


def test_a_log_keeps_levels_times_and_every_error() -> None:
    lines = [f"2026-03-01 12:{n // 60:02}:{n % 60:02} INFO request {n} served" for n in range(300)]
    lines[150] = "2026-03-01 12:02:30 ERROR worker 7 died: code 71823"
    lines[151] = "2026-03-01 12:02:31 WARN retrying job 9"
    made = _text("\n".join(lines), "tail")
    assert made.startswith("[log of 300 lines from tail(), ")
    assert "from 2026-03-01 12:00:00 to 2026-03-01 12:04:59" in made
    assert "error: 2026-03-01 12:02:30 ERROR worker 7 died: code 71823" in made
    assert "first: 2026-03-01 12:00:00 INFO request 0 served" in made
    assert len(made) <= 1_100


def test_program_text_keeps_signatures_with_their_lines_and_lines_in_play() -> None:
    body = "\n".join(f"        x_{n} = compute(x_{n})" for n in range(12))
    source = f"import os\n\nclass Queue:\n    def push(self, item):\n{body}\n\n    def pop(self):\n{body}\n"
    numbered = "\n".join(f"{n:>6}→{line}" for n, line in enumerate(source.split("\n"), 1))
    for text in (source, numbered):
        made = _text(text, "read", {"file_path": "q.py"})
        assert made.startswith("[program text, ")
        assert "3: class Queue:" in made
        assert "4:     def push(self, item):" in made
        assert "18:     def pop(self):" in made
        assert "x_5" not in made
    from compactor.folds.code import code_of

    found = code_of(source, {"file_path": "q.py"}, 1_600, in_play=("x_5",))
    assert found is not None
    assert "10:         x_5 = compute(x_5)" in found.text


def test_noise_becomes_one_line_with_a_count() -> None:
    progress = "\n".join(f"downloading {n}% [{'#' * 9}]" for n in range(100))
    made = quieted(f"start\n{progress}\n\x1b[31mred\x1b[0m\nend")
    assert made == "start\ndownloading 99% [#########]\n[… 99 progress lines before it]\nred\nend"
    same = quieted("\n".join(f"GET /item/{n} took {n} ms" for n in range(50)))
    assert same == (
        "GET /item/0 took 0 ms\n[… 49 more lines like it, the last: GET /item/49 took 49 ms]"
    )
    assert quieted("10%\r50%\rdone\nb") == "done\nb"
    assert quieted("a\nb\na\nb") == "a\nb\na\nb"
    assert quieted(made) == made


def test_any_text_has_an_outline_when_asked_for() -> None:
    text = (
        "Title of it\nIntro.\n"
        + "words and words\n" * 80
        + "See /srv/a/b.conf and PX-9912.\nend\nbye"
    )
    assert fold_result(text, "web") is None or fold_result(text, "web").kind == "noise"
    prose = "\n".join(f"{word} stands here alone" for word in "abcdefghijklmnopqrstuvwxyz" * 3)
    made = _text(f"{prose}\nSee /srv/a/b.conf and PX-9912.\nend\nbye", "web", always=True)
    assert "a stands here alone" in made
    assert made.endswith("end\nbye")
    assert "/srv/a/b.conf" in made
    assert "PX-9912" in made


def test_html_is_never_folded_as_text() -> None:
    assert fold_result("<!doctype html><html><body><p>x" + "y" * 9_000, "web", always=True) is None


def test_large_files_give_way_to_their_path() -> None:
    small = "x" * 49_999
    assert fold_file("a.txt", small, "a:00000000") == small
    text = "# Notes\n" + "é" * 25_000
    made = fold_file("docs/notes.md", text, "a:1f3c9b2e", version="v3")
    assert made == (
        "[file docs/notes.md, 50,008 bytes, 2 lines, version v3, begins '# Notes'; expand, peek or grep "
        "ref=a:1f3c9b2e]"
    )


def test_an_offloaded_history_is_one_short_entry() -> None:
    archive = ObjectArchive()
    raws = [{"role": "user", "content": str(n)} for n in range(400)]
    made = offloaded(raws, archive, dates=("2026-01-02", "2026-02-03"))
    assert made.startswith("[400 earlier messages, 2026-01-02 to 2026-02-03 are in the archive; ")
    assert archive.get(made.rpartition("ref=")[2][:-1]) == raws
    assert estimate_tokens(made) <= 300


def _history() -> Json:
    long = "First this, then that. " * 40
    calls = [{"type": "tool_use", "id": "c1", "name": "read", "input": {"path": "a.py"}}]
    thought = {"type": "thinking", "thinking": f"{long}So I decided to use plan B."}
    signed = {"type": "thinking", "thinking": long, "signature": "s"}
    return [
        {"role": "user", "content": "go"},
        {"role": "assistant", "content": [thought, *calls]},
        {
            "role": "user",
            "content": [{"type": "tool_result", "tool_use_id": "c1", "content": "def f(): pass"}],
        },
        {"role": "assistant", "content": [signed, {"type": "text", "text": "done"}]},
        {"role": "user", "content": "thanks"},
    ]


def _numbered() -> Json:
    from dataclasses import replace

    return [replace(m, seq=n) for n, m in enumerate(read(_history(), "anthropic"))]


def test_reasoning_moves_out_and_leaves_its_conclusion() -> None:
    archive, history = ObjectArchive(), _numbered()
    made, changes = fold_reasoning(history, archive, keep=1)
    (block, _) = made[1].blocks
    assert block.text.startswith("So I decided to use plan B. [reasoning taken out, ref=a:")
    assert archive.get(block.origin) == history[1].blocks[0].text
    assert made[3] is history[3]  # signed thinking is kept whole
    assert [change.seq for change in changes] == [1]
    assert fold_reasoning(made, archive, keep=1)[1] == []


def test_turns_fold_into_one_line_each_by_level() -> None:
    archive, history = ObjectArchive(), _numbered()
    first = fold_turns(history, archive, level=1)
    assert first[1].startswith("read(a.py) → ok (ref=a:")
    assert len(first) == 4
    assert fold_turns(history, archive, level=2)[1].startswith("read (ref=a:")
    (one,) = fold_turns(history, archive, level=3)
    assert one.startswith("[4 turns, 5 messages, ref=a:")
    assert archive.get(one.rpartition("ref=")[2][:-1]) == _history()
