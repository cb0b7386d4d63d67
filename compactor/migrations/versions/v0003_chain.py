"""A chain of hashes over each log, when a session was last written to, and which originals it holds."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from compactor.chain import first_link, next_link

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add them; the chain is built over what is there, and nothing counts as idle yet."""
    op.add_column("sessions", sa.Column("touched", sa.BigInteger, nullable=True))
    op.create_index("ix_sessions_touched", "sessions", ["touched"])
    op.add_column("events", sa.Column("link", sa.String(64), nullable=True))
    op.create_table(
        "holdings",
        sa.Column(
            "session_id",
            sa.String(64),
            sa.ForeignKey("sessions.id", ondelete="CASCADE"),
            primary_key=True,
        ),
        sa.Column("ref", sa.String(66), primary_key=True),
        sa.Column("tenant", sa.String(128), nullable=False),
        sa.Column("digest", sa.String(64), nullable=False),
    )
    op.create_index("ix_holdings_digest", "holdings", ["tenant", "digest"])
    _link_up(op.get_bind())


def _link_up(connection: sa.Connection) -> None:
    for session_id, header in connection.execute(sa.text("SELECT id, header FROM sessions")).all():
        link = first_link(session_id, header)
        rows = connection.execute(
            sa.text("SELECT seq, kind, body FROM events WHERE session_id = :id ORDER BY seq"),
            {"id": session_id},
        ).all()
        for seq, kind, body in rows:
            link = next_link(link, seq, kind, body)
            connection.execute(
                sa.text("UPDATE events SET link = :link WHERE session_id = :id AND seq = :seq"),
                {"link": link, "id": session_id, "seq": seq},
            )


def downgrade() -> None:
    """Take them away."""
    op.drop_table("holdings")
    with op.batch_alter_table("events") as batch:
        batch.drop_column("link")
    op.drop_index("ix_sessions_touched", "sessions")
    with op.batch_alter_table("sessions") as batch:
        batch.drop_column("touched")
