"""What passes between a client and a server once both are there: a tunnel, an exchange, a stored answer."""

from __future__ import annotations

import h11
import structlog

from extractor.egress import forward
from extractor.egress.dialling import RefusedError
from extractor.egress.hello import offers_http2, read_hello
from extractor.egress.policy import split_authority
from extractor.egress.record import EgressRecord
from extractor.egress.replay import ResponseSource
from extractor.egress.wire import HttpStream, Tunnel

_log = structlog.get_logger(__name__)


async def replay(client: HttpStream, request: h11.Request, source: ResponseSource) -> None:
    """Answer from an archive; what it lacks is refused."""
    stored = None
    if request.method != b"CONNECT":
        stored = source.find(request.method.decode("ascii"), request.target.decode("ascii"))
    if stored is None:
        raise RefusedError("not_archived", request.target.decode("ascii"))
    await forward.answer_stored(client, stored)


async def tunnel(
    client: HttpStream,
    server: HttpStream,
    host: str,
    record: EgressRecord,
    *,
    idle_timeout_s: float,
) -> None:
    """Pass bytes both ways until either side ends or nothing moves for so many seconds.

    Raises:
        RefusedError: the byte cap was reached, or the client opens a WebSocket and may not.
        OSError: the client sent nothing.
    """
    await client.send(h11.Response(status_code=200, headers=[], reason=b"Connected"))
    first, _ = client.http.trailing_data
    if not record.allow_websockets:
        first = await read_hello(client.reader, first, idle_timeout_s)
        if first and not offers_http2(first):
            raise RefusedError("websocket", "no TLS that offers HTTP/2")
    try:
        await Tunnel(idle_timeout_s).run(client, server, first)
    except* RefusedError as refused:
        raise RefusedError("too_large", str(refused.exceptions[0])) from None
    except* OSError as broken:
        _log.debug("egress_tunnel_broke", host=host, errors=repr(broken.exceptions))
        client.writer.transport.abort()


async def exchange(
    client: HttpStream,
    server: HttpStream,
    request: h11.Request,
    target: forward.PlainTarget,
) -> None:
    """Pass one plain request on and its answer back."""
    try:
        await forward.exchange(client, server, request, target)
    except h11.RemoteProtocolError as error:
        raise RefusedError("http_protocol", repr(error)) from error
    except OSError as error:
        raise RefusedError("connect", repr(error)) from error


def read_target(request: h11.Request) -> forward.PlainTarget:
    """Where a request wants to go: the authority of ``CONNECT``, or an absolute ``http`` address.

    Raises:
        InvalidUrl, ValueError: it is neither.
    """
    text = request.target.decode("ascii")
    if request.method == b"CONNECT":
        host, port = split_authority(text, None)
        return forward.PlainTarget(host, port, b"")
    scheme, mark, rest = text.partition("://")
    if not mark or scheme.lower() != "http":
        raise ValueError("not an absolute http URL")
    cut = min((at for at in map(rest.find, "/?#\\") if at >= 0), default=len(rest))
    host, port = split_authority(rest[:cut], 80)
    path = rest[cut:].partition("#")[0]
    return forward.PlainTarget(host, port, (path if path[:1] == "/" else f"/{path}").encode())
