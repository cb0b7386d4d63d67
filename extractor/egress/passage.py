"""One admitted request on its way through the proxy: judged, dialled, passed on or refused."""

from __future__ import annotations

import h11
import structlog

from extractor.egress import forward, relay
from extractor.egress.dialling import Dialler, RefusedError
from extractor.egress.policy import EgressRules, judge_target
from extractor.egress.record import EgressRecord, Refusal
from extractor.egress.replay import ResponseSource
from extractor.egress.wire import HttpStream
from extractor.errors import InvalidUrl
from extractor.settings import ExtractorSettings

_log = structlog.get_logger("extractor.egress.proxy")
_STATUS: dict[Refusal, int] = {
    "blocked": 403,
    "too_large": 403,
    "dns": 502,
    "connect": 502,
    "http_protocol": 502,
    "not_archived": 504,
    "busy": 503,
    "websocket": 403,
}


class Passage:
    """What the proxy does with a request once it knows whose it is.

    Args:
        replay: with it nothing is ever dialled; answers come from there.
    """

    def __init__(
        self, settings: ExtractorSettings, dialler: Dialler, replay: ResponseSource | None
    ) -> None:
        self._settings, self._dialler, self._replay = settings, dialler, replay
        self._rules: EgressRules = settings.egress_rules

    async def run(
        self, client: HttpStream, request: h11.Request, key: str, record: EgressRecord
    ) -> None:
        """Answer the request; every refusal is in ``record``, and in the log.

        Raises:
            OSError, h11.ProtocolError: the client broke off.
        """
        try:
            target = relay.read_target(request)
        except (InvalidUrl, ValueError):
            await forward.refuse(client, 400, "malformed_target")
            return
        record.connections += 1
        record.open_connections += 1
        try:
            await self._pass_on(client, request, target, record)
        except RefusedError as refused:
            record.fail(target.host, refused.code, refused.detail)
            self._tell(key, target, refused, record)
            if client.http.our_state is h11.SEND_RESPONSE:
                await forward.refuse(client, _STATUS[refused.code], refused.code)
            else:
                # The answer has begun: breaking it off is all that tells the client.
                client.writer.transport.abort()
        finally:
            record.open_connections -= 1

    def _tell(
        self, key: str, target: forward.PlainTarget, refused: RefusedError, record: EgressRecord
    ) -> None:
        # A page may be refused thousands of times a second; the log is not its to fill.
        if record.refusals > self._settings.max_page_refusal_lines:
            return
        _log.info(
            "egress_refused",
            key=key,
            host=target.host,
            port=target.port,
            code=refused.code,
            reason=refused.detail,
        )

    async def _pass_on(
        self,
        client: HttpStream,
        request: h11.Request,
        target: forward.PlainTarget,
        record: EgressRecord,
    ) -> None:
        # What is refused by name, port or literal is never looked up.
        early = judge_target(target.host, target.port, self._rules)
        if not early.allowed:
            raise RefusedError("blocked", early.reason)
        if self._replay is not None:
            await relay.replay(client, request, self._replay)
            return
        if record.capped:
            raise RefusedError("too_large", "byte cap of the page")
        if record.open_connections > self._settings.max_page_connections:
            raise RefusedError("busy", "connections of the page")
        server = await self._dialler.connect(target, record)
        try:
            if request.method == b"CONNECT":
                idle_s = self._settings.idle_timeout_s
                await relay.tunnel(client, server, target.host, record, idle_timeout_s=idle_s)
            else:
                await relay.exchange(client, server, request, target)
        finally:
            server.writer.close()
