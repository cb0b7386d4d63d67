"""The keys that callers show."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Create the table; without a row in it nothing is asked for."""
    op.create_table(
        "api_keys",
        sa.Column("id", sa.String(32), primary_key=True),
        sa.Column("tenant", sa.String(128), nullable=False),
        sa.Column("digest", sa.String(64), nullable=False),
        sa.Column("allow", sa.Text, nullable=False),
        sa.Column("requests_per_minute", sa.Integer, nullable=True),
        sa.Column("concurrency", sa.Integer, nullable=True),
        sa.Column("created_at", sa.String(32), nullable=False),
        sa.Column("revoked_at", sa.String(32), nullable=True),
    )


def downgrade() -> None:
    """Drop it."""
    op.drop_table("api_keys")
