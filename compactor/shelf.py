"""Which sessions there are."""

from __future__ import annotations

from dataclasses import dataclass

import sqlalchemy as sa

from compactor.tables import sessions


@dataclass(frozen=True, slots=True)
class Kept:
    """A session in a list: ``touched`` is when it was last written to, in seconds since 1970.

    0 where nobody wrote that down.
    """

    id: str
    version: int
    touched: int


def kept_sessions(
    engine: sa.Engine, tenant: str, *, before: Kept | None = None, most: int
) -> list[Kept]:
    """A tenant's sessions, those written to last first; with ``before`` those that follow it.

    One that is written to meanwhile comes to the front: then the rest of a list does not have it.
    """
    touched = sa.func.coalesce(sessions.c.touched, 0)
    query = sa.select(sessions.c.id, sessions.c.version, touched).where(sessions.c.tenant == tenant)
    if before is not None:
        query = query.where(
            sa.tuple_(touched, sessions.c.id) < sa.tuple_(before.touched, before.id)
        )
    query = query.order_by(touched.desc(), sessions.c.id.desc()).limit(most)
    with engine.connect() as connection:
        return [Kept(*row) for row in connection.execute(query)]
