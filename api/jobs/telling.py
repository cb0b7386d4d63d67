"""What a webhook will be told: written with what it tells of, so that neither is without the other."""

from __future__ import annotations

import json
import secrets
from datetime import UTC, datetime
from typing import Any

import sqlalchemy as sa

from compactor.tables import job_deliveries

#: A message's type → when it is sent.
KINDS = ("job.progress", "job.completed", "job.cancelled")


def tell(connection: sa.Connection, job: sa.Row[Any], kind: str, now: int) -> None:
    """Enter a message about ``job``, a row of ``jobs``, to be sent."""
    data = {
        "id": job.id,
        "state": job.state,
        "total": job.total,
        "done": job.done,
        "failed": job.failed,
        "cancelled": job.total - job.done - job.failed if job.state == "cancelled" else 0,
    }
    body = {"type": kind, "timestamp": written(now), "data": data}
    row = {
        "id": f"msg_{secrets.token_hex(16)}",
        "job_id": job.id,
        "kind": kind,
        "body": json.dumps(body, separators=(",", ":")),
        "state": "waiting",
        "created_at": now,
        "not_before": now,
        "tries": 0,
    }
    connection.execute(sa.insert(job_deliveries).values(row))


def written(ms: int) -> str:
    """Milliseconds since 1970 as ISO 8601 in UTC."""
    return datetime.fromtimestamp(ms / 1000, UTC).isoformat(timespec="milliseconds")[:-6] + "Z"
