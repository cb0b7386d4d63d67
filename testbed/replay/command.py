"""``pagefold testbed compact``: compactors compared over recorded histories."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated, NoReturn

import typer
from rich.console import Console

from testbed.compare.source import Missing
from testbed.progress import bar
from testbed.replay import table
from testbed.replay.compactors import choose, names
from testbed.replay.recordings import LONG_CHARS, Recording, recordings
from testbed.replay.run import Plan, Row, Size, budgets_for, run


def compact_command(
    data: Annotated[Path, typer.Option(help="Folder of recorded histories (JSON).")],
    compactors: Annotated[str, typer.Option(help="Names with commas, or all.")] = "all",
    budgets: Annotated[
        str, typer.Option(help="Shares of a history or characters, with commas.")
    ] = "30%,15%,18000",
    out: Annotated[Path | None, typer.Option(help="Folder for report, rows and table.")] = None,
    only: Annotated[
        str, typer.Option(help="Only histories whose name starts so, with commas.")
    ] = "",
    limit: Annotated[int, typer.Option(help="So many histories, the longest.", min=0)] = 0,
    seed: Annotated[int, typer.Option(help="Where facts are planted, and which.")] = 0,
    plant_from: Annotated[
        int, typer.Option(help="Characters from which on a history carries planted facts.", min=1)
    ] = LONG_CHARS,
) -> None:
    """Replay recorded agents through compactors; print a table, write report.html and results.parquet."""
    console = Console(width=None if os.isatty(1) else 240)
    if not data.is_dir():
        _fail(f"there is no folder {data}")
    try:
        openers, absent = choose(compactors.split(","))
    except Missing as error:
        _fail(str(error))
    for name, why in absent.items():
        console.print(f"without {name}: {why}", highlight=False)
    plan = Plan(openers, _sizes(budgets), seed, plant_from)
    chosen = _chosen(data, only, limit)
    steps = sum(len(budgets_for(each, plan.sizes)) for each in chosen) * len(openers)
    if not steps:
        _fail(
            "nothing to replay: no history there is larger than a budget, or no compactor is ready"
        )
    with bar() as progress:
        task = progress.add_task("replays", total=steps)
        rows = run(chosen, plan, done=lambda name: progress.advance(task))
    table.show(rows, console)
    if out is not None:
        _write(rows, out)
        console.print(f"written: {out}/report.html, results.parquet, table.md")


def compactors_command() -> None:
    """List the compactors there are, and why one cannot be had here."""
    for name in names():
        _, absent = choose([name])
        typer.echo(f"{name:24} {absent.get(name, 'ready')}")


def _chosen(data: Path, only: str, limit: int) -> list[Recording]:
    starts = tuple(filter(None, only.split(",")))
    found = [each for each in recordings(data) if not starts or each.name.startswith(starts)]
    if limit:
        longest = sorted(found, key=lambda each: -each.chars)[:limit]
        found = [each for each in found if each in longest]
    return found


def _sizes(text: str) -> tuple[Size, ...]:
    try:
        sizes = tuple(_size(part.strip()) for part in text.split(","))
    except ValueError:
        sizes = ()
    if not sizes or any(not 0 <= size.share < 1 or size.chars < 0 for size in sizes):
        _fail(f"budgets are shares under 100% or whole numbers with commas between, not {text!r}")
    return sizes


def _size(part: str) -> Size:
    if part.endswith("%"):
        return Size(part, share=float(part[:-1]) / 100)
    return Size(f"{int(part):,}", chars=int(part))


def _write(rows: list[Row], out: Path) -> None:
    from testbed.replay import parquet, report  # what only a written report needs

    out.mkdir(parents=True, exist_ok=True)
    (out / "table.md").write_text(table.markdown(rows), encoding="utf-8")
    (out / "report.html").write_text(report.html(rows), encoding="utf-8")
    parquet.write(rows, out / "results.parquet")


def _fail(message: str) -> NoReturn:
    typer.echo(f"pagefold testbed: {message}", err=True)
    raise typer.Exit(2)
