"""The benchmark's own arithmetic and plumbing: what it would print for measurements that are known."""

from __future__ import annotations

import json
import math
import sys
from pathlib import Path

import pytest

from testbed.bench import __main__ as bench
from testbed.bench import fetchers, processes, report
from testbed.bench.row import Pairs, Row, quartiles, single
from testbed.bench.static_path import sample, stages_row
from testbed.bench.worker import Worker, WorkerFailed
from testbed.compare.other_process import CRAWL4AI_ENV

#: A fetcher that works for a while on each page, in a process of its own, and says what it was asked.
FETCHER = """
import asyncio, subprocess, sys
from testbed.bench.workers.loop import serve
BUSY = "import time\\nwhile time.process_time() < 0.3: pass"
async def fetch(url, mode):
    if url == "bad":
        raise ValueError("no such page")
    if url == "busy":
        subprocess.run([sys.executable, "-c", BUSY], check=True)
    return f"{url} in {mode}"
print("a library says hello", flush=True)
asyncio.run(serve(fetch))
"""


def worker(script: str = FETCHER) -> Worker:
    root = str(Path(__file__).parents[2])
    return Worker("test", [sys.executable, "-c", script], {"PYTHONPATH": root})


def test_a_ratio_is_the_median_of_the_rounds_not_of_the_medians() -> None:
    pairs = Pairs("ms", goal=1.1)
    for ours, theirs in ((2.0, 1.0), (30.0, 20.0), (9.0, 10.0)):
        pairs.add(ours, theirs)
    figure = pairs.figure()
    assert (figure.ours, figure.theirs, figure.ratio) == (9.0, 10.0, 1.5)
    assert figure.rounds == (2.0, 1.5, 0.9)
    assert figure.reached is False


def test_how_many_times_faster_is_theirs_over_ours() -> None:
    pairs = Pairs("ms", goal=5.0, at_least=True, theirs_over_ours=True)
    pairs.add(2.0, 12.0)
    assert pairs.figure().ratio == 6.0
    assert pairs.figure().reached is True


def test_the_spread_is_between_quartiles() -> None:
    assert quartiles([1.0, 2.0, 3.0, 4.0, 5.0]) == (2.0, 4.0)
    assert quartiles([7.0]) == (7.0, 7.0)


def test_what_stands_alone_is_held_to_its_own_goal() -> None:
    figure = single("ms a message", [0.2, 0.4, 0.9], 0.5)
    assert (figure.ratio, figure.reached) == (0.4, True)
    assert math.isnan(figure.theirs)


def test_the_table_marks_goals_that_are_missed_and_names_what_was_skipped() -> None:
    missed, reached = single("slow", [2.0], 1.0), single("fast", [0.5], 1.0)
    rows = [Row("one", "-", (missed, reached)), Row("two", "peer", skipped="peer: not installed")]
    table = report.as_markdown(rows, {"python": "3"}, 9)
    assert "| slow | 2.00 | - |  |  | 2.00 – 2.00 | **≤ 1** |" in table
    assert "| fast | 0.5 | - |  |  | 0.5 – 0.5 | ≤ 1 |" in table
    assert "| two | skipped |" in table
    assert "peer: not installed" in table
    read = json.loads(report.as_json(rows, {"python": "3"}, 9))
    assert read["rows"][0]["figures"][0]["theirs"] is None


def test_a_fetcher_is_charged_for_its_children() -> None:
    with worker() as fetcher:
        idle = fetcher.fetch(["quiet"])
        busy = fetcher.fetch(["busy"], memory=True)
    assert idle.chars == (len("quiet in page"),)
    assert busy.cpu_s - idle.cpu_s > 0.25
    assert busy.wall_s > 0.25
    assert busy.pss_mb > 1


def test_a_page_that_cannot_be_read_is_no_measurement() -> None:
    with worker() as fetcher, pytest.raises(WorkerFailed, match="bad: ValueError: no such page"):
        fetcher.fetch(["good", "bad"], concurrency=2)


def test_a_fetcher_that_does_not_start_says_so() -> None:
    with pytest.raises(WorkerFailed, match="test ended"), worker("raise SystemExit(3)"):
        pass


def test_what_was_looked_for_is_reported_page_by_page() -> None:
    with worker() as fetcher:
        assert fetcher.fetch(["a", "b"], needle="b in", mode="built").found == (False, True)


def test_peers_that_are_not_there_are_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in (CRAWL4AI_ENV, fetchers.GENERICAGENT_ENV):
        monkeypatch.delenv(name, raising=False)
    without = fetchers.Fetchers(("127.0.0.1:1",), tmp_path)
    assert CRAWL4AI_ENV in str(without.crawl4ai())
    assert fetchers.GENERICAGENT_ENV in str(without.genericagent())
    assert sample(tmp_path / "nothing", 5) == []


def test_growth_is_an_exponent() -> None:
    row = stages_row(1, (200, 400))
    assert [figure.what for figure in row.figures][-1] == "exponent of growth, 200 to 400 nodes"
    assert all(figure.ours > 0 for figure in row.figures[:-1])


def test_a_run_prints_and_writes_its_table(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert bench.main(["--quick", "--rounds", "1", "--only", "append", "--out", str(tmp_path)]) == 0
    printed = capsys.readouterr().out
    assert (tmp_path / "bench.md").read_text("utf-8") == printed.removesuffix("\n")
    assert "| append to a session | CPU ms a message" in printed
    about = json.loads((tmp_path / "bench.json").read_text("utf-8"))["machine"]
    assert {"date", "commit", "machine", "python", "browser"} <= set(about)


def test_time_of_a_process_that_is_gone_is_none() -> None:
    assert processes.tree(2**22 + 1) == [2**22 + 1]
    assert processes.cpu_s(2**22 + 1) == 0.0
