"""Who may use the proxy: each request by a key of its own, for as long as it runs."""

from __future__ import annotations

import asyncio
import base64
import binascii
import hmac
import secrets

import h11

from extractor.egress.record import EgressRecord
from extractor.settings import ExtractorSettings


class Admission:
    """The requests that are let in, with the record of each."""

    def __init__(self, settings: ExtractorSettings) -> None:
        self._settings = settings
        self._password = secrets.token_urlsafe(32)
        self._records: dict[str, EgressRecord] = {}

    def register(self, key: str, max_bytes: int, *, any_tunnel: bool) -> EgressRecord:
        """Let ``key`` in until it is forgotten; see ``EgressProxy.register``.

        Raises:
            ValueError: the key is malformed or in use.
        """
        if not key or not key.isascii() or ":" in key or key in self._records:
            raise ValueError(f"malformed or repeated request key {key!r}")
        record = self._records[key] = EgressRecord(
            max_bytes=max_bytes,
            allow_websockets=any_tunnel or self._settings.allow_websockets,
            lookups=asyncio.Semaphore(self._settings.max_page_lookups),
        )
        return record

    def credentials(self, key: str) -> tuple[str, str]:
        """User name and password with which ``key`` comes in."""
        return key, self._password

    def record(self, key: str) -> EgressRecord:
        """What was seen so far.

        Raises:
            KeyError: not registered.
        """
        return self._records[key]

    def forget(self, key: str) -> EgressRecord:
        """Let ``key`` in no longer.

        Raises:
            KeyError: not registered.
        """
        return self._records.pop(key)

    def key_of(self, request: h11.Request) -> str | None:
        """The key that a request's proxy credentials prove, or ``None``."""
        for name, value in request.headers:
            if name == b"proxy-authorization" and value[:6].lower() == b"basic ":
                try:
                    pair = base64.b64decode(value[6:], validate=True).decode("utf-8")
                except (binascii.Error, UnicodeError):
                    return None
                key, _, password = pair.partition(":")
                known = hmac.compare_digest(password.encode(), self._password.encode())
                return key if known and key in self._records else None
        return None
