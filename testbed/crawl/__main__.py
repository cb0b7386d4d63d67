"""The batch scraper over the small web: ``python -m testbed.crawl serve|run|killed|memory|archive``.

``run`` reads it once, ``killed`` with kills at random moments; both compare what came of it with what must,
and ``killed`` its rows with those of a run that nobody kills.
``memory`` reads one kind of page and shows what the run holds meanwhile, ``archive`` reads a web archive
with both engines.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from testbed.crawl.addresses import SmallWeb
from testbed.crawl.archive import compare, passes_differ
from testbed.crawl.course import Course, killed_often, served
from testbed.crawl.judge import (
    VARYING,
    Findings,
    differences,
    judge_manners,
    judge_rows,
    judge_shards,
    rows_of,
)
from testbed.crawl.log import read_log
from testbed.crawl.memory import MOST_GROWTH, growth, watched
from testbed.crawl.server import serving

_FORMATS = ("--format", "jsonl", "--format", "parquet", "--warc")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; 0 when everything is as it must be."""
    parser = argparse.ArgumentParser(prog="python -m testbed.crawl", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    serve = commands.add_parser("serve", help="serve it until ended; prints the port")
    serve.add_argument("--port", type=int, default=0)
    serve.add_argument("--log", type=Path)
    run = commands.add_parser("run", help="read it and judge the rows")
    killed = commands.add_parser(
        "killed", help="the same, with kill -9 at random moments, and beside a run without"
    )
    killed.add_argument("--kills", type=int, default=10)
    killed.add_argument("--seed", type=int, default=1)
    memory = commands.add_parser("memory", help="whether memory stays flat over one kind of page")
    memory.add_argument("--every", type=int, default=1_000)
    archive = commands.add_parser("archive", help="read a web archive with both engines; needs Ray")
    archive.add_argument("warc", type=Path)
    archive.add_argument("--limit", type=int, default=2_000, help="answers of it")
    for each in (serve, run, killed, memory):
        each.add_argument("--pages", type=int, default=5_000)
        each.add_argument("--only", help="one kind of page alone")
    for each in (run, killed, memory, archive):
        each.add_argument("--out", type=Path, help="new folder; a temporary one by default")
    for each in (run, killed, memory):
        each.add_argument("--deadline", type=float, default=20.0, help="seconds for one page")
        each.add_argument("options", nargs="*", help="after --: options of pagefold batch")
    chosen = parser.parse_args(arguments)
    if chosen.command == "serve":
        with contextlib.suppress(KeyboardInterrupt):
            asyncio.run(_serve(chosen))
        return 0
    with contextlib.ExitStack() as stack:
        folder = chosen.out or Path(stack.enter_context(tempfile.TemporaryDirectory()))
        folder.mkdir(parents=True, exist_ok=True)
        return _report(_COMMANDS[chosen.command](chosen, folder))


async def _serve(chosen: argparse.Namespace) -> None:
    async with serving(chosen.pages, port=chosen.port, only=chosen.only, log=chosen.log) as web:
        print(web.port, flush=True)
        await asyncio.Event().wait()


def _memory(chosen: argparse.Namespace, folder: Path) -> Findings:
    with served(chosen.pages, folder / "log", only=chosen.only) as web:
        seen = watched(_course(chosen, web, folder), chosen.every)
    grown, found = growth(seen), Findings()
    found.facts["last quarter over the second"] = round(grown, 3)
    if grown > MOST_GROWTH:
        found.problems.append(f"memory grows: x {grown:.3f}")
    return found


def _course(chosen: argparse.Namespace, web: SmallWeb, folder: Path) -> Course:
    return Course(
        web,
        folder,
        options=(*_FORMATS, *chosen.options),
        settings={"PAGEFOLD_DEADLINE_S": str(chosen.deadline)},
    )


def _run(chosen: argparse.Namespace, folder: Path) -> Findings:
    log = folder / "log"
    with served(chosen.pages, log, only=chosen.only) as web:
        course = _course(chosen, web, folder)
        told = killed_often(course, chosen.kills, chosen.seed) if chosen.command == "killed" else []
        if not told:
            course.finish()
        found = judge(course, log)
        found.facts["rows before each kill"] = told
        asked = len(read_log(log))
        course.finish()
        found.want("requests by a run that is over", len(read_log(log)) - asked, 0)
    if told:
        beside_clean(course, found)
    return found


def beside_clean(course: Course, found: Findings) -> None:
    """Read the same addresses anew, without a kill, and note each row that is another one.

    The web is served afresh, at the same port: it counts how often it was asked.
    """
    folder = course.folder / "clean"
    folder.mkdir()
    with served(course.web.pages, folder / "log", only=course.web.only, port=course.web.port):
        clean = replace(course, folder=folder)
        clean.finish()
    rows = rows_of(clean.out)
    found.problems += differences(rows, rows_of(course.out), "killed")
    found.facts["rows compared with a run without kills"] = len(rows)
    found.facts["columns not compared"] = f"{', '.join(VARYING)}, times in rights"


def _archive(chosen: argparse.Namespace, folder: Path) -> Findings:
    passes = compare(chosen.warc, folder, chosen.limit)
    found = Findings(problems=passes_differ(passes))
    first = passes[0]
    print("| engine | rows | time, local = 1 | processor time, local = 1 |\n|---|---|---|---|")
    for each in passes:
        wall, cpu = each.wall_s / first.wall_s, each.cpu_s / first.cpu_s
        print(f"| {each.name} | {len(each.rows)} | {wall:.2f} | {cpu:.2f} |")
    return found


def judge(course: Course, log: Path, per_host: int = 2) -> Findings:
    """Everything that can be said of a run that is over; ``--render`` among its options means scripts."""
    scripts = "--render" in course.options
    found = judge_rows(course.web, course.chosen, rows_of(course.out), scripts=scripts)
    judge_shards(course.out, found)
    judge_manners(read_log(log), per_host, found)
    return found


_COMMANDS = {"run": _run, "killed": _run, "memory": _memory, "archive": _archive}


def _report(found: Findings) -> int:
    for name, value in found.facts.items():
        print(f"{name}: {value}")
    for problem in found.problems[:40]:
        print(f"WRONG: {problem}")
    print(f"{len(found.problems)} problems")
    return 1 if found.problems else 0


if __name__ == "__main__":
    sys.exit(main())
