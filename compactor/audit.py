"""Whether the logs of sessions are as they were written, row by row."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import sqlalchemy as sa

from compactor.chain import first_link, next_link
from compactor.tables import events, sessions


@dataclass(frozen=True, slots=True)
class Row:
    """One row of a log as it is stored."""

    seq: int
    kind: str
    body: str
    link: str


def start_of(connection: sa.Connection, session_id: str, seq: int) -> str:
    """What the link of row ``seq`` hangs on; empty if that is gone."""
    if seq == 0:
        header = connection.execute(
            sa.select(sessions.c.header).where(sessions.c.id == session_id)
        ).scalar_one_or_none()
        return "" if header is None else first_link(session_id, header)
    link = connection.execute(
        sa.select(events.c.link).where(events.c.session_id == session_id, events.c.seq == seq - 1)
    ).scalar_one_or_none()
    return link or ""


def links(before: str, rows: Iterable[Row]) -> Iterator[str]:
    """The link that each row ought to have, in order."""
    for row in rows:
        before = next_link(before, row.seq, row.kind, row.body)
        yield before


def checked(
    session_id: str, rows: Sequence[Row], *, before: str, after: int, version: int
) -> str | None:
    """The name of the first row that is not as it was written; ``None`` if all are.

    ``rows`` are those from ``after`` on, of a log of at least ``version`` rows.
    """
    expected = after
    for row, link in zip(rows, links(before, rows), strict=True):
        if row.seq != expected:
            return f"events {session_id} {expected}: missing"
        if row.link != link:
            return f"events {session_id} {row.seq}: not as it was written"
        expected += 1
    if expected < version:
        return f"events {session_id} {expected}: missing"
    return None


def audit(engine: sa.Engine) -> Iterator[str]:
    """Names of damaged rows, the first of each session; every log is read once, one at a time.

    A row that follows an edited one fits no more either, so only the first says anything.
    """
    with engine.connect() as connection:
        ids = connection.execute(sa.select(sessions.c.id).order_by(sessions.c.id)).scalars().all()
    for session_id in ids:
        with engine.connect() as connection:
            version = connection.execute(
                sa.select(sessions.c.version).where(sessions.c.id == session_id)
            ).scalar_one_or_none()
            if version is None:
                continue
            before = start_of(connection, session_id, 0)
            query = (
                sa.select(events.c.seq, events.c.kind, events.c.body, events.c.link)
                .where(events.c.session_id == session_id)
                .order_by(events.c.seq)
            )
            rows = [Row(*row) for row in connection.execute(query)]
        found = checked(session_id, rows, before=before, after=0, version=version)
        if found is not None:
            yield found
