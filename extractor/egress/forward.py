"""One plain HTTP request through the proxy: headers cleaned, bodies streamed, one per connection."""

from __future__ import annotations

import asyncio
import contextlib
from dataclasses import dataclass
from ipaddress import IPv6Address, ip_address

import h11

from extractor.egress.replay import TRANSFER_HEADERS, StoredResponse
from extractor.egress.wire import HttpStream, end_to_end

REFUSED_HEADER = b"X-Pagefold-Refused"

# A page must not be able to speak to a cloud metadata service even where an operator allows its host.
_NEVER_SENT = frozenset(
    {
        b"host",
        b"metadata",
        b"metadata-flavor",
        b"x-aliyun-ecs-metadata-token",
        b"x-aliyun-ecs-metadata-token-ttl-seconds",
        b"x-aws-ec2-metadata-token",
        b"x-aws-ec2-metadata-token-ttl-seconds",
        b"x-google-metadata-request",
    }
)
# A server must not be able to imitate a refusal of ours.
_NEVER_RETURNED = frozenset({REFUSED_HEADER.lower()})


@dataclass(frozen=True, slots=True)
class PlainTarget:
    """What a request line names. ``path`` is what the server is asked for."""

    host: str
    port: int
    path: bytes

    @property
    def authority(self) -> bytes:
        with contextlib.suppress(ValueError):
            if isinstance(ip_address(self.host), IPv6Address):
                return f"[{self.host}]{self._suffix}".encode("ascii")
        return f"{self.host}{self._suffix}".encode("ascii")

    @property
    def _suffix(self) -> str:
        return "" if self.port == 80 else f":{self.port}"


async def exchange(
    client: HttpStream, server: HttpStream, request: h11.Request, target: PlainTarget
) -> None:
    """Send the request on and stream the answer back.

    Raises:
        h11.RemoteProtocolError: the server does not speak HTTP/1.1.
        OSError: a connection broke or stood still.
    """
    headers = end_to_end(request.headers.raw_items(), _NEVER_SENT)
    chunked = any(name.lower() == b"transfer-encoding" for name, _ in request.headers)
    if chunked:
        headers.append((b"Transfer-Encoding", b"chunked"))
    headers = [(b"Host", target.authority), *headers, (b"Connection", b"close")]
    await server.send(h11.Request(method=request.method, target=target.path, headers=headers))
    # A server may answer before it has read the whole body, so both run at once.
    upload = asyncio.create_task(_copy_body(client, server))
    try:
        await _copy_response(server, client)
    finally:
        upload.cancel()
        await asyncio.gather(upload, return_exceptions=True)


async def refuse(client: HttpStream, status: int, code: str, *extra: tuple[bytes, bytes]) -> None:
    """Answer for the proxy itself. ``code`` is one word; no address is ever in it."""
    body = f"Refused: {code}\n".encode("ascii")
    headers = [
        (REFUSED_HEADER, code.encode("ascii")),
        (b"Content-Type", b"text/plain; charset=utf-8"),
        (b"Cache-Control", b"no-store"),
        *extra,
    ]
    await _answer(client, status, headers, body)


async def answer_stored(client: HttpStream, stored: StoredResponse) -> None:
    """Answer from an archive."""
    headers = [
        (name.encode("latin-1", "replace"), value.encode("latin-1", "replace"))
        for name, value in stored.headers
        if name.lower() not in TRANSFER_HEADERS
    ]
    await _answer(client, stored.status, headers, stored.body)


async def _answer(
    client: HttpStream, status: int, headers: list[tuple[bytes, bytes]], body: bytes
) -> None:
    length = [(b"Content-Length", str(len(body)).encode("ascii")), (b"Connection", b"close")]
    await client.send(h11.Response(status_code=status, headers=[*headers, *length]))
    # An answer to HEAD has no body; h11 refuses to send one, and nothing of it is written.
    with contextlib.suppress(h11.LocalProtocolError):
        if body:
            await client.send(h11.Data(data=body))
        await client.send(h11.EndOfMessage())


async def _copy_body(source: HttpStream, sink: HttpStream) -> None:
    while True:
        event = await source.next_event()
        if isinstance(event, h11.Data):
            await sink.send(h11.Data(data=event.data))
        elif isinstance(event, h11.EndOfMessage):
            await sink.send(h11.EndOfMessage())
            return
        else:
            return


async def _copy_response(server: HttpStream, client: HttpStream) -> None:
    while True:
        event = await server.next_event()
        if isinstance(event, h11.InformationalResponse):
            continue
        if isinstance(event, h11.Response):
            break
        raise h11.RemoteProtocolError("no response")
    names = {name for name, _ in event.headers}
    # The body is decoded from chunks and framed anew: a length beside them would be a lie.
    lengths = frozenset({b"content-length"}) if b"transfer-encoding" in names else frozenset()
    headers = end_to_end(event.headers.raw_items(), _NEVER_RETURNED | lengths)
    await client.send(
        h11.Response(
            status_code=event.status_code,
            reason=event.reason,
            headers=[*headers, (b"Connection", b"close")],
        )
    )
    await _copy_body(server, client)
