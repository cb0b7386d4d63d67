"""What the session routes need: store, archive, and the way to a page."""

from __future__ import annotations

from functools import cache
from typing import Any

from fastapi import FastAPI, Request
from obstore.store import LocalStore, ObjectStore

from api.callers import caller_of, tenant_of
from api.object_stores import store_at
from api.page_request import extract_for, page_request
from api.pages_json import page_dict
from api.session_pool import SessionDeps
from api.settings import ApiSettings
from api.summarising import chat_summariser
from compactor import ObjectArchive, SqlStore
from extractor.errors import ExtractorError
from extractor.offline import filter_html
from extractor.page import Page


def session_deps(app: FastAPI, settings: ApiSettings) -> SessionDeps:
    """Sessions in ``data_dir`` or where the settings say: rows in SQL, originals in an object store.

    Raises:
        OSError: ``data_dir`` cannot be written.
    """
    settings.make_data_dir()

    async def fetch_page(fields: dict[str, Any], request: Request) -> Page:
        wanted = page_request(fields, prefix="page")
        caller, metrics = caller_of(request), app.state.metrics
        return await extract_for(caller, app.state.extractor, wanted, metrics=metrics)

    @cache
    def archive_of(tenant: str) -> ObjectArchive:
        return archive_at(settings, tenant)

    return SessionDeps(
        store=SqlStore(settings.rows_url),
        archive=archive_of(""),
        archive_of=archive_of,
        tenant=tenant_of,
        fetch_page=fetch_page,
        describe_page=page_dict,
        fold_html=fold_html,
        make_summariser=chat_summariser(settings),
        note_report=lambda report: app.state.metrics.compaction(report),
    )


def archive_at(settings: ApiSettings, tenant: str) -> ObjectArchive:
    """Where the originals of a tenant's sessions are kept."""
    return ObjectArchive(_objects(settings, tenant))


def _objects(settings: ApiSettings, tenant: str) -> ObjectStore:
    """What a tenant's originals are kept in: none of its names can reach another's."""
    below = f"tenants/{tenant}" if tenant else ""
    if settings.archive_url is None:
        return LocalStore(prefix=str(settings.data_dir / "archive" / below), mkdir=True)
    return store_at(
        f"{settings.archive_url.rstrip('/')}/{below}" if below else settings.archive_url
    )


def fold_html(html: str, budget: int) -> str:
    """A page folded to a budget in characters; itself where that cannot be done."""
    try:
        return filter_html(html, budget=budget, format="html").content["html"]
    except ExtractorError:
        return html  # still too long, so the compactor archives it and leaves one line
