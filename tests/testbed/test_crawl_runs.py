"""``pagefold batch`` over the small web, killed twice and gone on with: every row is there once, and right,
and the same as in a run that nobody kills."""

from __future__ import annotations

from pathlib import Path

import pytest

from testbed.crawl.__main__ import beside_clean, judge
from testbed.crawl.course import Course, killed_often, served
from testbed.crawl.judge import differences, judge_rows
from testbed.crawl.log import read_log

#: They take time by the clock; longer runs have them: ``python -m testbed.crawl killed``.
_SLOW = ("slow", "stalled", "huge", "broken", "reset", "flaky")


@pytest.mark.timeout(400)
def test_rows_are_right_after_two_kills(tmp_path: Path) -> None:
    log = tmp_path / "log"
    with served(97, log) as web:
        chosen = tuple(index for index in range(97) if web.kind(index) not in _SLOW)
        options = ("--format", "jsonl", "--format", "parquet", "--warc", "--shard-rows", "20")
        course = Course(web, tmp_path, chosen, options)
        killed_often(course, 2)
        found = judge(course, log)
    beside_clean(course, found)

    assert found.problems == []
    assert found.facts["rows compared with a run without kills"] == len(chosen)
    assert found.outcomes.total() == len(chosen)
    assert len(read_log(log)) > found.outcomes["ok"] > 50


def test_what_is_lost_twice_or_wrong_is_found(tmp_path: Path) -> None:
    with served(97, tmp_path / "log") as web:
        pages = [each for each in web if each.kind == "page" and each.outcome == "ok"][:3]
    rows = [
        {
            "url": each.url,
            "status": 200,
            "final_url": each.final_url,
            "text": each.phrase,
            "error": None,
        }
        for each in pages
    ]
    indexes = [each.index for each in pages]
    assert judge_rows(web, indexes, rows, scripts=True).problems == []

    lost = judge_rows(web, indexes, rows[1:], scripts=True).problems
    assert f"lost: {pages[0].url}" in lost
    assert judge_rows(web, indexes, [*rows, rows[0]], scripts=True).problems == [
        "rows: 4, not 3",
        "ok: 4, not 3",
    ]
    rows[2] = rows[2] | {"text": "another page's"}
    [wrong] = judge_rows(web, indexes, rows, scripts=True).problems
    assert pages[2].phrase in wrong


def test_rows_that_differ_are_named_with_their_columns() -> None:
    rows = [{"url": "http://a/", "text": "one", "lang": "en"}, {"url": "http://b/", "text": "two"}]
    assert differences(rows, rows, "killed") == []
    other = [rows[0] | {"text": "1", "lang": ""}, rows[1], rows[1]]
    assert differences(rows, other, "killed") == [
        "killed: 3 rows, not 2",
        "killed: http://a/ differs in lang, text",
    ]
    assert differences(rows, [rows[0], {"url": "http://b/"}], "killed") == [
        "killed: http://b/ differs in text"
    ]
