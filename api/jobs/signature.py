"""How webhooks are signed: the symmetric scheme of Standard Webhooks 1.0 (standardwebhooks.com)."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac

PREFIX = "whsec_"
_SHORTEST, _LONGEST = 24, 64


def secret_bytes(secret: str) -> bytes:
    """The key that a written secret stands for.

    Raises:
        ValueError: it has another form; the message does not quote it.
    """
    try:
        key = base64.b64decode(secret.removeprefix(PREFIX), validate=True)
    except (binascii.Error, ValueError):
        key = b""
    if not secret.startswith(PREFIX) or not _SHORTEST <= len(key) <= _LONGEST:
        raise ValueError(f"a secret is {PREFIX} and {_SHORTEST} to {_LONGEST} bytes in base64")
    return key


def signed_headers(secret: str, message_id: str, timestamp: int, body: bytes) -> dict[str, str]:
    """The three headers of a message. ``timestamp`` is that of the attempt, in seconds since 1970."""
    content = b"%s.%d.%s" % (message_id.encode("ascii"), timestamp, body)
    digest = hmac.new(secret_bytes(secret), content, hashlib.sha256).digest()
    return {
        "webhook-id": message_id,
        "webhook-timestamp": str(timestamp),
        "webhook-signature": f"v1,{base64.b64encode(digest).decode('ascii')}",
    }
