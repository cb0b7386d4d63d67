"""``python -m testbed.bench``: every row of the benchmark, its pairs taken in turn in one run.

Prints a Markdown table; with ``--out`` also writes ``bench.json`` and ``bench.md`` there. Ratios are worth
quoting; milliseconds are this machine's. Peers that are not there are skipped by name: Python packages come
with the ``eval`` extra, ``PAGEFOLD_CRAWL4AI_PYTHON`` names a Python that has crawl4ai, and
``PAGEFOLD_GENERICAGENT`` a folder with GenericAgent's ``simphtml.py``. ``PAGEFOLD_BENCH_POSTGRES`` is the URL
of an empty PostgreSQL database for the rows that want one.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from api.demo import DemoServer
from testbed.bench import machine, report
from testbed.bench.fetchers import Fetchers
from testbed.bench.in_page import LARGE, budget_first_rows, in_page_row
from testbed.bench.in_page import SIZES as IN_PAGE
from testbed.bench.requests import Ground, building_row, request_rows, side_by_side_rows
from testbed.bench.row import Row
from testbed.bench.sessions import append_row
from testbed.bench.site import DEMO, serving
from testbed.bench.static_path import SIZES as STAGES
from testbed.bench.static_path import peers_rows, real_stages_row, sample, stages_row
from testbed.bench.traces import trace_rows
from testbed.conservation import SHARED

ROUNDS, QUICK_ROUNDS = 9, 2
_WCXB = SHARED / "data" / "extraction" / "wcxb"
_GROUPS = (
    "requests",
    "building",
    "together",
    "in-page",
    "budget-first",
    "stages",
    "static",
    "append",
    "trace",
)


@contextmanager
def _ground(rounds: int, *, quick: bool) -> Iterator[Ground]:
    folder = tempfile.TemporaryDirectory(prefix="pagefold-")
    with folder as data, DemoServer(0) as demo, serving() as site:
        hosts = (f"127.0.0.1:{demo.port}", f"127.0.0.1:{site.port}")
        names = DEMO[:2] if quick else DEMO
        urls = [f"{demo.url}/{name}" for name in names]
        large = 1_000 if quick else 10_000
        yield Ground(Fetchers(hosts, Path(data)), urls, site, rounds, large)


def measured(groups: Sequence[str], rounds: int, *, quick: bool, pages: int) -> list[Row]:
    """Rows of the groups asked for; ``quick`` takes the smallest pages of each."""
    most = 10_000 if quick else 200_000
    with _ground(rounds, quick=quick) as ground:
        ways: dict[str, Callable[[], list[Row]]] = {
            "requests": lambda: request_rows(ground),
            "building": lambda: [building_row(ground)],
            "together": lambda: side_by_side_rows(ground),
            "in-page": lambda: [
                asyncio.run(
                    in_page_row(ground.site, rounds, [size for size in IN_PAGE if size <= most])
                )
            ],
            "budget-first": lambda: asyncio.run(
                budget_first_rows(ground.site, rounds, LARGE[:1] if quick else LARGE)
            ),
            "stages": lambda: [stages_row(rounds, [size for size in STAGES if size <= most])],
            "static": lambda: _static(rounds, pages),
            "trace": lambda: trace_rows(1_000 if quick else 100_000),
            "append": lambda: [append_row(rounds, 100 if quick else 1_600)],
        }
        rows = []
        for group in groups:
            print(f"bench: {group}", file=sys.stderr, flush=True)
            rows += ways[group]()
        return rows


def _static(rounds: int, count: int) -> list[Row]:
    pages = sample(_WCXB, count)
    if not pages:
        why = f"no pages under {_WCXB}; PAGEFOLD_SHARED names the folder of the data"
        return [Row("static path, real pages", "others", skipped=why)]
    return [real_stages_row(pages, rounds), *peers_rows(pages, rounds)]


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the table; the exit code says nothing about the figures."""
    parser = argparse.ArgumentParser(prog="python -m testbed.bench", description=__doc__)
    parser.add_argument("--rounds", type=int, help=f"pairs a figure (default {ROUNDS})")
    parser.add_argument("--quick", action="store_true", help="two rounds over the smallest pages")
    parser.add_argument("--only", nargs="+", choices=_GROUPS, default=_GROUPS, metavar="GROUP")
    parser.add_argument("--pages", type=int, default=60, help="real pages of the static rows")
    parser.add_argument("--out", type=Path, help="folder for bench.json and bench.md")
    given = parser.parse_args(arguments)
    rounds = given.rounds or (QUICK_ROUNDS if given.quick else ROUNDS)
    about = machine.described()
    count = min(given.pages, 6) if given.quick else given.pages
    rows = measured(given.only, rounds, quick=given.quick, pages=count)
    table = report.as_markdown(rows, about, rounds)
    print(table)
    if given.out:
        given.out.mkdir(parents=True, exist_ok=True)
        (given.out / "bench.md").write_text(table, "utf-8")
        (given.out / "bench.json").write_text(report.as_json(rows, about, rounds), "utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
