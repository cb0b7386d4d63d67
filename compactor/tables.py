"""The tables of the database: sessions, and the keys that callers show.

Every text that comes from outside is stored as ASCII-escaped JSON: databases reject NUL and lone
surrogates. A change here needs a migration in ``migrations/versions``.
"""

from __future__ import annotations

import sqlalchemy as sa

metadata = sa.MetaData()
sessions = sa.Table(
    "sessions",
    metadata,
    sa.Column("id", sa.String(64), primary_key=True),
    sa.Column("tenant", sa.String(128), nullable=False, index=True),
    sa.Column("header", sa.Text, nullable=False),
    sa.Column("version", sa.Integer, nullable=False),
    # Seconds since 1970 of the last write; rows from before there was such a column have none.
    sa.Column("touched", sa.BigInteger, nullable=True, index=True),
)
events = sa.Table(
    "events",
    metadata,
    sa.Column("session_id", sa.ForeignKey("sessions.id", ondelete="CASCADE"), primary_key=True),
    sa.Column("seq", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("kind", sa.String(32), nullable=False),
    sa.Column("body", sa.Text, nullable=False),
    # The row's link in the session's chain of hashes: ``compactor.chain``.
    sa.Column("link", sa.String(64), nullable=True),
)
#: Which originals of the archive a session holds: what nobody holds can be removed.
holdings = sa.Table(
    "holdings",
    metadata,
    sa.Column("session_id", sa.ForeignKey("sessions.id", ondelete="CASCADE"), primary_key=True),
    sa.Column("ref", sa.String(66), primary_key=True),
    sa.Column("tenant", sa.String(128), nullable=False),
    sa.Column("digest", sa.String(64), nullable=False),
    sa.Index("ix_holdings_digest", "tenant", "digest"),
)
idempotency = sa.Table(
    "idempotency",
    metadata,
    sa.Column("session_id", sa.ForeignKey("sessions.id", ondelete="CASCADE"), primary_key=True),
    sa.Column("key", sa.String(255), primary_key=True),
    sa.Column("fingerprint", sa.String(64), nullable=False),
    sa.Column("reply", sa.Text, nullable=False),
)
api_keys = sa.Table(
    "api_keys",
    metadata,
    sa.Column("id", sa.String(32), primary_key=True),
    sa.Column("tenant", sa.String(128), nullable=False),
    sa.Column("digest", sa.String(64), nullable=False),
    sa.Column("allow", sa.Text, nullable=False),
    sa.Column("requests_per_minute", sa.Integer, nullable=True),
    sa.Column("concurrency", sa.Integer, nullable=True),
    sa.Column("created_at", sa.String(32), nullable=False),
    sa.Column("revoked_at", sa.String(32), nullable=True),
)
