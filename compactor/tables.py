"""The tables of the database: sessions, the keys that callers show, and jobs of many pages.

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
#: Many pages asked for at once. Times are milliseconds since 1970.
jobs = sa.Table(
    "jobs",
    metadata,
    sa.Column("id", sa.String(32), primary_key=True),
    sa.Column("tenant", sa.String(128), nullable=False),
    # ``running`` (queued too), ``completed`` or ``cancelled``.
    sa.Column("state", sa.String(16), nullable=False),
    sa.Column("created_at", sa.BigInteger, nullable=False),
    sa.Column("started_at", sa.BigInteger, nullable=True),
    sa.Column("ended_at", sa.BigInteger, nullable=True),
    # When a page of it was last taken: jobs take turns.
    sa.Column("turn", sa.BigInteger, nullable=False),
    sa.Column("total", sa.Integer, nullable=False),
    sa.Column("done", sa.Integer, nullable=False),
    sa.Column("failed", sa.Integer, nullable=False),
    # The number that the page that ended last has: they only grow.
    sa.Column("last_number", sa.Integer, nullable=False),
    # Limits of the key that made it: pages of its tenant a minute, and at a time.
    sa.Column("per_minute", sa.Integer, nullable=True),
    sa.Column("at_a_time", sa.Integer, nullable=True),
    # The key that its requests and its webhook are sealed with: others leave them alone.
    sa.Column("seal", sa.String(16), nullable=False),
    # What its pages share, sealed; nothing once it has ended.
    sa.Column("options", sa.Text, nullable=True),
    # Address and secret, sealed; how callers are shown it; after how many pages it hears of them.
    sa.Column("webhook", sa.Text, nullable=True),
    sa.Column("webhook_shown", sa.Text, nullable=True),
    sa.Column("webhook_every", sa.Integer, nullable=True),
    sa.Column("idempotency_key", sa.String(255), nullable=True),
    sa.Column("fingerprint", sa.String(64), nullable=True),
    sa.Index("ix_jobs_state", "state", "turn"),
    sa.Index("ix_jobs_tenant", "tenant", "created_at", "id"),
    sa.Index("ix_jobs_idempotency", "tenant", "idempotency_key", unique=True),
)
job_pages = sa.Table(
    "job_pages",
    metadata,
    sa.Column("job_id", sa.ForeignKey("jobs.id", ondelete="CASCADE"), primary_key=True),
    sa.Column("position", sa.Integer, primary_key=True, autoincrement=False),
    # ``waiting``, ``taken``, ``done``, ``failed`` or ``cancelled``.
    sa.Column("state", sa.String(16), nullable=False),
    # What was asked, sealed; nothing once it has ended. The address is what callers are shown.
    sa.Column("request", sa.Text, nullable=True),
    sa.Column("url", sa.Text, nullable=True),
    sa.Column("host", sa.String(255), nullable=False),
    sa.Column("not_before", sa.BigInteger, nullable=False),
    # Who works on it, since when, and until when that holds.
    sa.Column("taken_by", sa.String(32), nullable=True),
    sa.Column("taken_at", sa.BigInteger, nullable=True),
    sa.Column("lease_until", sa.BigInteger, nullable=True),
    sa.Column("tries", sa.Integer, nullable=False),
    sa.Column("number", sa.Integer, nullable=True),
    sa.Column("ended_at", sa.BigInteger, nullable=True),
    sa.Column("code", sa.String(64), nullable=True),
    sa.Column("problem", sa.Text, nullable=True),
    # Name and size of what was stored.
    sa.Column("result", sa.String(128), nullable=True),
    sa.Column("result_bytes", sa.Integer, nullable=True),
    sa.Index("ix_job_pages_waiting", "job_id", "state", "position"),
    sa.Index("ix_job_pages_taken", "state", "lease_until"),
    sa.Index("ix_job_pages_lately", "taken_at", "host"),
    sa.Index("ix_job_pages_number", "job_id", "number", unique=True),
)
#: What webhooks are told. A row is written with what it tells of, and sent afterwards.
job_deliveries = sa.Table(
    "job_deliveries",
    metadata,
    sa.Column("id", sa.String(64), primary_key=True),
    sa.Column("job_id", sa.ForeignKey("jobs.id", ondelete="CASCADE"), nullable=False),
    sa.Column("kind", sa.String(32), nullable=False),
    sa.Column("body", sa.Text, nullable=False),
    # ``waiting``, ``delivered`` or ``failed``.
    sa.Column("state", sa.String(16), nullable=False),
    sa.Column("created_at", sa.BigInteger, nullable=False),
    sa.Column("not_before", sa.BigInteger, nullable=False),
    sa.Column("tries", sa.Integer, nullable=False),
    sa.Column("last_status", sa.Integer, nullable=True),
    sa.Column("last_code", sa.String(64), nullable=True),
    sa.Column("ended_at", sa.BigInteger, nullable=True),
    sa.Index("ix_job_deliveries_job", "job_id", "created_at"),
    sa.Index("ix_job_deliveries_due", "state", "not_before"),
)
