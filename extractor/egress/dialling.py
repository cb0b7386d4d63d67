"""The way to a server: its name looked up once, every answer judged, a judged address dialled."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import h11

from extractor.egress.forward import PlainTarget
from extractor.egress.policy import EgressRules, as_address, judge_address, judge_host
from extractor.egress.record import EgressRecord, Refusal
from extractor.egress.resolve import Resolver, dial
from extractor.egress.wire import HttpStream
from extractor.settings import ExtractorSettings


class RefusedError(Exception):
    """A connection that may not be, or could not be made; ``detail`` is for the log alone."""

    def __init__(self, code: Refusal, detail: str) -> None:
        super().__init__(detail)
        self.code: Refusal = code
        self.detail = detail


class Dialler:
    """Connects to judged addresses only; ``own_port`` is the proxy's, which is never dialled."""

    def __init__(
        self, settings: ExtractorSettings, resolver: Resolver, own_port: Callable[[], int]
    ) -> None:
        self._settings, self._resolver, self._own_port = settings, resolver, own_port
        self._rules: EgressRules = settings.egress_rules

    async def connect(self, target: PlainTarget, record: EgressRecord) -> HttpStream:
        """A connection whose received bytes count against the record's cap.

        Raises:
            RefusedError: the rules refuse it, or the server cannot be reached.
        """
        addresses = await self._judged_addresses(target.host, target.port)
        try:
            reader, writer = await dial(addresses, target.port, self._settings.connect_timeout_s)
        except OSError as error:
            raise RefusedError("connect", f"port {target.port}: {error!r}") from error
        record.last_error.pop(target.host, None)

        def count(size: int) -> None:
            record.bytes_in += size
            if record.capped:
                raise RefusedError("too_large", "byte cap of the page")

        return HttpStream(
            h11.CLIENT,
            reader,
            writer,
            idle_timeout_s=self._settings.idle_timeout_s,
            on_bytes=count,
        )

    async def _judged_addresses(self, host: str, port: int) -> list[str]:
        addresses = [host] if as_address(host) is not None else await self._resolve(host)
        verdict = judge_host(host, port, addresses, self._rules)
        if not verdict.allowed:
            raise RefusedError("blocked", f"{verdict.reason}: {', '.join(addresses)}")
        if port == self._own_port() and not all(judge_address(each).allowed for each in addresses):
            raise RefusedError("blocked", "the proxy's own port")
        return addresses

    async def _resolve(self, host: str) -> list[str]:
        try:
            async with asyncio.timeout(self._settings.dns_timeout_s):
                addresses = await self._resolver(host)
        except (OSError, UnicodeError) as error:
            raise RefusedError("dns", repr(error)) from error
        if not addresses:
            raise RefusedError("dns", "no address")
        return addresses
