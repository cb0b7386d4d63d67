"""What the proxy promises to whoever runs it: no open relay, no way to itself, limits that hold."""

from __future__ import annotations

import asyncio
import base64

import pytest
from pydantic import ValidationError
from structlog.testing import capture_logs

from api.settings import ApiSettings
from extractor.browser.blocked import blocked_notices
from extractor.egress.proxy import EgressProxy
from extractor.egress.record import EgressRecord
from extractor.settings import ExtractorSettings
from tests.security.proxying import (
    PAGE,
    answering,
    ask,
    connect,
    get,
    hang,
    limits,
    raw,
    server,
    with_credentials,
)


async def test_it_listens_on_loopback_alone_and_is_no_open_relay() -> None:
    seen: list[bytes] = []
    async with (
        server(answering(PAGE, seen)) as port,
        EgressProxy(limits(f"127.0.0.1:{port}")) as proxy,
    ):
        assert proxy._server is not None
        assert {each.getsockname()[0] for each in proxy._server.sockets} == {"127.0.0.1"}
        proxy.register("k")
        proxy.register("ended")
        ended = with_credentials(proxy, get(f"http://127.0.0.1:{port}/"), "ended")
        await proxy.forget("ended")
        wrong = base64.b64encode(b"k:" + b"x" * 43).decode()
        requests = [
            get(f"http://127.0.0.1:{port}/"),
            get(f"http://127.0.0.1:{port}/", f"Proxy-Authorization: Basic {wrong}"),
            get(f"http://127.0.0.1:{port}/", "Proxy-Authorization: Basic %%%"),
            get(f"http://127.0.0.1:{port}/", "Proxy-Authorization: Bearer k"),
            connect(f"127.0.0.1:{port}"),
            ended,
        ]
        for request in requests:
            assert (await raw(proxy, request)).startswith(b"HTTP/1.1 407 ")
    assert not seen


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "own.example"])
async def test_its_own_port_and_that_of_the_api_are_refused_even_when_allowed(host: str) -> None:
    async def resolver(name: str) -> list[str]:
        return ["127.0.0.1"]

    seen: list[bytes] = []
    async with server(answering(PAGE, seen)) as port:
        allowed = ApiSettings.model_validate({"port": port, "allow_hosts": [f"{host}:{port}"]})
        async with EgressProxy(allowed, resolver=resolver) as proxy:
            proxy.register("k")
            for request in (get(f"http://{host}:{port}/"), connect(f"{host}:{port}")):
                assert (await ask(proxy, request)).startswith(b"HTTP/1.1 403 ")
            own = get(f"http://{host}:{proxy.port}/")
            assert (await ask(proxy, own)).startswith(b"HTTP/1.1 403 ")
    assert not seen


async def test_a_refusal_does_not_tell_an_open_port_from_a_closed_one() -> None:
    seen: list[bytes] = []
    async with server(answering(PAGE, seen)) as port, EgressProxy(limits()) as proxy:
        proxy.register("k")
        answers = {
            await ask(proxy, get(url))
            for url in (
                f"http://127.0.0.1:{port}/",
                "http://127.0.0.1:9/",
                "http://10.1.2.3/",
                "http://[fd00:ec2::254]/latest/",
            )
        }
    [answer] = answers
    assert answer.startswith(b"HTTP/1.1 403 ")
    assert answer.endswith(b"\r\n\r\nRefused: blocked\n")
    assert not seen


@pytest.mark.parametrize(
    "target",
    [
        "https://a.example/",
        "ftp://a.example/",
        "file:///etc/hostname",
        "/path",
        "http://user:secret@a.example/",
        "http://a.example:99999/",
        "http://[::1/",
        "http:///",
    ],
)
async def test_targets_other_than_plain_http_are_malformed(target: str) -> None:
    async with EgressProxy(limits()) as proxy:
        proxy.register("k")
        assert (await ask(proxy, get(target))).startswith(b"HTTP/1.1 400 ")


async def test_requests_after_the_first_are_never_read() -> None:
    first_seen: list[bytes] = []
    second_seen: list[bytes] = []
    async with (
        server(answering(PAGE, first_seen)) as first,
        server(answering(PAGE, second_seen)) as second,
        EgressProxy(limits(f"127.0.0.1:{first}", f"127.0.0.1:{second}")) as proxy,
    ):
        proxy.register("k")
        pair = with_credentials(proxy, get(f"http://127.0.0.1:{first}/"))
        pair += with_credentials(proxy, get(f"http://127.0.0.1:{second}/"))
        answer = await raw(proxy, pair)
    assert answer.count(b"HTTP/1.1") == 1
    assert (len(first_seen), len(second_seen)) == (1, 0)


async def test_headers_for_metadata_services_are_never_sent() -> None:
    seen: list[bytes] = []
    names = (
        "Metadata",
        "Metadata-Flavor",
        "X-Google-Metadata-Request",
        "X-aws-ec2-metadata-token",
        "X-aws-ec2-metadata-token-ttl-seconds",
        "X-aliyun-ecs-metadata-token",
    )
    async with (
        server(answering(PAGE, seen)) as port,
        EgressProxy(limits(f"127.0.0.1:{port}")) as proxy,
    ):
        proxy.register("k")
        await ask(proxy, get(f"http://127.0.0.1:{port}/", *(f"{name}: true" for name in names)))
    assert b"metadata" not in seen[0].lower()


async def test_a_server_cannot_ask_for_the_proxys_credentials() -> None:
    challenge = (
        b"HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n"
        b'Proxy-Authenticate: Basic realm="x"\r\n\r\n'
    )
    async with (
        server(answering(challenge, [])) as port,
        EgressProxy(limits(f"127.0.0.1:{port}")) as proxy,
    ):
        proxy.register("k")
        answer = await ask(proxy, get(f"http://127.0.0.1:{port}/"))
    assert b"proxy-authenticate" not in answer.lower()


async def test_bytes_are_counted_both_ways() -> None:
    seen: list[bytes] = []
    async with (
        server(answering(PAGE, seen)) as port,
        EgressProxy(limits(f"127.0.0.1:{port}")) as proxy,
    ):
        record = proxy.register("k")
        await ask(proxy, get(f"http://127.0.0.1:{port}/"))
    assert (record.bytes_in, record.bytes_out) == (len(PAGE), len(seen[0]))


async def test_a_head_that_comes_too_slowly_or_is_too_long_ends_the_connection() -> None:
    chosen = limits(proxy_header_timeout_s=0.2, max_proxy_header_bytes=2048)
    async with EgressProxy(chosen) as proxy:
        assert await asyncio.wait_for(raw(proxy, b"GET http://a.example/ HT"), 5) == b""
        long = get("http://a.example/", "X-Long: " + "x" * 10_000)
        assert not (await asyncio.wait_for(raw(proxy, long), 5)).startswith(b"HTTP/1.1 2")


async def test_a_tunnel_on_which_nothing_moves_is_cut() -> None:
    async with server(hang) as port:
        chosen = limits(f"127.0.0.1:{port}", idle_timeout_s=0.2)
        async with EgressProxy(chosen) as proxy:
            proxy.register("k", any_tunnel=True)
            answer = await asyncio.wait_for(ask(proxy, connect(f"127.0.0.1:{port}")), 5)
    assert answer.startswith(b"HTTP/1.1 200 ")
    assert answer.endswith(b"\r\n\r\n")


async def test_one_page_cannot_take_the_connections_of_the_others() -> None:
    async with server(hang) as port:
        chosen = limits(f"127.0.0.1:{port}", max_page_connections=2)
        async with EgressProxy(chosen) as proxy:
            record = proxy.register("k")
            proxy.register("other")
            waiting = [
                asyncio.create_task(ask(proxy, get(f"http://127.0.0.1:{port}/"))) for _ in range(2)
            ]
            while record.open_connections < 2:
                await asyncio.sleep(0.01)
            third = await ask(proxy, get(f"http://127.0.0.1:{port}/"))
            assert third.startswith(b"HTTP/1.1 503 ")
            free = asyncio.create_task(ask(proxy, get(f"http://127.0.0.1:{port}/"), "other"))
            await asyncio.sleep(0.1)
            assert not free.done()
            for key in ("k", "other"):
                await proxy.forget(key)
            await asyncio.gather(*waiting, free)
    assert record.open_connections == 0


async def test_connections_past_the_cap_are_closed_and_logged() -> None:
    async with (
        server(hang) as port,
        EgressProxy(limits(f"127.0.0.1:{port}", max_connections=8)) as proxy,
    ):
        record = proxy.register("k")
        waiting = [
            asyncio.create_task(ask(proxy, get(f"http://127.0.0.1:{port}/"))) for _ in range(8)
        ]
        while record.open_connections < 8:
            await asyncio.sleep(0.01)
        with capture_logs() as logs:
            assert await ask(proxy, get(f"http://127.0.0.1:{port}/")) == b""
        await proxy.forget("k")
        await asyncio.gather(*waiting)
    assert [line["event"] for line in logs] == ["egress_full"]


async def test_a_page_cannot_fill_the_log_with_refusals() -> None:
    async with EgressProxy(limits(max_page_refusal_lines=3)) as proxy:
        record = proxy.register("k")
        with capture_logs() as logs:
            for _ in range(8):
                await ask(proxy, get("http://10.1.2.3/"))
            await proxy.forget("k")
    assert [line["event"] for line in logs] == ["egress_refused"] * 3 + ["egress_refused_more"]
    assert (logs[-1]["count"], record.refusals, len(record.blocked)) == (5, 8, 8)


def test_a_result_names_some_blocked_hosts_and_counts_the_rest() -> None:
    record = EgressRecord()
    for number in range(30):
        record.fail(f"n{number % 12}.example", "blocked", "not global")
    record.fail("s.example", "websocket", "")
    notices = list(blocked_notices(record, 10))
    assert [each.text for each in notices[:10]] == [f"n{number}.example" for number in range(10)]
    assert [(each.code, each.text, each.count) for each in notices[10:]] == [
        ("blocked_host", "2 more hosts", 2),
        ("blocked_websocket", "s.example", 1),
    ]


async def test_exceptions_are_logged_at_the_start_and_when_they_are_used() -> None:
    async with server(answering(PAGE, [])) as port:
        with capture_logs() as logs:
            async with EgressProxy(limits(f"127.0.0.1:{port}")) as proxy:
                proxy.register("k")
                await ask(proxy, get(f"http://127.0.0.1:{port}/"))
    told = [(line["event"], line["host"], line["port"]) for line in logs]
    assert told == [
        ("egress_exception", "127.0.0.1", port),
        ("egress_exception_used", "127.0.0.1", port),
    ]


@pytest.mark.parametrize(
    "entry",
    ["*:80", "*.a.example:80", ".a.example:80", "10.0.0.0/8:80", "a.example", "a.example:", "a:0"],
)
def test_an_exception_that_is_no_exact_host_and_port_fails_at_the_start(entry: str) -> None:
    with pytest.raises(ValidationError):
        ExtractorSettings(allow_hosts=(entry,))
