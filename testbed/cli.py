"""``pagefold testbed``: compare filters over pages whose content is known, and compactors over histories."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated, NoReturn

import typer
from rich.console import Console

from testbed.compare import importers, table
from testbed.compare.filters import choose, names
from testbed.compare.kept import run_kept
from testbed.compare.pages import GoldPage, digest
from testbed.compare.run import TIMEOUT_S, Plan, Row, run
from testbed.compare.source import Missing
from testbed.progress import bar
from testbed.replay.command import compact_command, compactors_command

app = typer.Typer(
    help="Compare filters and compactors, fairly.", no_args_is_help=True, add_completion=False
)
app.command("compact")(compact_command)
app.command("compactors")(compactors_command)


@app.command("filters")
def filters_command() -> None:
    """List the filters there are, and why one cannot be had here."""
    for name in names():
        _, absent = choose([name])
        typer.echo(f"{name:24} {absent.get(name, 'ready')}")


@app.command("run")
def run_command(
    data: Annotated[Path, typer.Option(help="Folder of one data set or of several.")],
    filters: Annotated[str, typer.Option(help="Names with commas, name:form, or all.")] = "all",
    budgets: Annotated[str, typer.Option(help="Characters, with commas; 0 is no budget.")] = "0",
    out: Annotated[Path | None, typer.Option(help="Folder for report, rows and table.")] = None,
    only: Annotated[str, typer.Option(help="Only these data sets, with commas.")] = "",
    limit: Annotated[int, typer.Option(help="So many pages a data set, evenly spread.", min=0)] = 0,
    jobs: Annotated[int, typer.Option(help="Processes.", min=1)] = os.cpu_count() or 1,
    timeout: Annotated[int, typer.Option(help="Seconds a filter may take a page.")] = TIMEOUT_S,
    twice: Annotated[bool, typer.Option(help="Run all again, and compare outputs.")] = False,
    keep: Annotated[
        Path | None, typer.Option(help="Folder of rows: what it has is not run again.")
    ] = None,
) -> None:
    """Run filters over pages; print a table, and write report.html and results.parquet."""
    console = Console(width=None if os.isatty(1) else 200)
    plan = Plan(tuple(filters.split(",")), _numbers(budgets), timeout, jobs, twice)
    try:
        chosen, absent = choose(plan.filters)
        pages = _spread(importers.read(data), only, limit)
    except (Missing, importers.LayoutError) as error:
        _fail(str(error))
    for label, why in absent.items():
        console.print(f"without {label}: {why}")
    if not chosen or not pages:
        _fail("nothing to run: no filter is ready, or no page was chosen")
    rows = _with_progress(pages, plan, keep)
    table.show(rows, console)
    console.print(f"{len(pages)} pages, data {digest(pages)[:16]}")
    if out is not None:
        _write(rows, pages, out)
        console.print(f"written: {out}/report.html, results.parquet, table.md")


def _with_progress(pages: list[GoldPage], plan: Plan, keep: Path | None) -> list[Row]:
    with bar() as progress:
        task = progress.add_task("pages", total=len(pages))
        if keep is not None:
            return run_kept(pages, plan, keep, done=lambda page: progress.advance(task))
        return run(pages, plan, done=lambda page, rows: progress.advance(task))


def _write(rows: list[Row], pages: list[GoldPage], out: Path) -> None:
    from testbed.compare import parquet, report  # what only a written report needs

    out.mkdir(parents=True, exist_ok=True)
    (out / "table.md").write_text(table.markdown(rows), encoding="utf-8")
    (out / "report.html").write_text(report.html(rows, pages), encoding="utf-8")
    parquet.write(rows, out / "results.parquet")


def _spread(pages: list[GoldPage], only: str, limit: int) -> list[GoldPage]:
    wanted = set(filter(None, only.split(",")))
    sets: dict[str, list[GoldPage]] = {}
    for page in pages:
        if not wanted or page.dataset in wanted:
            sets.setdefault(page.dataset, []).append(page)
    if missing := wanted - set(sets):
        raise importers.LayoutError(f"no data set {', '.join(sorted(missing))}")
    return [page for each in sets.values() for page in _evenly(each, limit)]


def _evenly(pages: list[GoldPage], limit: int) -> list[GoldPage]:
    if not limit or limit >= len(pages):
        return pages
    return [pages[number * len(pages) // limit] for number in range(limit)]


def _numbers(text: str) -> tuple[int, ...]:
    try:
        return tuple(int(each) for each in text.split(","))
    except ValueError:
        _fail(f"budgets are whole numbers with commas between, not {text!r}")


def _fail(message: str) -> NoReturn:
    typer.echo(f"pagefold testbed: {message}", err=True)
    raise typer.Exit(2)


if __name__ == "__main__":
    app()
