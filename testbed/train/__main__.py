"""``python -m testbed.train``: learn the region weights again, and say how good they are.

Reads the development pages under the data folder (``PAGEFOLD_SHARED``, or ``../shared`` beside the checkout),
prints how weights do on sites that they never saw, and writes the file that is shipped. The same pages and
packages give the same bytes. Pages of another split are never read.
"""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Annotated

import typer

import extractor.regions.learned as learned
from extractor.regions.learned.weights import FILE
from testbed.compare import importers
from testbed.train.files import text_of, write_folds
from testbed.train.fit import fit
from testbed.train.held_out import Fold, cross_validated, table_of
from testbed.train.samples import samples

SHARED = Path(os.environ.get("PAGEFOLD_SHARED", Path(__file__).parents[3] / "shared"))
SHIPPED = Path(learned.__file__).with_name(FILE)


def train(
    data: Annotated[Path, typer.Option(help="Folder of pages with gold text.")] = SHARED
    / "data/extraction/wcxb",
    out: Annotated[Path, typer.Option(help="File of weights.")] = SHIPPED,
    folds: Annotated[
        Path | None, typer.Option(help="Folder for weights of each fold, to compare with.")
    ] = None,
    check: Annotated[bool, typer.Option(help="Cross-validate first.")] = True,
    write: Annotated[bool, typer.Option(help="Learn from all pages and write the file.")] = True,
    jobs: Annotated[int, typer.Option(help="Processes that read pages.", min=1)] = 1,
) -> None:
    """Learn the region weights."""
    try:
        pages = [page for page in importers.read(data) if page.split == "dev"]
    except importers.LayoutError as error:
        typer.echo(f"{error}; set PAGEFOLD_SHARED to the data folder, or give --data", err=True)
        raise typer.Exit(2) from error
    started = time.monotonic()
    found = list(samples(pages, jobs=jobs))
    typer.echo(f"{len(found)} pages read in {time.monotonic() - started:.0f} s", err=True)
    if check or folds:
        kept: list[Fold] = []
        typer.echo(table_of(cross_validated(found, done=kept.append)))
        if folds:
            write_folds(kept, folds)
            typer.echo(f"written: {folds}", err=True)
    if write:
        text = text_of(fit(found))
        out.write_text(text, "utf-8")
        typer.echo(f"written: {out}, {len(text):,} bytes", err=True)


if __name__ == "__main__":
    typer.run(train)
