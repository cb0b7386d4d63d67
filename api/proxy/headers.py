"""Which headers go through the proxy. None of them is kept."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

Raw = list[tuple[bytes, bytes]]

#: Of one connection, not of the message (RFC 9110, section 7.6.1, and the older ones that are in use).
_HOP_BY_HOP = frozenset(
    b"connection keep-alive proxy-authenticate proxy-authorization proxy-connection te trailer "
    b"transfer-encoding upgrade".split()
)
_OWN = b"x-pagefold-"


def outgoing(headers: Iterable[tuple[bytes, bytes]], *, plain: bool) -> Raw:
    """The client's headers as the provider gets them, without ours and those of the connection.

    ``plain`` asks for an answer that is not compressed, because it will be read on the way.
    """
    dropped = {b"host", b"content-length", b"expect", *([b"accept-encoding"] if plain else [])}
    kept = _without(headers, dropped)
    return [*kept, (b"accept-encoding", b"identity")] if plain else kept


def incoming(
    headers: Iterable[tuple[bytes, bytes]], ours: Mapping[str, str], *, resized: bool = False
) -> Raw:
    """The provider's headers as the client gets them, with ours. ``resized``: its body was changed."""
    dropped = {b"content-length", b"content-encoding"} if resized else set()
    made = [(f"x-pagefold-{name}".encode(), value.encode()) for name, value in ours.items()]
    return [*_without(headers, dropped), *made]


def _without(headers: Iterable[tuple[bytes, bytes]], dropped: set[bytes]) -> Raw:
    lowered = [(name.lower(), value) for name, value in headers]
    named = {
        token.strip().lower()
        for name, value in lowered
        if name == b"connection"
        for token in value.split(b",")
    }
    gone = _HOP_BY_HOP | named | dropped
    return [(n, v) for n, v in lowered if n not in gone and not n.startswith(_OWN)]
