"""A session's log page by page, as it is stored: enough to check its chain elsewhere, and to replay it."""

from __future__ import annotations

from dataclasses import dataclass

import sqlalchemy as sa

from compactor.audit import Row, checked, start_of
from compactor.errors import LogCorrupt
from compactor.messages import JsonObject
from compactor.tables import events, sessions


@dataclass(frozen=True, slots=True)
class LogPage:
    """Rows in their order. ``before`` is what the first one's link hangs on: the link of the row before
    it, or for row 0 the digest of the session's id and ``header``, its settings as they are stored (only
    there). ``version`` is how many rows there are.
    """

    before: str
    header: str
    rows: tuple[Row, ...]
    version: int

    def as_json(self) -> JsonObject:
        """Plain JSON; ``next`` is where the next page begins, nothing where there is none yet."""
        end = self.rows[-1].seq + 1 if self.rows else self.version
        return {
            "version": self.version,
            "before": self.before,
            "header": self.header,
            "rows": [
                {"seq": row.seq, "kind": row.kind, "body": row.body, "link": row.link}
                for row in self.rows
            ],
            "next": end if end < self.version else None,
        }


def read_page(
    engine: sa.Engine, session_id: str, *, after: int, limit: int, most_chars: int
) -> LogPage:
    """Rows from number ``after`` on: at most ``limit``, and no more once they have ``most_chars``.

    Raises:
        LogCorrupt: a row was edited, or one is missing.
    """
    query = (
        sa.select(events.c.seq, events.c.kind, events.c.body, events.c.link)
        .where(events.c.session_id == session_id, events.c.seq >= after)
        .order_by(events.c.seq)
        .limit(limit)
    )
    rows, chars = list[Row](), 0
    with engine.connect() as connection:
        header, version = connection.execute(
            sa.select(sessions.c.header, sessions.c.version).where(sessions.c.id == session_id)
        ).one()
        before = start_of(connection, session_id, after)
        found = connection.execution_options(stream_results=True).execute(query)
        for each in found:
            row = Row(*each)
            rows.append(row)
            chars += len(row.body)
            if chars >= most_chars:
                break
        found.close()
    expected = min(version, after + len(rows)) if rows else after
    wrong = checked(session_id, rows, before=before, after=after, version=expected)
    if wrong is not None:
        raise LogCorrupt("The log of this session is damaged.", detail=wrong)
    return LogPage(before, "" if after else header, tuple(rows), version)
