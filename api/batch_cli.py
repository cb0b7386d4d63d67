"""``pagefold batch INPUT --out DIR``: many pages in, a data set out."""

from __future__ import annotations

import logging
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Literal, NoReturn

import typer

from api.logs import configure_logs

Kind = Literal["auto", "text", "csv", "jsonl", "sitemap", "warc", "wacz"]
Render = Literal["static", "browser", "auto"]


class RowForm(StrEnum):
    """Formats of rows. An enumeration, since Typer takes no list of literals."""

    jsonl = "jsonl"
    parquet = "parquet"


#: Exit codes besides 0 (every row has a page), 1 (a typed failure) and 2 (wrong usage).
SOME_FAILED = 3
INTERRUPTED = 130
_STATIC_PAGES = 16


def batch_command(
    source: Annotated[
        str,
        typer.Argument(metavar="INPUT", help="File, - for standard input, or address of a list."),
    ],
    out: Annotated[Path, typer.Option(help="Folder of the data set; an existing run goes on.")],
    kind: Annotated[Kind, typer.Option(help="Of the input; by its name.")] = "auto",
    column: Annotated[str, typer.Option(help="Column with the address, in CSV and JSONL.")] = "url",
    repeats: Annotated[
        Literal["auto", "skip", "keep"],
        typer.Option(help="Addresses that came before; auto keeps them in archives alone."),
    ] = "auto",
    records: Annotated[
        Literal["html", "listed", "all"], typer.Option(help="Answers of an archive that are read.")
    ] = "html",
    forms: Annotated[
        list[RowForm] | None,
        typer.Option("--format", help="Of the rows; may be given several times.  [default: jsonl]"),
    ] = None,
    warc: Annotated[bool, typer.Option("--warc", help="Keep raw answers, as WARC 1.1.")] = False,
    shard_rows: Annotated[int, typer.Option(min=1, help="Rows of one file.")] = 1_000,
    render: Annotated[Render, typer.Option(help="Use a browser, or no scripts.")] = "static",
    filter_name: Annotated[
        str, typer.Option("--filter", help="What chooses content.")
    ] = "pagefold",
    budget: Annotated[
        int, typer.Option(min=0, help="Most characters of each content; 0: no limit.")
    ] = 0,
    main_only: Annotated[bool, typer.Option(help="Main content alone, in Markdown.")] = True,
    query: Annotated[str | None, typer.Option(help="What you are after.")] = None,
    sample: Annotated[int | None, typer.Option(min=1, help="Lines at random.")] = None,
    seed: Annotated[int, typer.Option(help="Of the sample.")] = 0,
    limit: Annotated[int | None, typer.Option(min=1, help="Most lines, the first ones.")] = None,
    shard: Annotated[
        str, typer.Option(metavar="I/N", help="Part I of N, by host; for several machines.")
    ] = "1/1",
    duplicates: Annotated[bool, typer.Option(help="Find rows that repeat others.")] = True,
    likeness: Annotated[
        float, typer.Option(min=0.3, max=0.99, help="From which rows count as near duplicates.")
    ] = 0.8,
    robots: Annotated[bool, typer.Option(help="Obey robots.txt.")] = True,
    tdm: Annotated[bool, typer.Option(help="Ask sites for their tdmrep.json.")] = True,
    agent: Annotated[str, typer.Option(help="Our name in robots.txt.")] = "Pagefold",
    concurrency: Annotated[
        int | None,
        typer.Option(min=1, help="Pages at a time.  [default: 16; with a browser 2 a processor]"),
    ] = None,
    per_host: Annotated[int, typer.Option(min=1, help="Pages of one host at a time.")] = 2,
    rate: Annotated[
        float | None, typer.Option(min=0.001, help="Most pages of one host in a second.")
    ] = None,
    retries: Annotated[int, typer.Option(min=0, help="Further tries of what may work later.")] = 2,
    backoff: Annotated[
        float, typer.Option(min=0, help="Seconds before the first of them; then twice as long.")
    ] = 1.0,
    max_backoff: Annotated[
        float, typer.Option(min=0, help="Most seconds of a pause, a server's wish included.")
    ] = 120.0,
    lookahead: Annotated[
        int, typer.Option(min=1, help="Lines that may wait for their hosts.")
    ] = 1_000,
    engine: Annotated[
        Literal["local", "ray"], typer.Option(help="This machine, or a Ray cluster.")
    ] = "local",
    resume: Annotated[bool, typer.Option(help="Go on with the run in the folder.")] = True,
    as_json: Annotated[bool, typer.Option("--json", help="Events on stdout, one a line.")] = False,
) -> None:
    """Read many pages into a data set.

    Exit codes: 0 every row has a page, 3 some have none (see dead-letters.jsonl), 1 the run failed, 2 wrong
    usage, 130 interrupted; run the same command again to go on.
    """
    try:
        from batch import plan as parts
        from batch.errors import PlanError
        from batch.inputs import InputRules
        from batch.sources import Input
    except ImportError as error:
        _fail(f"batch: {error.name} is not installed; it comes with pagefold[batch]")
    number, count = _part(shard)
    pages = concurrency or _pages(render)
    try:
        plan = parts.Plan(
            selection=parts.Selection(limit, sample, seed, number - 1, count),
            content=parts.Content(render, filter_name, budget, main_only, query),
            manners=parts.Manners(robots, tdm, agent),
            output=parts.Output(_formats(forms), warc, shard_rows),
            pace=parts.Pace(pages, per_host, rate, retries, backoff, max_backoff, lookahead),
            duplicates=parts.DuplicateRules(threshold=likeness) if duplicates else None,
        )
    except PlanError as error:
        _usage(error.message)
    # Warnings are for operators; here each failure is in its row.
    configure_logs("console", level=logging.ERROR)
    from api.batch_running import Job, run_job  # loads what only this command needs

    rules = InputRules(kind, column, repeats, records)
    job = Job(Input(source, rules), out, plan, engine, resume=resume, events=as_json)
    raise typer.Exit(run_job(job))


def _pages(render: Render) -> int:
    from extractor.settings import ExtractorSettings

    return _STATIC_PAGES if render == "static" else ExtractorSettings().concurrency


def _formats(forms: list[RowForm] | None) -> tuple[Literal["jsonl", "parquet"], ...]:
    return tuple(form.value for form in dict.fromkeys(forms or [RowForm.jsonl]))


def _part(shard: str) -> tuple[int, int]:
    number, slash, count = shard.partition("/")
    if slash and number.isdecimal() and count.isdecimal() and 1 <= int(number) <= int(count):
        return int(number), int(count)
    _usage(f"--shard {shard!r}: give I/N, such as 1/4")


def _fail(message: str) -> NoReturn:
    typer.echo(f"pagefold: {message}", err=True)
    raise typer.Exit(1)


def _usage(message: str) -> NoReturn:
    typer.echo(f"pagefold: {message}", err=True)
    raise typer.Exit(2)
