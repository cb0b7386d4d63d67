"""``pagefold keys``: make, list and revoke the keys that callers show."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated, NoReturn

import typer
from pydantic import ValidationError
from rich.console import Console
from rich.table import Table
from sqlalchemy.exc import SQLAlchemyError

from api.errors import explain_validation
from api.key_store import KeyStore
from api.keys import PERMISSIONS, ApiKey
from api.redaction import scrub
from api.settings import ApiSettings
from compactor.store import open_database
from extractor.store import TENANT

_KNOWN = ", ".join(PERMISSIONS)
_ID_CHARS = 15
# Of an ISO 8601 moment; --json has all of it.
_DAY_CHARS = 10
_AsJson = Annotated[bool, typer.Option("--json", help="For machines.")]

app = typer.Typer(help="Make, list and revoke API keys.", no_args_is_help=True)


@app.command("create")
def create_command(
    tenant: Annotated[str, typer.Argument(help="Whose key it is: a-z, 0-9, _ and -.")],
    allow: Annotated[
        list[str], typer.Option(help=f"What it allows: {_KNOWN}; may be repeated.")
    ] = ["pages", "sessions"],  # noqa: B006  # Typer copies it
    requests_per_minute: Annotated[
        int | None, typer.Option(min=1, help="Most requests a minute; else as the service is set.")
    ] = None,
    concurrency: Annotated[
        int | None, typer.Option(min=1, help="Most requests at a time; else as the service is set.")
    ] = None,
    as_json: _AsJson = False,
) -> None:
    """Make a key and print it. It is shown this once; only its hash is kept."""
    if TENANT.match(tenant) is None:
        _usage(f"{tenant!r}: a tenant has 1 to 63 of a-z, 0-9, _ and -, a letter or digit first")
    chosen = [name for name in PERMISSIONS if name in allow]
    if unknown := sorted(set(allow) - set(chosen)):
        _usage(f"--allow {unknown[0]!r}: there are {_KNOWN}")
    with _store() as store:
        key, written = store.create(
            tenant,
            chosen,
            requests_per_minute=requests_per_minute,
            concurrency=concurrency,
        )
    if as_json:
        typer.echo(json.dumps({"key": written, **_shown(key)}))
        return
    typer.echo(written)
    typer.echo(f"Key {key.id} of {tenant}. Keep it now: it is not shown again.", err=True)


@app.command("list")
def list_command(as_json: _AsJson = False) -> None:
    """List all keys, without their secrets."""
    with _store() as store:
        keys = store.all()
    if as_json:
        typer.echo(json.dumps([_shown(key) for key in keys]))
        return
    table = Table("id", "tenant", "allows", "a minute", "at a time", "made", "revoked", box=None)
    for column in table.columns:
        # Whoever cuts an id cannot revoke it.
        column.overflow = "fold"
    table.columns[0].min_width = _ID_CHARS
    for key in keys:
        limits = [str(key.requests_per_minute or "default"), str(key.concurrency or "default")]
        table.add_row(
            key.id,
            key.tenant,
            ", ".join(_allowed(key)),
            *limits,
            *(moment[:_DAY_CHARS] for moment in (key.created_at, key.revoked_at or "")),
        )
    Console(soft_wrap=True, highlight=False).print(table)


@app.command("revoke")
def revoke_command(
    key_id: Annotated[str, typer.Argument(metavar="ID", help="Id of the key, `pf_…`.")],
) -> None:
    """Make a key invalid for good; running services follow within PAGEFOLD_KEY_TTL_S."""
    # Whoever pastes the whole key means its id.
    key_id = key_id.partition(".")[0]
    with _store() as store:
        done = store.revoke(key_id)
    if not done:
        typer.echo(f"pagefold: there is no valid key {key_id}", err=True)
        raise typer.Exit(1)
    typer.echo(f"Key {key_id} is revoked.", err=True)


@contextmanager
def _store() -> Iterator[KeyStore]:
    try:
        settings = ApiSettings()
        settings.make_data_dir()
    except ValidationError as error:
        field, detail = explain_validation(error)
        _usage(f"setting PAGEFOLD_{field.upper()}: {detail}" if field else detail)
    except OSError as error:
        _usage(f"setting PAGEFOLD_DATA_DIR: {error.strerror}")
    try:
        engine = open_database(settings.rows_url)
    except (SQLAlchemyError, ImportError) as error:
        typer.echo(f"pagefold: {explain_database(error)}", err=True)
        raise typer.Exit(1) from None
    try:
        yield KeyStore(engine)
    finally:
        engine.dispose()


def explain_database(error: Exception) -> str:
    """One line on why the database cannot be opened, without its password."""
    words = str(getattr(error, "orig", None) or error).strip().splitlines()
    return scrub(f"PAGEFOLD_DATABASE_URL cannot be opened: {words[0] if words else error!r}")


def _shown(key: ApiKey) -> dict[str, object]:
    return {
        "id": key.id,
        "tenant": key.tenant,
        "allow": _allowed(key),
        "requests_per_minute": key.requests_per_minute,
        "concurrency": key.concurrency,
        "created_at": key.created_at,
        "revoked_at": key.revoked_at,
    }


def _allowed(key: ApiKey) -> list[str]:
    return [name for name in PERMISSIONS if name in key.allow]


def _usage(message: str) -> NoReturn:
    typer.echo(f"pagefold: {message}", err=True)
    raise typer.Exit(2)
