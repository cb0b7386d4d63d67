"""How each write of an item is made over HTTP: once for a key, at a version, answered with the item."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any

from fastapi import Header, Request, Response
from pydantic import BaseModel

from api.session_headers import expected_version, keyed_request, version_tag
from api.session_pool import SessionDeps, SessionPool
from api.threads import run_to_end
from compactor.log import Keyed
from compactor.session import Session
from compactor.trace.items import Item
from compactor.trace.tracing import written

Answer = dict[str, Any]
IfMatch = Annotated[str | None, Header()]
IdempotencyKey = Annotated[str | None, Header(max_length=255)]


@dataclass(frozen=True, slots=True)
class Asked:
    """Whose request it is, the version that it is for, and its key."""

    tenant: str
    expected: int | None
    keyed: Keyed | None


@dataclass(frozen=True, slots=True)
class Writing:
    """Writes items of sessions."""

    deps: SessionDeps
    pool: SessionPool

    async def asked(
        self, request: Request, body: BaseModel, if_match: str | None, key: str | None
    ) -> Asked:
        """What the headers ask for. A key is one request's: its route and its body are compared."""
        route = f"{request.method} {request.url.path}"
        # In a thread: an original of megabytes takes its time to be digested.
        keyed = await run_to_end(lambda: keyed_request(key, body, route))
        return Asked(self.deps.tenant(request), expected_version(if_match), keyed)

    async def run(
        self,
        session_id: str,
        asked: Asked,
        response: Response,
        write: Callable[[Session], Item],
    ) -> Answer:
        """The item as ``write`` leaves it, or what the same request was answered before."""

        def once(session: Session) -> Answer:
            store, keyed = self.deps.store, asked.keyed
            earlier = store.reply(session_id, keyed) if keyed else None
            if earlier is not None:
                return earlier
            session.check_version(asked.expected)
            with session.keyed(keyed):
                return written(write(session), session.version)

        with self.pool.keys.hold(asked.tenant, session_id, asked.keyed):
            made = await self.pool.use(session_id, asked.tenant, once)
        response.headers["ETag"] = version_tag(made["session_version"])
        return made
