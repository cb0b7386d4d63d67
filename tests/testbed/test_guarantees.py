"""The checks of the fold's guarantees notice what they are there to notice."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from testbed.conservation import KINDS, check, pages_under
from testbed.guarantees import (
    StuckUnfold,
    agrees_with_second_parser,
    is_fixpoint,
    put_back,
    text_of,
    visible_text_of,
)

MARKER = '<pf-fold ref="f1" items="1" chars="3" what="a > b"></pf-fold>'


def _document(body: str) -> str:
    return f"<!DOCTYPE html><html><head><title>T</title></head><body>{body}</body></html>"


def test_markers_are_replaced_until_none_is_left() -> None:
    parts = {"f1": _document(f"<p>two</p>{MARKER.replace('f1', 'f2')}"), "f2": _document("three")}
    assert text_of(put_back(_document(f"one {MARKER}"), parts.__getitem__)) == "onetwothree"


def test_a_part_that_folds_into_itself_is_noticed() -> None:
    with pytest.raises(StuckUnfold):
        put_back(_document(MARKER), lambda _: _document(MARKER))


def test_hidden_text_is_no_visible_text() -> None:
    html = _document(
        'a<div data-pf-h="display">b</div><p data-pf-t="contrast">c<b>d</b></p><i data-pf-c="tab">e</i>'
    )
    assert visible_text_of(html) == "ade"
    assert text_of(html) == "abcde"


def test_markup_that_a_parser_would_change_is_no_fixpoint() -> None:
    assert is_fixpoint(_document("<p>x</p>"))
    assert not is_fixpoint(_document("<p><div>x</div></p>"))
    assert agrees_with_second_parser(_document("<p>x</p>"))


def test_a_page_is_checked_at_every_budget_in_every_format(tmp_path: Path) -> None:
    folder = tmp_path / "data" / "extraction" / "own" / "pages"
    folder.mkdir(parents=True)
    rows = "".join(f"<li>row {n} of the ledger in blue ink</li>" for n in range(400))
    page = _document(f"<main><h1>Ledger</h1><ul>{rows}</ul></main>")
    (folder / "a.html.gz").write_bytes(gzip.compress(page.encode()))
    (path,) = pages_under(tmp_path, None, None)
    done = check(path)
    assert (done.name, done.outputs, done.failed) == ("own/a", 9, ())


def test_a_crash_is_counted_not_raised(tmp_path: Path) -> None:
    path = tmp_path / "own" / "pages" / "empty.html.gz"
    path.parent.mkdir(parents=True)
    path.write_bytes(gzip.compress(b""))
    (failure,) = check(path).failed
    assert failure.split(":")[0] in KINDS
