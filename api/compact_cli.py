"""``pagefold compact FILE``: a history in, the compacted history out."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict, replace
from pathlib import Path
from typing import Annotated, NoReturn

import typer

from api.session_models import FormatName, PolicyName, ProfileName
from compactor import Compaction, Policy, compact, validate
from compactor.errors import CompactorError


def compact_command(
    file: Annotated[Path, typer.Argument(help="JSON list of messages; - reads standard input.")],
    form: Annotated[FormatName, typer.Option("--format", help="Format of it.")] = "anthropic",
    budget: Annotated[int | None, typer.Option(help="Most characters of the messages.")] = None,
    window: Annotated[int, typer.Option(help="The model's window, in tokens.")] = 30_000,
    policy: Annotated[PolicyName, typer.Option(help="Shipped policy.")] = "epoch",
    profile: Annotated[
        ProfileName | None, typer.Option(help="Provider whose rules the result keeps.")
    ] = None,
    archive: Annotated[
        Path | None, typer.Option(help="Write certificate and originals to this file, as JSON.")
    ] = None,
) -> None:
    """Print a history compacted to its budget; what was done goes to stderr."""
    try:
        data = json.loads(sys.stdin.read() if str(file) == "-" else file.read_text("utf-8"))
        messages = data.get("messages") if isinstance(data, dict) else data
        if not isinstance(messages, list):
            _fail("the file must hold a list of messages, or an object with one in `messages`")
        chosen = Policy.preset(policy, budget_chars=budget, window_tokens=window)
        made = compact(messages, form, policy=replace(chosen, profile=profile or ""))
    except (OSError, ValueError) as error:
        _fail(str(error))
    except CompactorError as error:
        _fail(f"{error.code}: {error.message}")
    if archive is not None:
        archive.write_text(json.dumps(_originals(made), ensure_ascii=True), "utf-8")
    typer.echo(json.dumps(made.messages, ensure_ascii=True))
    typer.echo(_summary(made, len(messages), profile or ""), err=True)


def _originals(made: Compaction) -> dict[str, object]:
    refs = [ref for line in made.certificate for ref in (line.original, *line.refs) if ref]
    return {
        "certificate": [asdict(line) for line in made.certificate],
        "archive": {ref: made.archive.get(ref) for ref in dict.fromkeys(refs)},
    }


def _summary(made: Compaction, before: int, profile: str) -> str:
    report = made.report
    steps: dict[str, int] = {}
    for change in report.changes:
        steps[change.step] = steps.get(change.step, 0) + 1
    done = ", ".join(f"{step} {count}" for step, count in sorted(steps.items())) or "nothing"
    line = (
        f"{before} messages in, {len(made.messages)} out; {report.cost_chars:,} of "
        f"{report.budget_chars:,} characters; {done}"
    )
    if profile:
        found = [f for f in validate(made.messages, profile) if f.severity == "error"]
        line += f"; {profile}: {'valid' if not found else f'{len(found)} findings'}"
    return line


def _fail(message: str) -> NoReturn:
    typer.echo(f"pagefold: {message}", err=True)
    raise typer.Exit(1)
