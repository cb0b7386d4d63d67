"""The proxy over real loopback sockets, with invented name answers. Nothing leaves this machine."""

from __future__ import annotations

import asyncio
import base64
import contextlib
import gzip
from collections.abc import AsyncIterator, Awaitable, Callable

import pytest

from extractor.egress.fetch import fetch
from extractor.egress.proxy import EgressProxy
from extractor.egress.replay import StoredResponse
from extractor.errors import (
    BlockedAddress,
    ConnectError,
    DeadlineExceeded,
    DnsError,
    HttpProtocolError,
    InvalidUrl,
    TlsError,
    TooLarge,
    TooManyRedirects,
)
from extractor.settings import ExtractorSettings

Handler = Callable[[bytes, asyncio.StreamWriter], Awaitable[None]]
PAGE = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 5\r\n\r\nhello"


@contextlib.asynccontextmanager
async def origin(handler: Handler | bytes) -> AsyncIterator[tuple[int, list[bytes]]]:
    """A server on loopback that answers one request per connection; yields port and requests seen."""
    seen: list[bytes] = []
    tasks: set[asyncio.Task[None]] = set()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        tasks.add(task)
        with contextlib.suppress(
            ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError
        ):
            head = await reader.readuntil(b"\r\n\r\n")
            seen.append(head)
            if isinstance(handler, bytes):
                writer.write(handler)
                await writer.drain()
            else:
                await handler(head, writer)
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    async with server:
        yield server.sockets[0].getsockname()[1], seen
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks)


def names(**answers: list[str]) -> Callable[[str], Awaitable[list[str]]]:
    async def resolve(host: str) -> list[str]:
        found = answers.get(host.replace(".", "_"))
        if found is None:
            raise OSError("no such name")
        return found

    return resolve


def settings(*allow: str, **limits: object) -> ExtractorSettings:
    return ExtractorSettings.model_validate({"allow_hosts": allow, **limits})


async def ask(proxy: EgressProxy, request: bytes, key: str | None = "k") -> bytes:
    reader, writer = await asyncio.open_connection("127.0.0.1", proxy.port)
    head, _, rest = request.partition(b"\r\n")
    auth = b""
    if key is not None:
        pair = ":".join(proxy.credentials(key)).encode()
        auth = b"Proxy-Authorization: Basic " + base64.b64encode(pair) + b"\r\n"
    writer.write(head + b"\r\n" + auth + rest)
    answer = await reader.read()
    writer.close()
    await writer.wait_closed()
    return answer


def get(url: str, *headers: str) -> bytes:
    lines = [f"GET {url} HTTP/1.1", "Host: whatever.example", *headers, "", ""]
    return "\r\n".join(lines).encode()


async def test_without_credentials_nothing_passes() -> None:
    async with origin(PAGE) as (port, seen), EgressProxy(settings(f"127.0.0.1:{port}")) as proxy:
        proxy.register("k")
        for key in (None, "unknown"):
            answer = await ask(proxy, get(f"http://127.0.0.1:{port}/"), key)
            assert answer.startswith(b"HTTP/1.1 407")
            assert b"Proxy-Authenticate: Basic" in answer
    assert not seen


async def test_private_answers_are_refused_and_recorded() -> None:
    resolver = names(inner_example=["10.1.2.3"], mixed_example=["8.8.8.8", "169.254.169.254"])
    async with EgressProxy(settings(), resolver=resolver) as proxy:
        record = proxy.register("k")
        for host in ("inner.example", "mixed.example"):
            for request in (
                get(f"http://{host}/"),
                f"CONNECT {host}:443 HTTP/1.1\r\nHost: x\r\n\r\n".encode(),
            ):
                answer = await ask(proxy, request)
                assert answer.startswith(b"HTTP/1.1 403")
                assert b"X-Pagefold-Refused: blocked" in answer
                assert b"10.1.2.3" not in answer
                assert b"169.254" not in answer
    assert [host for host, _ in record.blocked] == ["inner.example"] * 2 + ["mixed.example"] * 2
    assert isinstance(record.error_for("inner.example"), BlockedAddress)


async def test_a_name_is_looked_up_once_and_the_judged_address_is_dialled() -> None:
    asked: list[str] = []

    async def rebinding(host: str) -> list[str]:
        asked.append(host)
        return ["127.0.0.1"] if len(asked) == 1 else ["10.0.0.1"]

    async with origin(PAGE) as (port, _):
        limits = settings(f"app.example:{port}")
        async with EgressProxy(limits, resolver=rebinding) as proxy:
            proxy.register("k")
            answer = await ask(proxy, get(f"http://app.example:{port}/"))
    assert answer.endswith(b"hello")
    assert asked == ["app.example"]


async def test_denied_hosts_and_closed_ports_are_never_looked_up() -> None:
    async def resolver(host: str) -> list[str]:
        raise AssertionError(host)

    async with EgressProxy(settings(deny_hosts=".bad.example"), resolver=resolver) as proxy:
        record = proxy.register("k")
        for url in ("http://x.bad.example/", "http://fine.example:22/"):
            assert (await ask(proxy, get(url))).startswith(b"HTTP/1.1 403")
    assert len(record.blocked) == 2


async def test_dns_failures_and_slow_dns_are_told_apart_from_blocks() -> None:
    async def resolver(host: str) -> list[str]:
        if host == "slow.example":
            await asyncio.sleep(60)
        raise OSError("no such name")

    async with EgressProxy(settings(dns_timeout_s=0.05), resolver=resolver) as proxy:
        record = proxy.register("k")
        for host in ("slow.example", "gone.example"):
            answer = await ask(proxy, get(f"http://{host}/"))
            assert answer.startswith(b"HTTP/1.1 502")
            assert isinstance(record.error_for(host), DnsError)
    assert record.dns_failures == 2
    assert not record.blocked


async def test_headers_of_one_connection_are_not_passed_on_and_host_is_rebuilt() -> None:
    answer_of_origin = (
        b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: x-one\r\nX-One: 1\r\n"
        b"Keep-Alive: 5\r\nX-Pagefold-Refused: fake\r\nX-Two: 2\r\n\r\nok"
    )
    sent = ("Connection: x-secret", "X-Secret: 1", "Metadata-Flavor: Google", "X-Kept: 1")
    async with (
        origin(answer_of_origin) as (port, seen),
        EgressProxy(settings(f"127.0.0.1:{port}")) as proxy,
    ):
        record = proxy.register("k")
        answer = await ask(proxy, get(f"http://127.0.0.1:{port}/a?b", *sent))
    request = seen[0].lower()
    assert request.startswith(b"get /a?b http/1.1\r\n")
    assert f"host: 127.0.0.1:{port}\r\n".encode() in request
    assert b"x-kept: 1" in request
    for name in (b"x-secret", b"proxy-authorization", b"metadata-flavor", b"whatever.example"):
        assert name not in request
    assert b"X-Two: 2" in answer
    for name in (b"x-one", b"keep-alive", b"x-pagefold-refused"):
        assert name not in answer.lower()
    assert record.bytes_in == len(answer_of_origin)


async def test_second_pipelined_request_is_never_answered() -> None:
    async with origin(PAGE) as (port, seen), EgressProxy(settings(f"127.0.0.1:{port}")) as proxy:
        proxy.register("k")
        first = get(f"http://127.0.0.1:{port}/one")
        answer = await ask(proxy, first + get("http://10.0.0.1/two"))
    assert answer.count(b"HTTP/1.1") == 1
    assert len(seen) == 1


async def test_tunnel_carries_bytes_both_ways_and_is_cut_at_the_byte_cap() -> None:
    async def echo(head: bytes, writer: asyncio.StreamWriter) -> None:
        writer.write(b"got:" + head + b"x" * 1000)
        await writer.drain()

    for cap, whole in ((0, True), (100, False)):
        async with origin(echo) as (port, _), EgressProxy(settings(f"127.0.0.1:{port}")) as proxy:
            record = proxy.register("k", max_bytes=cap, any_tunnel=True)
            request = f"CONNECT 127.0.0.1:{port} HTTP/1.1\r\nHost: x\r\n\r\nping\r\n\r\n"
            reader, writer = await asyncio.open_connection("127.0.0.1", proxy.port)
            pair = ":".join(proxy.credentials("k")).encode()
            head, _, rest = request.partition("\r\n")
            auth = f"Proxy-Authorization: Basic {base64.b64encode(pair).decode()}"
            writer.write(f"{head}\r\n{auth}\r\n{rest}".encode())
            answer = b""
            with contextlib.suppress(ConnectionError):
                assert (await reader.readuntil(b"\r\n\r\n")).startswith(b"HTTP/1.1 200")
                writer.write_eof()
                answer = await reader.read()
            writer.close()
            with contextlib.suppress(ConnectionError):
                await writer.wait_closed()
        assert (answer == b"got:ping\r\n\r\n" + b"x" * 1000) is whole
        assert record.capped is not whole


async def test_own_port_is_refused_even_when_allow_listed() -> None:
    async with EgressProxy(settings()) as probe:
        port = probe.port
    proxy = EgressProxy(settings(f"127.0.0.1:{port}"))
    proxy._server = await asyncio.start_server(proxy._serve, "127.0.0.1", port)
    try:
        proxy.register("k")
        answer = await ask(proxy, get(f"http://127.0.0.1:{port}/"))
        assert answer.startswith(b"HTTP/1.1 403")
    finally:
        await proxy.close()


async def test_forgotten_requests_lose_their_connections() -> None:
    async def hang(head: bytes, writer: asyncio.StreamWriter) -> None:
        await asyncio.sleep(60)

    async with origin(hang) as (port, seen), EgressProxy(settings(f"127.0.0.1:{port}")) as proxy:
        proxy.register("k")
        waiting = asyncio.create_task(ask(proxy, get(f"http://127.0.0.1:{port}/")))
        while not seen:
            await asyncio.sleep(0.01)
        await proxy.forget("k")
        with contextlib.suppress(ConnectionError):
            assert await asyncio.wait_for(waiting, 2) == b""


async def test_replay_answers_without_dialling() -> None:
    class One:
        def find(self, method: str, url: str) -> StoredResponse | None:
            found = method == "GET" and url == "http://a.example/"
            return StoredResponse(200, (("Content-Type", "text/plain"),), b"old") if found else None

    async with EgressProxy(settings(), replay=One()) as proxy:
        proxy.register("k")
        assert (await ask(proxy, get("http://a.example/"))).endswith(b"\r\n\r\nold")
        assert (await ask(proxy, get("http://b.example/"))).startswith(b"HTTP/1.1 504")
        connect = b"CONNECT a.example:443 HTTP/1.1\r\nHost: x\r\n\r\n"
        assert (await ask(proxy, connect)).startswith(b"HTTP/1.1 504")


def in_s(seconds: float) -> float:
    return asyncio.get_running_loop().time() + seconds


async def test_fetch_follows_redirects_and_lists_them() -> None:
    async def serve(head: bytes, writer: asyncio.StreamWriter) -> None:
        if head.startswith(b"GET /start "):
            writer.write(b"HTTP/1.1 302 Found\r\nLocation: /end\r\nContent-Length: 0\r\n\r\n")
        else:
            writer.write(PAGE)

    async with origin(serve) as (port, seen):
        own = settings(f"127.0.0.1:{port}")
        async with EgressProxy(own) as proxy:
            base = f"http://127.0.0.1:{port}"
            got = await fetch(f"{base}/start", settings=own, proxy=proxy, deadline=in_s(5))
    assert (got.final_url, got.redirects) == (f"{base}/end", (f"{base}/start",))
    assert (got.status, got.body, got.content_type) == (200, b"hello", "text/html")
    assert got.complete
    assert len(seen) == 2


@pytest.mark.parametrize(
    ("location", "error"),
    [
        ("http://169.254.169.254/latest/", BlockedAddress),
        ("http://inner.example/", BlockedAddress),
        ("http://gone.example/", DnsError),
        ("file:///etc/hostname", HttpProtocolError),
        ("/again", TooManyRedirects),
        (f"/{'x' * 66_000}", HttpProtocolError),
    ],
)
async def test_redirect_targets_are_judged(location: str, error: type[Exception]) -> None:
    answer = f"HTTP/1.1 301 Moved\r\nLocation: {location}\r\nContent-Length: 0\r\n\r\n".encode()
    async with origin(answer) as (port, _):
        own = settings(f"127.0.0.1:{port}")
        resolver = names(inner_example=["10.0.0.1"])
        async with EgressProxy(own, resolver=resolver) as proxy:
            url = f"http://127.0.0.1:{port}/"
            with pytest.raises(error):
                await fetch(url, settings=own, proxy=proxy, deadline=in_s(5))


async def test_a_url_that_is_too_long_to_be_sent_is_invalid() -> None:
    async with origin(PAGE) as (port, seen):
        own = settings(f"127.0.0.1:{port}")
        async with EgressProxy(own) as proxy:
            url = f"http://127.0.0.1:{port}/{'x' * 66_000}"
            with pytest.raises(InvalidUrl, match="too long"):
                await fetch(url, settings=own, proxy=proxy, deadline=in_s(5))
        assert seen == []


async def test_decompression_bomb_is_too_large() -> None:
    bomb = gzip.compress(b"\0" * 5_000_000)
    head = f"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: {len(bomb)}\r\n\r\n"
    async with origin(head.encode() + bomb) as (port, _):
        own = settings(f"127.0.0.1:{port}", max_document_bytes=1_000_000)
        async with EgressProxy(own) as proxy:
            with pytest.raises(TooLarge):
                await fetch(
                    f"http://127.0.0.1:{port}/", settings=own, proxy=proxy, deadline=in_s(5)
                )


async def test_deadline_keeps_what_has_arrived() -> None:
    async def slow(head: bytes, writer: asyncio.StreamWriter) -> None:
        if b"/none" not in head:
            writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\npart")
            await writer.drain()
        await asyncio.sleep(60)

    async with origin(slow) as (port, _):
        own = settings(f"127.0.0.1:{port}")
        async with EgressProxy(own) as proxy:
            base = f"http://127.0.0.1:{port}"
            got = await fetch(f"{base}/some", settings=own, proxy=proxy, deadline=in_s(0.5))
            assert (got.body, got.complete, got.incomplete_reason) == (b"part", False, "deadline")
            with pytest.raises(DeadlineExceeded):
                await fetch(f"{base}/none", settings=own, proxy=proxy, deadline=in_s(0.5))


@pytest.mark.parametrize(
    ("scheme", "answer", "error"),
    [
        ("https", b"HTTP/1.1 200 OK\r\n\r\n", TlsError),
        ("http", b"no http at all\r\n\r\n", HttpProtocolError),
    ],
)
async def test_broken_servers_are_typed(scheme: str, answer: bytes, error: type[Exception]) -> None:
    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(100)
        writer.write(answer)
        await writer.drain()
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    async with server:
        port = server.sockets[0].getsockname()[1]
        own = settings(f"127.0.0.1:{port}")
        async with EgressProxy(own) as proxy:
            with pytest.raises(error):
                await fetch(
                    f"{scheme}://127.0.0.1:{port}/", settings=own, proxy=proxy, deadline=in_s(5)
                )


async def test_closed_port_is_a_connect_error() -> None:
    async with origin(PAGE) as (port, _):
        pass
    own = settings(f"127.0.0.1:{port}")
    async with EgressProxy(own) as proxy:
        with pytest.raises(ConnectError):
            await fetch(f"http://127.0.0.1:{port}/", settings=own, proxy=proxy, deadline=in_s(5))
