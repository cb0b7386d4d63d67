"""A run from its input to its manifest, broken off and gone on with."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import duckdb
import pytest
import zstandard

from batch.duplicates import DUPLICATES
from batch.engine import Sink
from batch.engine.local import LocalEngine
from batch.errors import EngineFailed, InputError, OutputDamaged, OutputTaken, RunDiffers
from batch.plan import DuplicateRules, Plan, Selection
from batch.read import Reading
from batch.rows import Row, RowError
from batch.run import Listeners, Outcome, Run
from batch.sources import Input
from batch.task import Task
from extractor.settings import ExtractorSettings
from tests.batch.killed import ALL
from tests.batch.pages import pages, plan, settings_for, write_list
from tests.browser.site import Routes, serve

#: What differs between two runs that are alike.
TIMES = ("fetched_at",)
ROOT = Path(__file__).parents[2]


def rows_in(out: Path) -> list[dict[str, object]]:
    """All rows in the order of their files, times left out."""
    found: list[dict[str, object]] = []
    for path in sorted((out / "rows").glob("*.jsonl.zst")):
        with zstandard.open(path, "rt", encoding="utf-8", newline="\n") as lines:
            found += map(json.loads, lines)
    for row in found:
        for name in TIMES:
            row.pop(name)
        if isinstance(row["rights"], dict):
            row["rights"].pop("recorded_at")
    return found


async def run_all(out: Path, source: Path, chosen: Plan, settings: ExtractorSettings) -> Outcome:
    with Run(out, Input(str(source)), chosen, settings) as run:
        return await run.run(LocalEngine(settings))


class Stopping:
    """An engine that ends after some rows, as a crash of its own would."""

    def __init__(self, settings: ExtractorSettings, after: int) -> None:
        self._settings, self._after = settings, after

    async def run(self, tasks: Iterator[Task], chosen: Plan, sink: Sink) -> None:
        first = (task for task, _ in zip(tasks, range(self._after), strict=False))
        await LocalEngine(self._settings).run(first, chosen, sink)
        raise RuntimeError("stopped")


async def test_every_line_has_a_row_in_every_format(tmp_path: Path) -> None:
    async with serve(pages(9)) as site:
        paths = [*(f"/{n}" for n in range(9)), "/missing"]
        source = write_list(tmp_path / "urls.txt", site, *paths)
        out, settings = tmp_path / "out", settings_for(site)
        done = await run_all(out, source, replace(plan(), output=ALL), settings)
    assert (done.shards, done.resumed) == (3, 0)
    assert done.outcomes == {"ok": 9, "http_404": 1}
    query = "select index, title, status, error.code from {} order by index"
    parquet = duckdb.sql(query.format(f"'{out}/rows/*.parquet'")).fetchall()
    jsonl = duckdb.sql(query.format(f"read_json_auto('{out}/rows/*.jsonl.zst')")).fetchall()
    expected = [*((n, f"Page {n}", 200, None) for n in range(9)), (9, None, 404, "http_404")]
    assert parquet == jsonl == expected
    manifest = json.loads((out / "manifest.json").read_text())
    assert manifest["complete"] is True
    assert manifest["counts"] == {"rows": 10, "ok": 9, "failed": 1}
    assert manifest["failures"] == {"http_404": 1}
    assert [[file["rows"] for file in shard["files"]] for shard in manifest["shards"]] == [
        [4, 4, 4],
        [4, 4, 4],
        [2, 2, 2],
    ]
    [letter] = map(json.loads, (out / "dead-letters.jsonl").read_text().splitlines())
    assert (letter["url"], letter["code"], letter["attempts"]) == (
        site.url("/missing"),
        "http_404",
        1,
    )


async def test_a_run_that_was_broken_off_goes_on_and_ends_the_same(tmp_path: Path) -> None:
    async with serve(pages(10)) as site:
        source = write_list(tmp_path / "urls.txt", site, *(f"/{n}" for n in range(10)))
        settings, chosen = settings_for(site), replace(plan(), output=ALL)
        await run_all(tmp_path / "whole", source, chosen, settings)
        site.seen.clear()
        for after in (3, 3):
            with (
                Run(tmp_path / "parts", Input(str(source)), chosen, settings) as run,
                pytest.raises(RuntimeError, match="stopped"),
            ):
                await run.run(Stopping(settings, after))
            manifest = json.loads((tmp_path / "parts" / "manifest.json").read_text())
            assert manifest["complete"] is False
        done = await run_all(
            tmp_path / "parts", source, replace(chosen, pace=plan().pace), settings
        )
        assert sorted(path for path, _ in site.seen) == [f"/{n}" for n in range(10)]
        assert (done.resumed, done.outcomes) == (6, {"ok": 10})
        assert rows_in(tmp_path / "parts") == rows_in(tmp_path / "whole")
        again = await run_all(tmp_path / "parts", source, chosen, settings)
        assert (again.resumed, len(site.seen)) == (10, 10)


async def test_what_repeats_is_named_in_the_end_and_again_when_the_rules_change(
    tmp_path: Path,
) -> None:
    words = " ".join(f"word{n} tide pier boat" for n in range(60))
    texts = [words, "something else entirely", words.replace("word30", "other"), words]
    routes: Routes = {f"/{n}": f"<main><p>{text}.</p></main>" for n, text in enumerate(texts)}
    async with serve(routes) as site:
        source = write_list(tmp_path / "urls.txt", site, *routes, "/missing", "/missing2")
        settings, chosen = settings_for(site), replace(plan(), output=ALL)
        await run_all(tmp_path / "out", source, chosen, settings)
        file, manifest = tmp_path / "out" / DUPLICATES, tmp_path / "out" / "manifest.json"
        assert not file.exists()
        asked = len(site.seen)
        for threshold, near in ((0.8, 1), (0.99, 0)):
            rules = DuplicateRules(threshold=threshold)
            done = await run_all(
                tmp_path / "out", source, replace(chosen, duplicates=rules), settings
            )
            assert done.duplicates == {"exact": 1, **({"near": 1} if near else {})}
            assert json.loads(manifest.read_text())["run"]["duplicates"] == done.duplicates
            found = list(map(json.loads, file.read_text().splitlines()))[1:]
            assert [one["index"] for one in found] == ([2, 3] if near else [3])
            assert {one["duplicate_of"] for one in found} == {0}
        assert len(site.seen) == asked


async def test_rows_do_not_depend_on_the_pace(tmp_path: Path) -> None:
    async with serve(pages(12)) as site:
        source = write_list(tmp_path / "urls.txt", site, *(f"/{n}" for n in range(12)))
        settings = settings_for(site)
        for name, pace in (
            ("slow", {"concurrency": 1}),
            ("fast", {"concurrency": 8, "per_host": 8}),
        ):
            chosen = replace(plan(**pace), output=ALL)
            await run_all(tmp_path / name, source, chosen, settings)
    assert rows_in(tmp_path / "slow") == rows_in(tmp_path / "fast")


async def test_another_input_or_plan_is_refused_by_name(tmp_path: Path) -> None:
    async with serve(pages(2)) as site:
        source = write_list(tmp_path / "urls.txt", site, "/0")
        out, settings = tmp_path / "out", settings_for(site)
        await run_all(out, source, plan(), settings)
        other = replace(plan(), selection=Selection(limit=1))
        with pytest.raises(RunDiffers, match=r"selection\.limit \(None there\)"):
            Run(out, Input(str(source)), other, settings)
        with pytest.raises(OutputTaken, match="holds a run"):
            Run(out, Input(str(source)), plan(), settings, resume=False)
        write_list(source, site, "/1")
        with pytest.raises(RunDiffers, match=r"input\.sha256"):
            Run(out, Input(str(source)), plan(), settings)


async def test_folders_that_cannot_be_used_are_refused(tmp_path: Path) -> None:
    async with serve(pages(1)) as site:
        source = write_list(tmp_path / "urls.txt", site, "/0")
        settings = settings_for(site)
        with pytest.raises(OutputTaken, match="other files"):
            Run(tmp_path, Input(str(source)), plan(), settings)
        with pytest.raises(InputError, match="missing"):
            Run(tmp_path / "out", Input(str(tmp_path / "missing.txt")), plan(), settings)
        await run_all(tmp_path / "out", source, plan(), settings)
        [shard] = (tmp_path / "out" / "rows").iterdir()
        shard.write_bytes(shard.read_bytes()[:-1])
        with pytest.raises(OutputDamaged, match="part-00000"):
            Run(tmp_path / "out", Input(str(source)), plan(), settings)


async def test_a_run_that_is_cancelled_keeps_what_it_has(tmp_path: Path) -> None:
    async def never(writer: asyncio.StreamWriter) -> None:
        await asyncio.sleep(60)

    async with serve({**pages(3), "/never": never}) as site:
        source = write_list(tmp_path / "urls.txt", site, "/0", "/never", "/1", "/2")
        settings, seen, three = settings_for(site), list[int](), asyncio.Event()
        loop = asyncio.get_running_loop()

        def on_row(row: object) -> None:
            seen.append(0)
            if len(seen) == 3:
                loop.call_soon_threadsafe(three.set)

        with Run(tmp_path / "out", Input(str(source)), plan(), settings) as run:
            going = asyncio.create_task(run.run(LocalEngine(settings), Listeners(row=on_row)))
            await three.wait()
            going.cancel()
            with pytest.raises(asyncio.CancelledError):
                await going
            assert run.so_far() == {"ok": 3}
        site.routes["/never"] = "<p>At last"
        done = await run_all(tmp_path / "out", source, plan(), settings)
    assert (done.resumed, done.outcomes) == (3, {"ok": 4})


async def test_kill_9_loses_nothing_and_does_nothing_twice(tmp_path: Path) -> None:
    async with serve(pages(10)) as site:
        source = write_list(tmp_path / "urls.txt", site, *(f"/{n}" for n in range(10)))
        out, settings, chosen = tmp_path / "out", settings_for(site), replace(plan(), output=ALL)
        await run_all(tmp_path / "whole", source, chosen, settings)
        # After the second row; between the files of the first shard; with its last one in place.
        program = [
            sys.executable,
            "-m",
            "tests.batch.killed",
            str(out),
            str(source),
            str(site.port),
        ]
        killed = await asyncio.create_subprocess_exec(
            *program, "row:2", "file:1", "file:2", cwd=ROOT, stdout=asyncio.subprocess.DEVNULL
        )
        assert await killed.wait() == 0
        (out / "rows" / ".part-00001.parquet.tmp").write_bytes(b"PAR1half")
        done = await run_all(out, source, chosen, settings)
    assert done.outcomes == {"ok": 10}
    assert done.resumed >= 4
    assert rows_in(out) == rows_in(tmp_path / "whole")
    found = sorted(path.name for folder in ("rows", "warc") for path in (out / folder).iterdir())
    assert found == sorted(
        f"part-0000{n}.{end}" for n in range(3) for end in ("jsonl.zst", "parquet", "warc.gz")
    )
    [(count,)] = duckdb.sql(f"select count(distinct index) from '{out}/rows/*.parquet'").fetchall()
    assert count == 10


async def test_an_input_that_ends_the_run_says_so_itself(tmp_path: Path) -> None:
    source = tmp_path / "urls.csv"
    source.write_text("url\nnonsense\n")
    settings = ExtractorSettings()
    with (
        Run(tmp_path / "out", Input(str(source)), plan(), settings) as run,
        pytest.raises(InputError, match="no usable entry"),
    ):
        await run.run(LocalEngine(settings))


class Careless:
    """An engine that gives rows twice, may leave one out, and may blame the machine for one."""

    def __init__(self, lost: int = -1, broken: int = -1) -> None:
        self._lost, self._broken = lost, broken

    async def run(self, tasks: Iterator[Task], chosen: Plan, sink: Sink) -> None:
        missing = RowError("browser_missing", "There is no Chromium.", "connect", retryable=False)
        for task in list(tasks):
            if task.index != self._lost:
                error = missing if task.index == self._broken else None
                row = Row(task.index, task.key, task.url, error=error)
                await sink.put(Reading(row))
                await sink.put(Reading(row))


async def test_what_an_engine_does_wrong_is_no_fault_of_the_pages(tmp_path: Path) -> None:
    source = tmp_path / "urls.txt"
    source.write_text("".join(f"http://a.example/{n}\n" for n in range(6)))
    settings, chosen = ExtractorSettings(), replace(plan(), output=ALL)
    with Run(tmp_path / "out", Input(str(source)), chosen, settings) as run:
        with pytest.raises(EngineFailed, match="There is no Chromium"):
            await run.run(Careless(broken=1))
        with pytest.raises(EngineFailed, match="left out 1 rows"):
            await run.run(Careless(lost=2))
        manifest = json.loads((tmp_path / "out" / "manifest.json").read_text())
        assert (manifest["complete"], manifest["counts"]["rows"]) == (False, 2)
        done = await run.run(Careless())
    assert (done.outcomes, done.resumed, done.shards) == ({"ok": 6}, 5, 2)
    assert [row["index"] for row in rows_in(tmp_path / "out")] == list(range(6))
