"""What the proxy saw on behalf of one request."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import Literal

from extractor.egress.policy import BLOCKED_PAGE
from extractor.errors import (
    BlockedAddress,
    ConnectError,
    DnsError,
    ExtractorError,
    HttpProtocolError,
    TooLarge,
)

Refusal = Literal[
    "blocked", "dns", "connect", "http_protocol", "too_large", "not_archived", "busy", "websocket"
]


@dataclass(slots=True)
class EgressRecord:
    """Grows while the request runs; hosts are canonical, ``reason`` texts are for the log only.

    Attributes:
        max_bytes: bytes that may be received before every connection of the request is cut; 0 = no cap.
        blocked: (host, reason) of every refused connection, in order.
        last_error: host to its latest failure; a later success removes it.
        bytes_in: bytes received from servers (encoded, TLS included). ``bytes_out``: sent to them.
        connections: opened so far; ``open_connections``: of them, those that are open now.
        allow_websockets: whether tunnels may hold anything but TLS for pages.
        websockets: hosts of WebSockets that were refused, in order.
        refusals: connections that could not be made or kept, for whatever reason.
        lookups: held while a name is looked up.
    """

    max_bytes: int = 0
    allow_websockets: bool = False
    lookups: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(1), repr=False)
    websockets: list[str] = field(default_factory=list)
    blocked: list[tuple[str, str]] = field(default_factory=list)
    last_error: dict[str, tuple[Refusal, str]] = field(default_factory=dict)
    bytes_in: int = 0
    bytes_out: int = 0
    connections: int = 0
    open_connections: int = 0
    refusals: int = 0
    dns_failures: int = 0
    connect_failures: int = 0

    @property
    def capped(self) -> bool:
        return 0 < self.max_bytes < self.bytes_in

    def fail(self, host: str, code: Refusal, detail: str) -> None:
        """Note a connection that could not be made or kept."""
        self.refusals += 1
        if code == "websocket":
            # It says nothing about the host's pages.
            self.websockets.append(host)
            return
        self.last_error[host] = (code, detail)
        match code:
            case "blocked":
                self.blocked.append((host, detail))
            case "dns":
                self.dns_failures += 1
            case "connect":
                self.connect_failures += 1
            case _:
                pass

    def error_for(self, host: str) -> ExtractorError | None:
        """The latest failure of a host as a typed error, or ``None`` when the proxy saw none.

        Chromium reports every failed tunnel as the same ``net::ERR_TUNNEL_CONNECTION_FAILED``; this is
        how its cause is known.
        """
        if host not in self.last_error:
            return None
        code, reason = self.last_error[host]
        detail = f"{host}: {reason}"
        match code:
            case "blocked":
                return BlockedAddress(BLOCKED_PAGE, detail=detail)
            case "dns":
                return DnsError("The host name could not be resolved.", detail=detail)
            case "connect":
                return ConnectError("The server could not be reached.", detail=detail)
            case "http_protocol":
                return HttpProtocolError("The server did not answer in HTTP.", detail=detail)
            case "too_large":
                return TooLarge("The page sent more than max_page_bytes.", detail=detail)
            case "busy":
                return ConnectError("The page opened too many connections.", detail=detail)
            case "websocket":
                return None
            case "not_archived":
                return ConnectError("The archive has no answer for this address.", detail=detail)
