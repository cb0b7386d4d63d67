"""What a result says of hosts that were not let through."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from extractor.egress.record import EgressRecord
from extractor.snapshot import Notice


def blocked_notices(record: EgressRecord, most: int) -> Iterator[Notice]:
    """A notice for each host, at most ``most`` of a kind; the rest are counted in one more."""
    hosts = (host for host, _ in record.blocked)
    yield from _named("blocked_host", hosts, most)
    yield from _named("blocked_websocket", record.websockets, most)


def _named(code: str, hosts: Iterable[str], most: int) -> Iterator[Notice]:
    distinct = list(dict.fromkeys(hosts))
    yield from (Notice(code, host) for host in distinct[:most])
    if (more := len(distinct) - most) > 0:
        yield Notice(code, f"{more} more hosts", more)
