"""The command line: ``pagefold serve``, ``proxy``, ``read``, ``compact``, ``keys``, ``purge`` and others.

Exit codes: 0 done, 1 a typed failure (one line on stderr), 2 wrong usage or settings.
"""

from __future__ import annotations

import asyncio
import json
import logging
import threading
from typing import Annotated, Literal, NoReturn

import typer
from pydantic import ValidationError
from sqlalchemy.exc import SQLAlchemyError

from api.batch_cli import batch_command
from api.card_cli import card_command
from api.compact_cli import compact_command
from api.demo import DemoServer
from api.errors import explain_validation
from api.keys_cli import app as keys_app
from api.keys_cli import explain_database
from api.logs import configure_logs
from api.mcp_cli import mcp_command
from api.models import Render
from api.pages_json import page_bytes
from api.purge_cli import purge_command
from api.report import explain
from api.serve import serve
from api.settings import ApiSettings
from api.tracing import TracingMissing
from extractor.errors import ExtractorError
from extractor.extract import Extractor
from extractor.page import Page
from extractor.request import PageRequest

#: Formats that can be printed; pictures and PDF come over HTTP.
Printable = Literal["html", "text", "markdown", "outline", "links", "metadata"]

app = typer.Typer(
    name="pagefold",
    help="Web pages as bounded, well-formed documents that can be unfolded.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)


@app.command("serve")
def serve_command(
    host: Annotated[str | None, typer.Option(help="Address to listen on.")] = None,
    port: Annotated[int | None, typer.Option(help="Port to listen on.")] = None,
    demo: Annotated[bool, typer.Option(help="Serve the demo pages too.")] = True,
) -> None:
    """Serve the HTTP API, with demo pages to try it on."""
    from api.doctor import checks_to_serve

    given = {"host": host, "port": port}
    settings = _settings(**{name: value for name, value in given.items() if value is not None})
    wrong = next((check for check in checks_to_serve(settings, demo=demo) if not check.ok), None)
    if wrong is not None:
        _fail(f"{wrong.message}; {wrong.remedy}")
    try:
        serve(settings, demo=demo)
    except OSError as error:
        _fail(str(error))
    except TracingMissing as error:
        _fail(str(error))
    except ExtractorError as error:
        _fail(f"{error.code}: {error.message}")
    except (SQLAlchemyError, ImportError) as error:
        _fail(explain_database(error))


@app.command("read")
def read_command(
    url: Annotated[str, typer.Argument(help="Address of the page.")],
    form: Annotated[Printable, typer.Option("--format", help="Form of the page.")] = "markdown",
    budget: Annotated[int | None, typer.Option(help="Most characters of the output.")] = None,
    query: Annotated[str | None, typer.Option(help="What you are after.")] = None,
    render: Annotated[Render, typer.Option(help="Use a browser, or no scripts.")] = "browser",
    main_only: Annotated[bool, typer.Option(help="Fold all but the main content.")] = True,
    explained: Annotated[
        bool, typer.Option("--explain", help="Say on stderr what was left out and why.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="The whole result as JSON.")] = False,
) -> None:
    """Print one page."""
    settings = _settings()
    try:
        wanted = PageRequest(
            url=url,
            format=(form,),
            budget=budget,
            query=query,
            render=render,
            main_only=main_only,
        )
    except ValidationError as error:
        _usage(explain_validation(error)[1])
    # Warnings are for operators; the reader of one page gets the page, or one line that says why not.
    configure_logs("console", level=logging.ERROR)
    try:
        page = asyncio.run(_extract(settings, wanted))
    except ExtractorError as error:
        _fail(f"{error.code}: {error.message}")
    if explained:
        typer.echo(explain(page), err=True)
    if as_json:
        typer.echo(page_bytes(page).decode())
    else:
        typer.echo(_printed(page, form))


@app.command("proxy")
def proxy_command(
    host: Annotated[str | None, typer.Option(help="Address to listen on.")] = None,
    port: Annotated[int | None, typer.Option(help="Port to listen on.")] = None,
    upstream: Annotated[
        list[str] | None, typer.Option(help="Provider as NAME=URL; may be given several times.")
    ] = None,
) -> None:
    """Compact what an agent sends to its model: point its SDK's base URL here."""
    from api.proxy.serving import greeting, serve_proxy  # loads what only this command needs

    given = {"host": host, "proxy_port": port, "proxy_upstreams": upstream and tuple(upstream)}
    settings = _settings(**{name: value for name, value in given.items() if value is not None})
    settings = settings.model_copy(update={"port": settings.proxy_port})
    typer.echo(greeting(settings), err=True)
    try:
        serve_proxy(settings)
    except (SQLAlchemyError, ImportError) as error:
        _fail(explain_database(error))


app.command("batch")(batch_command)
app.command("card")(card_command)
app.command("compact")(compact_command)
app.command("mcp")(mcp_command)
app.command("purge")(purge_command)
app.add_typer(keys_app, name="keys")


@app.command(
    "testbed",
    context_settings={"allow_extra_args": True, "ignore_unknown_options": True},
    add_help_option=False,
)
def testbed_command(context: typer.Context) -> None:
    """Compare filters over pages whose content is known."""
    try:
        from testbed.cli import app as testbed  # needs packages that a server does not
    except ImportError as error:
        _fail(f"testbed: {error.name} is not installed; it comes with pagefold[eval]")
    testbed(context.args, prog_name="pagefold testbed")


@app.command("demo")
def demo_command(
    port: Annotated[int | None, typer.Option(help="Port on loopback.")] = None,
) -> None:
    """Serve the demo pages alone."""
    chosen = port if port is not None else _settings().demo_port
    try:
        with DemoServer(chosen) as site:
            typer.echo(f"Demo pages are on {site.url}/ (Ctrl-C ends it)", err=True)
            threading.Event().wait()
    except KeyboardInterrupt:
        return
    except OSError as error:
        _fail(f"port {chosen}: {error.strerror}")


@app.command("doctor")
def doctor_command(
    as_json: Annotated[bool, typer.Option("--json", help="For machines.")] = False,
) -> None:
    """Check browser, store and egress, and say how to mend what is wrong."""
    from api.doctor import run_checks  # loads what only this command needs

    raise typer.Exit(run_checks(_settings(), as_json=as_json))


def main() -> None:
    """Entry point of the ``pagefold`` script."""
    app()


async def _extract(settings: ApiSettings, wanted: PageRequest) -> Page:
    async with Extractor(settings) as extractor:
        return await extractor.extract(wanted)


def _printed(page: Page, form: Printable) -> str:
    if form == "links":
        return "\n".join(f"{link.url}\t{link.text}" for link in page.links)
    if form == "metadata":
        return json.dumps(page.metadata, ensure_ascii=False, indent=2)
    return page.content[form]


def _settings(**given: object) -> ApiSettings:
    try:
        return ApiSettings(**given)  # type: ignore[arg-type]  # validated by pydantic
    except ValidationError as error:
        field, detail = explain_validation(error)
        _usage(f"setting PAGEFOLD_{field.upper()}: {detail}" if field else detail)


def _usage(message: str) -> NoReturn:
    typer.echo(f"pagefold: {message}", err=True)
    raise typer.Exit(2)


def _fail(message: str) -> NoReturn:
    typer.echo(f"pagefold: {message}", err=True)
    raise typer.Exit(1)
