"""Requests of the service's own to an endpoint that its operator named.

They reach only addresses that the egress rules allow.
"""

from __future__ import annotations

import socket
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import httpcore2
import httpx2
import structlog

from extractor.egress.hosts import parse_host
from extractor.egress.policy import as_address
from extractor.egress.resolve import judge_dial
from extractor.settings import ExtractorSettings

#: From a canonical name to its addresses; raises ``OSError`` when there are none.
LookUp = Callable[[str], Sequence[str]]
_log = structlog.get_logger("pagefold.summariser")
_MOST_ATTEMPTS = 3


def look_up(host: str) -> list[str]:
    """Addresses in the system's order of preference, each once. Blocks."""
    found = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(entry[4][0]) for entry in found))


class JudgedBackend(httpcore2.NetworkBackend):
    """Connects to addresses that the rules allow, each looked up once, and never to a port of our own."""

    def __init__(self, settings: ExtractorSettings, lookup: LookUp = look_up) -> None:
        self._settings = settings
        self._look_up = lookup
        self._wire = httpcore2.SyncBackend()

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore2.NetworkStream:
        """Raises httpcore's ConnectError for what is refused, too; the exact reason stands in the log."""
        tried = self._judged(host, port)[:_MOST_ATTEMPTS]
        error: Exception = httpcore2.ConnectError("no address")
        for address in tried:
            try:
                return self._wire.connect_tcp(
                    address,
                    port,
                    timeout=timeout and timeout / len(tried),
                    local_address=local_address,
                    socket_options=socket_options,
                )
            except (httpcore2.ConnectError, httpcore2.ConnectTimeout) as failed:
                error = failed
        raise error

    def _judged(self, host: str, port: int) -> Sequence[str]:
        try:
            name = str(parse_host(f"[{host}]" if ":" in host else host))
            addresses = [name] if as_address(name) else self._look_up(name)
        except (OSError, ValueError) as error:
            raise httpcore2.ConnectError("the name has no address") from error
        rules, own_ports = self._settings.egress_rules, self._settings.own_ports
        verdict = judge_dial(name, port, addresses, rules, own_ports=own_ports)
        if not verdict.allowed:
            _log.warning("summariser_refused", host=name, port=port, reason=verdict.reason)
            raise httpcore2.ConnectError("the address may not be dialled")
        return addresses


class JudgedTransport(httpx2.HTTPTransport):
    """httpx's transport over judged connections."""

    def __init__(self, settings: ExtractorSettings, lookup: LookUp = look_up) -> None:
        super().__init__(trust_env=False)
        # The only way to give it another network: its constructor takes none.
        self._pool = httpcore2.ConnectionPool(
            ssl_context=httpx2.create_ssl_context(trust_env=False),
            max_keepalive_connections=0,  # summaries are rare; nothing is left open between them
            network_backend=JudgedBackend(settings, lookup),
        )
