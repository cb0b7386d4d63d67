"""Versions and idempotency keys as the session routes' headers carry them."""

from __future__ import annotations

import hashlib

from pydantic import BaseModel

from compactor.cost import serialise
from compactor.errors import InvalidRequest
from compactor.log import Keyed


def version_tag(version: int) -> str:
    """The session's version as an entity tag."""
    return f'"v{version}"'


def expected_version(if_match: str | None) -> int | None:
    """The version in an If-Match header; ``*`` asks for nothing."""
    if if_match is None or if_match.strip() == "*":
        return None
    digits = if_match.strip().strip('"').removeprefix("v")
    if not digits.isdecimal():
        raise InvalidRequest('If-Match must be a session version such as "v3".', field="If-Match")
    return int(digits)


def keyed_request(key: str | None, body: BaseModel, route: str = "") -> Keyed | None:
    """The key with a digest of the body, and of the route where several share a session's keys; ``None``
    without a key.
    """
    if key is None:
        return None
    written = serialise([route, body.model_dump()] if route else dict(body))
    digest = hashlib.sha256(written.encode("utf-8", "surrogatepass")).hexdigest()
    return Keyed(key, digest)
