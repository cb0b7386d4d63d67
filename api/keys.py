"""API keys: how they are made, read from a request and compared. A stored key opens nothing."""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
from dataclasses import dataclass
from typing import Literal, get_args

#: What a key may allow: reading pages and snapshots; sessions and the stateless compactor; metrics; and
#: running the caller's own scripts in a page.
Permission = Literal["pages", "sessions", "metrics", "execute"]
PERMISSIONS: tuple[Permission, ...] = get_args(Permission)

_SECRET_BYTES = 32
_WRITTEN = re.compile(r"(pf_[0-9a-f]{12})\.([A-Za-z0-9_-]{43})\Z")
#: Compared with when an id is unknown, so that this takes as long as a wrong secret.
_NOBODY = hashlib.sha256(b"").hexdigest()


@dataclass(frozen=True, slots=True)
class ApiKey:
    """One key as it is stored.

    Attributes:
        id: public name of the key, ``pf_`` and 12 hex digits; it may stand in logs.
        tenant: whose key it is. All keys of a tenant see the same things.
        digest: SHA-256 of the secret, in hex. A 256-bit random secret needs no slow hash.
        allow: what may be done with it.
        requests_per_minute: most requests a minute; ``None`` for the service's default.
        concurrency: most requests at a time; ``None`` for the service's default.
        created_at: ISO 8601 in UTC.
        revoked_at: ISO 8601 in UTC, or ``None`` while it is valid.
    """

    id: str
    tenant: str
    digest: str
    allow: frozenset[Permission]
    requests_per_minute: int | None
    concurrency: int | None
    created_at: str
    revoked_at: str | None = None


def new_id() -> str:
    """A random name for a key."""
    return f"pf_{secrets.token_hex(6)}"


def new_secret() -> str:
    """256 random bits as URL-safe text."""
    return secrets.token_urlsafe(_SECRET_BYTES)


def digest_of(secret: str) -> str:
    """What is stored of a secret."""
    return hashlib.sha256(secret.encode("ascii")).hexdigest()


def parse_key(text: str) -> tuple[str, str] | None:
    """Id and secret of a written key ``pf_id.secret``, or ``None`` when it has another form."""
    found = _WRITTEN.match(text)
    return (found[1], found[2]) if found else None


def secret_fits(key: ApiKey | None, secret: str) -> bool:
    """Whether the secret is that of a valid key; takes the same time for every wrong one."""
    fits = hmac.compare_digest(digest_of(secret), key.digest if key is not None else _NOBODY)
    return fits and key is not None and key.revoked_at is None
