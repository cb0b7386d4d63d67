"""The providers that the operator has named. No request can choose another host."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from urllib.parse import urlsplit

from compactor.errors import InvalidRequest
from compactor.validate import format_of
from extractor.egress.policy import as_address, split_authority
from extractor.errors import InvalidUrl

_NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,31}\Z")
_PORTS = {"http": 80, "https": 443}
_EXPECTED = "expected NAME=URL, e.g. anthropic=https://api.anthropic.com"


@dataclass(frozen=True, slots=True)
class Upstream:
    """Where a provider's requests go: ``origin`` with the ``path`` that stands before theirs.

    ``profile`` names the provider whose rules its Chat Completions are kept by; empty: the format's own.
    """

    name: str
    origin: str
    path: str
    host: str
    port: int
    profile: str = ""

    @property
    def is_literal(self) -> bool:
        """Whether the operator wrote an address, or this machine's own name, so nothing is looked up."""
        return self.host == "localhost" or as_address(self.host) is not None


def parse_upstream(entry: str) -> Upstream:
    """One entry of the setting, ``NAME=URL`` or ``NAME=URL#PROFILE``.

    Raises:
        ValueError: that is no upstream.
    """
    name, equals, url = entry.partition("=")
    parts = urlsplit(url.strip())
    if not equals or not _NAME.match(name.strip()) or parts.scheme not in _PORTS:
        raise ValueError(f"{entry!r}: {_EXPECTED}")
    if "@" in parts.netloc or parts.query:
        raise ValueError(f"{name!r}: an upstream has no credentials and no query")
    try:
        host, port = split_authority(parts.netloc, _PORTS[parts.scheme])
        if parts.fragment and format_of(parts.fragment) != "openai-chat":
            raise ValueError(f"{name!r}: {parts.fragment!r} is no profile of Chat Completions")
    except (InvalidUrl, InvalidRequest) as error:
        raise ValueError(f"{name!r}: {error.message}") from error
    origin = f"{parts.scheme}://{parts.netloc}"
    return Upstream(name.strip(), origin, parts.path.rstrip("/"), host, port, parts.fragment)


def parse_upstreams(entries: Iterable[str]) -> dict[str, Upstream]:
    """All of them by name.

    Raises:
        ValueError: one is malformed, or two have one name.
    """
    made: dict[str, Upstream] = {}
    for entry in entries:
        upstream = parse_upstream(entry)
        if upstream.name in made:
            raise ValueError(f"{upstream.name!r} is named twice")
        made[upstream.name] = upstream
    return made
