"""``pagefold purge``: remove all that is kept of one tenant's sessions and jobs."""

from __future__ import annotations

from typing import Annotated

import typer
from pydantic import ValidationError

from api.errors import explain_validation
from api.jobs.forgetting import forget_tenant
from api.jobs.results import results_of
from api.session_parts import archive_at
from api.settings import ApiSettings
from compactor import SqlStore
from compactor.retention import purge_tenant
from extractor.store import TENANT


def purge_command(
    tenant: Annotated[str, typer.Argument(help="Whose; '' for those of no tenant.")],
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
) -> None:
    """Remove all sessions and jobs of a tenant, with originals and results, for good."""
    if tenant and TENANT.match(tenant) is None:
        typer.echo(f"{tenant!r} cannot name a tenant", err=True)
        raise typer.Exit(2)
    if not yes:
        typer.confirm(f"Remove all sessions and jobs of {tenant or 'no tenant'}?", abort=True)
    try:
        settings = ApiSettings()
    except ValidationError as error:
        typer.echo(explain_validation(error)[1], err=True)
        raise typer.Exit(2) from error
    store = SqlStore(settings.rows_url)
    try:
        gone = purge_tenant(store, archive_at(settings, tenant), tenant)
        jobs = forget_tenant(store.engine, lambda _: results_of(settings, tenant), tenant)
    finally:
        store.close()
    typer.echo(f"Removed {gone.sessions} sessions and {gone.originals} originals, and {jobs} jobs.")
