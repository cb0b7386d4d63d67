"""``pagefold mcp``: the tools for an MCP client that starts its servers itself."""

from __future__ import annotations

import asyncio
import logging
import os
from typing import Annotated

import typer
from pydantic import ValidationError
from sqlalchemy.exc import SQLAlchemyError

from api.errors import explain_validation
from api.keys_cli import explain_database
from api.logs import configure_logs
from api.settings import ApiSettings
from extractor.errors import ExtractorError


def mcp_command(
    url: Annotated[
        str | None,
        typer.Option(help="A running service to use; PAGEFOLD_KEY is shown to it where it is set."),
    ] = None,
    session: Annotated[
        str | None, typer.Option(help="Session that notes, archive refs and recall are about.")
    ] = None,
) -> None:
    """Speak MCP on standard input and output, until the client ends it."""
    from api.doctor import check_data_dir
    from api.mcp.pipe import until_told_to_end  # loads what only this command needs
    from api.mcp.stdio import run_for, run_here

    try:
        settings = ApiSettings()
    except ValidationError as error:
        field, detail = explain_validation(error)
        typer.echo(f"pagefold: setting PAGEFOLD_{field.upper()}: {detail}", err=True)
        raise typer.Exit(2) from None
    # Standard output is the protocol's; warnings go to the client's log.
    configure_logs(settings.log_format, level=logging.WARNING, texts=settings.log_texts)
    if url is None and not (data := check_data_dir(settings.data_dir)).ok:
        typer.echo(f"pagefold: {data.message}; {data.remedy}", err=True)
        raise typer.Exit(1)
    key = os.environ.get("PAGEFOLD_KEY")
    run = run_here(settings, session) if url is None else run_for(url, key, settings, session)
    try:
        asyncio.run(until_told_to_end(run))
    except ExtractorError as error:
        typer.echo(f"pagefold: {error.code}: {error.message}", err=True)
        raise typer.Exit(1) from None
    except (SQLAlchemyError, ImportError) as error:
        typer.echo(f"pagefold: {explain_database(error)}", err=True)
        raise typer.Exit(1) from None
