"""WebSockets are off unless a setting says otherwise; pages over TLS pass all the same."""

from __future__ import annotations

import asyncio
import ssl

import pytest

from extractor.egress.hello import offers_http2
from extractor.egress.proxy import EgressProxy
from tests.security.proxying import connect, limits, server, with_credentials

HANDSHAKE = b"GET /chat HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n"


def client_hello(*protocols: str) -> bytes:
    """The first bytes that OpenSSL sends."""
    context = ssl.create_default_context()
    if protocols:
        context.set_alpn_protocols(list(protocols))
    incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
    session = context.wrap_bio(incoming, outgoing, server_hostname="a.example")
    with pytest.raises(ssl.SSLWantReadError):
        session.do_handshake()
    return outgoing.read()


def test_only_a_hello_that_offers_http2_is_for_pages() -> None:
    page = client_hello("h2", "http/1.1")
    assert offers_http2(page)
    for other in (client_hello("http/1.1"), client_hello(), HANDSHAKE, b"", b"\x16\x03\x01"):
        assert not offers_http2(other)
    for cut in range(len(page)):
        assert not offers_http2(page[:cut])


async def through_tunnel(first: list[bytes], *, allowed: bool) -> tuple[bytes, list[str]]:
    """What a server gets of ``first``, sent in pieces; and the WebSockets that were refused."""
    got = bytearray()
    ended = asyncio.Event()

    async def handler(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while data := await reader.read(1 << 16):
                got.extend(data)
        finally:
            ended.set()

    async with server(handler) as port:
        chosen = limits(f"127.0.0.1:{port}", allow_websockets=allowed, idle_timeout_s=5)
        async with EgressProxy(chosen) as proxy:
            record = proxy.register("k")
            reader, writer = await asyncio.open_connection("127.0.0.1", proxy.port)
            writer.write(with_credentials(proxy, connect(f"127.0.0.1:{port}")))
            assert (await reader.readuntil(b"\r\n\r\n")).startswith(b"HTTP/1.1 200 ")
            for piece in first:
                writer.write(piece)
                await writer.drain()
                await asyncio.sleep(0.05)
            if not writer.transport.is_closing():
                writer.write_eof()
            await asyncio.wait_for(ended.wait(), 5)
            writer.close()
    return bytes(got), record.websockets


@pytest.mark.parametrize("first", [[HANDSHAKE], [client_hello("http/1.1")], [b"\x16\x03", b"x"]])
async def test_not_a_byte_of_a_websocket_leaves(first: list[bytes]) -> None:
    got, refused = await through_tunnel(first, allowed=False)
    assert got == b""
    assert refused == ["127.0.0.1"]


async def test_tls_for_pages_passes_whole_in_however_many_pieces() -> None:
    hello = client_hello("h2", "http/1.1")
    got, refused = await through_tunnel(
        [hello[:3], hello[3:200], hello[200:], b"more"], allowed=False
    )
    assert got == hello + b"more"
    assert not refused


async def test_a_setting_allows_them() -> None:
    got, refused = await through_tunnel([HANDSHAKE], allowed=True)
    assert got == HANDSHAKE
    assert not refused
