"""``pagefold card DIR``: the data card of a finished batch run."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def card_command(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="Folder of a finished run.")],
    name: Annotated[
        str | None, typer.Option(help="Of the data set; the folder's by default.")
    ] = None,
) -> None:
    """Write a data card beside the rows of a batch run: README.md, as Hugging Face reads it."""
    try:
        from batch.card import facts_of, write_card
        from batch.errors import BatchError
    except ImportError as error:
        typer.echo(
            f"pagefold: {error.name} is not installed; it comes with pagefold[batch]", err=True
        )
        raise typer.Exit(1) from None
    try:
        typer.echo(write_card(folder, facts_of(folder), name or folder.resolve().name))
    except BatchError as error:
        typer.echo(f"pagefold: {error.code}: {error.message}", err=True)
        raise typer.Exit(1) from None
