"""The way to a provider: looked up once, every answer judged by the egress rules, a judged one dialled."""

from __future__ import annotations

import ssl
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import httpcore2
import httpx2
import structlog

from api.proxy.settings import ProxySettings
from extractor.egress.hosts import parse_host
from extractor.egress.policy import BLOCKED, EgressRules, as_address
from extractor.egress.resolve import Resolver, SystemResolver, judge_dial
from extractor.errors import (
    BlockedAddress,
    ConnectError,
    DeadlineExceeded,
    DnsError,
    ExtractorError,
    HttpProtocolError,
    TlsError,
)

_log = structlog.get_logger("pagefold.proxy")
_KEEP_IDLE = 20
_KEEP_IDLE_S = 30.0


def upstream_rules(settings: ProxySettings) -> EgressRules:
    """The egress rules, with upstreams that are written as an address let through to the exact port."""
    rules = settings.egress_rules
    literal = {(each.host, each.port) for each in settings.upstreams.values() if each.is_literal}
    ports = {each.port for each in settings.upstreams.values()}
    return replace(rules, allow=rules.allow | literal, ports=rules.ports | ports)


class JudgedBackend(httpcore2.AsyncNetworkBackend):
    """Connects to addresses that the rules allow, and never to a port of our own."""

    def __init__(self, settings: ProxySettings, resolver: Resolver | None = None) -> None:
        self._settings = settings
        self._rules = upstream_rules(settings)
        self._resolver = resolver or SystemResolver(settings.max_lookups)
        self._wire = httpcore2.AnyIOBackend()

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore2.AsyncNetworkStream:
        """Raises DnsError, BlockedAddress, or what httpcore raises when nobody answers."""
        addresses = await self._judged(host, port)
        error: Exception = httpcore2.ConnectError("no address")
        tried = addresses[: self._settings.max_dial_attempts]
        for address in tried:
            try:
                return await self._wire.connect_tcp(
                    address,
                    port,
                    timeout=timeout and timeout / len(tried),
                    local_address=local_address,
                    socket_options=socket_options,
                )
            except (httpcore2.ConnectError, httpcore2.ConnectTimeout) as failed:
                error = failed
        raise error

    async def _judged(self, host: str, port: int) -> list[str]:
        name = str(parse_host(f"[{host}]" if ":" in host else host))
        try:
            addresses = [name] if as_address(name) else await self._resolver(name)
        except (OSError, UnicodeError) as error:
            raise DnsError("The provider's name could not be resolved.", detail=name) from error
        own_ports = self._settings.own_ports
        verdict = judge_dial(name, port, addresses, self._rules, own_ports=own_ports)
        if not verdict.allowed:
            _log.warning("proxy_refused", host=name, port=port, reason=verdict.reason)
            raise BlockedAddress(BLOCKED, detail=f"{name}:{port}: {verdict.reason}")
        return addresses


class UpstreamTransport(httpx2.AsyncHTTPTransport):
    """httpx's transport over judged connections. It follows no redirects and keeps no cookies."""

    def __init__(self, settings: ProxySettings, resolver: Resolver | None = None) -> None:
        super().__init__(trust_env=False)
        # The only way to give it another network: its constructor takes none.
        self._pool = httpcore2.AsyncConnectionPool(
            ssl_context=httpx2.create_ssl_context(trust_env=False),
            max_connections=settings.proxy_connections,
            max_keepalive_connections=_KEEP_IDLE,
            keepalive_expiry=_KEEP_IDLE_S,
            network_backend=JudgedBackend(settings, resolver),
        )


def typed(error: httpx2.HTTPError) -> ExtractorError:
    """Our error for what went wrong on the way to a provider."""
    detail = repr(error)
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, ssl.SSLError):
            return TlsError("The provider's certificate or TLS is not acceptable.", detail=detail)
        cause = cause.__cause__ or cause.__context__
    if isinstance(error, httpx2.PoolTimeout):
        return DeadlineExceeded("All connections to providers are taken.", detail=detail)
    if isinstance(error, httpx2.ConnectTimeout | httpx2.ConnectError):
        return ConnectError("The provider could not be reached.", detail=detail)
    if isinstance(error, httpx2.TimeoutException):
        return DeadlineExceeded(
            "The provider sent nothing for too long.", detail=detail, phase="connect"
        )
    if isinstance(error, httpx2.NetworkError):
        return ConnectError("The connection to the provider broke.", detail=detail)
    return HttpProtocolError("The provider did not answer in HTTP.", detail=detail, phase="connect")
