"""Live sessions: rebuilt from the store, kept for a while, one user at a time."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, TypeVar

import anyio
import structlog
from fastapi import Request

from api.session_keys import KeysInFlight
from api.session_models import SessionIn
from api.summarising import MakeSummariser, summariser_for
from api.threads import run_to_end
from compactor import Archive, ObjectArchive, Reworked, Session, SqlStore
from compactor.errors import Conflict, StorageFull, VersionMismatch
from compactor.ledger import Ledger
from compactor.log import Entry
from compactor.retention import purge_session
from compactor.truncate import FoldHtml

T = TypeVar("T")
#: How often work starts over because another process has written in between.
_RACES = 16
_log = structlog.get_logger("pagefold.sessions")


def _no_tenant(request: Request) -> str:
    return ""


def _no_description(page: Any) -> dict[str, Any]:
    return {"content": dict(page.content)}


def _no_note(report: dict[str, Any]) -> None:
    return None


@dataclass(frozen=True, slots=True)
class SessionDeps:
    """What the session routes are given.

    ``fetch_page`` takes the fields of a page request, and the request that they came in, and returns a
    page with ``content``; ``archive_of`` gives each tenant an archive of its own, else all share one;
    ``describe_page`` turns it into JSON; ``tenant`` says whose request it is;
    ``make_summariser`` makes the operator's chat model, where there is one;
    ``note_report`` hears what each compaction did, as JSON.
    """

    store: SqlStore
    archive: Archive
    fetch_page: Callable[[dict[str, Any], Request], Awaitable[Any]]
    describe_page: Callable[[Any], dict[str, Any]] = _no_description
    fold_html: FoldHtml | None = None
    tenant: Callable[[Request], str] = _no_tenant
    note_report: Callable[[dict[str, Any]], None] = _no_note
    max_live_sessions: int = 256
    archive_of: Callable[[str], Archive] | None = None
    make_summariser: MakeSummariser | None = None

    def reworked(self, session: Session, made: Reworked) -> dict[str, Any]:
        """What a step on request did, as JSON, with the session's sizes after it; heard as others are."""
        sizes = session.as_json()
        done = {name: sizes[name] for name in ("version", "cost_chars", "budget_chars")}
        done |= made.as_json()
        self.note_report(done)
        return done

    def delete(self, session_id: str, tenant: str) -> None:
        """Remove a session, and the originals that no other one holds. Raises NotFound."""
        archive = self.archive_for(tenant)
        if isinstance(archive, ObjectArchive):
            purge_session(self.store, archive, session_id, tenant=tenant)
        else:
            self.store.delete(session_id, tenant=tenant)

    def archive_for(self, tenant: str) -> Archive:
        """Where the originals of a tenant's sessions are kept."""
        return self.archive_of(tenant) if self.archive_of is not None else self.archive


@dataclass(slots=True)
class _Live:
    lock: anyio.Lock = field(default_factory=anyio.Lock)
    session: Session | None = None
    ledger: Ledger | None = None


class SessionPool:
    """Hands out sessions under a lock each; the least recently used is dropped and rebuilt."""

    def __init__(self, deps: SessionDeps) -> None:
        self.keys = KeysInFlight()
        self._deps = deps
        self._live: OrderedDict[tuple[str, str], _Live] = OrderedDict()

    async def use(self, session_id: str, tenant: str, work: Callable[[Session], T]) -> T:
        """Run blocking ``work`` on the session, at the store's newest version, in a thread.

        Raises:
            NotFound: no such session for this tenant.
        """
        key = (tenant, session_id)
        live = self._live.setdefault(key, _Live())
        self._live.move_to_end(key)
        async with live.lock:
            try:
                return await run_to_end(lambda: self._run(live, key, work))
            finally:
                if live.session is None:
                    self._live.pop(key, None)
                self._shrink()

    async def retell(
        self, session_id: str, tenant: str, work: Callable[[Session, list[Entry]], T]
    ) -> T:
        """Run blocking ``work`` on an empty session of the same policy, in memory, and the whole log.

        Raises:
            NotFound: no such session for this tenant.
        """

        def run() -> T:
            header = self._deps.store.header(session_id, tenant=tenant)
            body = SessionIn.model_validate(header.settings)
            empty = Session(
                body.as_policy(),
                system=body.system,
                tools=body.tools,
                fold_html=self._deps.fold_html,
            )
            return work(empty, self._deps.store.entries(session_id))

        return await run_to_end(run)

    def forget(self, session_id: str, tenant: str) -> None:
        """Drop a deleted session."""
        self._live.pop((tenant, session_id), None)

    def _run(self, live: _Live, key: tuple[str, str], work: Callable[[Session], T]) -> T:
        for _ in range(_RACES):
            session = self._current(live, key)
            try:
                done = work(session)
                if live.ledger is not None:
                    with suppress(StorageFull):  # what was only read is entered the next time
                        live.ledger.flush()
                return done
            except VersionMismatch:
                tenant, session_id = key
                if self._deps.store.header(session_id, tenant=tenant).version == session.version:
                    raise
                # Another process was faster: nothing was written, so the work starts over. Where the
                # request names a version, that is refused by the session itself now.
                _log.info("append_raced", session=session_id, version=session.version)
        raise Conflict("Other writers were faster each time; send it again, or send If-Match.")

    def _current(self, live: _Live, key: tuple[str, str]) -> Session:
        """The session at the store's newest version."""
        tenant, session_id = key
        store = self._deps.store
        header = store.header(session_id, tenant=tenant)
        if live.session is None:
            body = SessionIn.model_validate(header.settings)
            archive = self._deps.archive_for(tenant)
            ledger = None
            if isinstance(archive, ObjectArchive):
                ledger = Ledger(store, archive, session_id, tenant=tenant)
            live.ledger = ledger
            live.session = Session(
                body.as_policy(),
                system=body.system,
                tools=body.tools,
                archive=ledger or archive,
                store=ledger or store,
                session_id=session_id,
                fold_html=self._deps.fold_html,
                summariser=summariser_for(body.summariser, self._deps.make_summariser),
            )
        if live.session.version < header.version:
            # Another process has appended, or this one starts anew.
            live.session.replay(store.entries(session_id, after=live.session.version))
        return live.session

    def _shrink(self) -> None:
        for key in list(self._live):
            if len(self._live) <= self._deps.max_live_sessions:
                break
            if not self._live[key].lock.locked():
                del self._live[key]
