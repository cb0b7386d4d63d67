"""Jobs of many pages, their pages, and what their webhooks are told."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Create the three tables."""
    _create_jobs()
    _create_pages()
    _create_deliveries()


def _create_jobs() -> None:
    op.create_table(
        "jobs",
        sa.Column("id", sa.String(32), primary_key=True),
        sa.Column("tenant", sa.String(128), nullable=False),
        sa.Column("state", sa.String(16), nullable=False),
        sa.Column("created_at", sa.BigInteger, nullable=False),
        sa.Column("started_at", sa.BigInteger, nullable=True),
        sa.Column("ended_at", sa.BigInteger, nullable=True),
        sa.Column("turn", sa.BigInteger, nullable=False),
        sa.Column("total", sa.Integer, nullable=False),
        sa.Column("done", sa.Integer, nullable=False),
        sa.Column("failed", sa.Integer, nullable=False),
        sa.Column("last_number", sa.Integer, nullable=False),
        sa.Column("per_minute", sa.Integer, nullable=True),
        sa.Column("at_a_time", sa.Integer, nullable=True),
        sa.Column("seal", sa.String(16), nullable=False),
        sa.Column("options", sa.Text, nullable=True),
        sa.Column("webhook", sa.Text, nullable=True),
        sa.Column("webhook_shown", sa.Text, nullable=True),
        sa.Column("webhook_every", sa.Integer, nullable=True),
        sa.Column("idempotency_key", sa.String(255), nullable=True),
        sa.Column("fingerprint", sa.String(64), nullable=True),
    )
    op.create_index("ix_jobs_state", "jobs", ["state", "turn"])
    op.create_index("ix_jobs_tenant", "jobs", ["tenant", "created_at", "id"])
    op.create_index("ix_jobs_idempotency", "jobs", ["tenant", "idempotency_key"], unique=True)


def _create_pages() -> None:
    op.create_table(
        "job_pages",
        _job_id(primary_key=True),
        sa.Column("position", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("state", sa.String(16), nullable=False),
        sa.Column("request", sa.Text, nullable=True),
        sa.Column("url", sa.Text, nullable=True),
        sa.Column("host", sa.String(255), nullable=False),
        sa.Column("not_before", sa.BigInteger, nullable=False),
        sa.Column("taken_by", sa.String(32), nullable=True),
        sa.Column("taken_at", sa.BigInteger, nullable=True),
        sa.Column("lease_until", sa.BigInteger, nullable=True),
        sa.Column("tries", sa.Integer, nullable=False),
        sa.Column("number", sa.Integer, nullable=True),
        sa.Column("ended_at", sa.BigInteger, nullable=True),
        sa.Column("code", sa.String(64), nullable=True),
        sa.Column("problem", sa.Text, nullable=True),
        sa.Column("result", sa.String(128), nullable=True),
        sa.Column("result_bytes", sa.Integer, nullable=True),
    )
    op.create_index("ix_job_pages_waiting", "job_pages", ["job_id", "state", "position"])
    op.create_index("ix_job_pages_taken", "job_pages", ["state", "lease_until"])
    op.create_index("ix_job_pages_lately", "job_pages", ["taken_at", "host"])
    op.create_index("ix_job_pages_number", "job_pages", ["job_id", "number"], unique=True)


def _create_deliveries() -> None:
    op.create_table(
        "job_deliveries",
        sa.Column("id", sa.String(64), primary_key=True),
        _job_id(),
        sa.Column("kind", sa.String(32), nullable=False),
        sa.Column("body", sa.Text, nullable=False),
        sa.Column("state", sa.String(16), nullable=False),
        sa.Column("created_at", sa.BigInteger, nullable=False),
        sa.Column("not_before", sa.BigInteger, nullable=False),
        sa.Column("tries", sa.Integer, nullable=False),
        sa.Column("last_status", sa.Integer, nullable=True),
        sa.Column("last_code", sa.String(64), nullable=True),
        sa.Column("ended_at", sa.BigInteger, nullable=True),
    )
    op.create_index("ix_job_deliveries_job", "job_deliveries", ["job_id", "created_at"])
    op.create_index("ix_job_deliveries_due", "job_deliveries", ["state", "not_before"])


def _job_id(*, primary_key: bool = False) -> sa.Column[str]:
    key = sa.ForeignKey("jobs.id", ondelete="CASCADE")
    return sa.Column("job_id", sa.String(32), key, primary_key=primary_key, nullable=False)


def downgrade() -> None:
    """Drop them."""
    for table in ("job_deliveries", "job_pages", "jobs"):
        op.drop_table(table)
