"""Keys in the database that sessions live in. Blocking: asynchronous callers run it in a thread."""

from __future__ import annotations

from collections.abc import Collection
from datetime import UTC, datetime

import sqlalchemy as sa

from api.keys import PERMISSIONS, ApiKey, Permission, digest_of, new_id, new_secret
from compactor.tables import api_keys


class KeyStore:
    """Makes, lists and revokes keys. A revoked key keeps its row, so the service never opens again."""

    def __init__(self, engine: sa.Engine) -> None:
        self._engine = engine

    def create(
        self,
        tenant: str,
        allow: Collection[Permission],
        *,
        requests_per_minute: int | None = None,
        concurrency: int | None = None,
    ) -> tuple[ApiKey, str]:
        """A new key, and how it is written; the secret in that is kept nowhere."""
        secret = new_secret()
        key = ApiKey(
            id=new_id(),
            tenant=tenant,
            digest=digest_of(secret),
            allow=frozenset(allow),
            requests_per_minute=requests_per_minute,
            concurrency=concurrency,
            created_at=_now(),
        )
        row = {
            "id": key.id,
            "tenant": key.tenant,
            "digest": key.digest,
            "allow": ",".join(name for name in PERMISSIONS if name in key.allow),
            "requests_per_minute": key.requests_per_minute,
            "concurrency": key.concurrency,
            "created_at": key.created_at,
        }
        with self._engine.begin() as connection:
            connection.execute(sa.insert(api_keys).values(row))
        return key, f"{key.id}.{secret}"

    def all(self) -> list[ApiKey]:
        """Every key, revoked ones too, the oldest first."""
        query = sa.select(api_keys).order_by(api_keys.c.created_at, api_keys.c.id)
        with self._engine.connect() as connection:
            return [_key(row) for row in connection.execute(query)]

    def revoke(self, key_id: str) -> bool:
        """Make a key invalid for good; whether there was such a valid key."""
        valid = sa.and_(api_keys.c.id == key_id, api_keys.c.revoked_at.is_(None))
        with self._engine.begin() as connection:
            done = connection.execute(sa.update(api_keys).where(valid).values(revoked_at=_now()))
        return done.rowcount == 1


def _key(row: sa.Row[tuple[object, ...]]) -> ApiKey:
    values = dict(row._mapping)
    named = str(values.pop("allow")).split(",")
    # A permission that this version does not know allows nothing.
    allow = frozenset(name for name in PERMISSIONS if name in named)
    return ApiKey(allow=allow, **values)


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
