"""Requests that are too large, too slow or too costly; the service answers others all the while."""

from __future__ import annotations

import json
import socket
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import httpx2
import pytest

from extractor.browser import processes
from tests.faults.serving import Service as Server
from tests.faults.serving import service

pytestmark = pytest.mark.hostile

MAX_BODY = 1_000_000
MAX_HEAD = 8_192
WORDS = "<main><h1>Harbour</h1><p>plain words</p></main>"
CHUNK = b"x" * 65_536


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder: Path = tmp_path_factory.mktemp("service")
    limits = {
        "max_body_bytes": MAX_BODY,
        "max_header_bytes": MAX_HEAD,
        "header_timeout_s": 2,
        "body_timeout_s": 2,
        "concurrency": 1,
    }
    with service(folder, **limits) as running:
        yield running


def _page(server: Server, **wanted: object) -> httpx2.Response:
    body = {"html": WORDS, "format": "text", **wanted}
    return httpx2.post(f"{server.url}/v1/pages", json=body, timeout=60, trust_env=False)


def _healthy(server: Server) -> None:
    page = _page(server).json()
    assert page["content"]["text"].split() == ["Harbour", "plain", "words"]


def _code(answer: httpx2.Response) -> str:
    return str(answer.json()["code"])


def _connected(server: Server) -> socket.socket:
    host, port = server.url.removeprefix("http://").split(":")
    return socket.create_connection((host, int(port)), timeout=20)


HEAD = b"POST /v1/pages HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"


def _answer_to(server: Server, head: bytes, pieces: Iterator[bytes]) -> tuple[bytes, int]:
    """What came back, and how many bytes of the body could be sent until then."""
    sent = 0
    with _connected(server) as client:
        client.sendall(head)
        try:
            for piece in pieces:
                client.sendall(piece)
                sent += len(piece)
        except OSError:
            pass  # it closed the connection, which is the point
        try:
            return client.recv(65_536), sent
        except ConnectionError:
            return b"", sent


@pytest.mark.parametrize("length", ["Transfer-Encoding: chunked", "Content-Length: 200000000"])
def test_a_body_past_the_limit_is_refused_while_it_arrives(server: Server, length: str) -> None:
    before = processes.private_bytes(server.process.pid)
    chunked = length.startswith("Transfer")
    piece = b"%x\r\n%s\r\n" % (len(CHUNK), CHUNK) if chunked else CHUNK
    head = HEAD + length.encode() + b"\r\n\r\n"
    answer, sent = _answer_to(server, head, (piece for _ in range(200_000_000 // len(CHUNK))))
    assert answer == b"" or b"413" in answer.partition(b"\r\n")[0]
    # What the kernels hold on the way counts as sent as well.
    assert sent < 60_000_000
    assert processes.private_bytes(server.process.pid) < before + 40_000_000
    _healthy(server)


def test_a_body_over_by_a_byte_is_refused_and_one_of_the_limit_is_not(server: Server) -> None:
    frame = len(json.dumps({"html": "", "format": "text"}))
    fits = {"html": "x" * (MAX_BODY - frame), "format": "text"}
    over = {**fits, "html": f"{fits['html']}x"}
    for body, status in ((fits, 200), (over, 413)):
        data = json.dumps(body).encode()
        parts = iter([data[:500_000], data[500_000:]])
        answer = httpx2.post(
            f"{server.url}/v1/pages",
            content=(part for part in parts),
            headers={"Content-Type": "application/json"},
            timeout=60,
            trust_env=False,
        )
        assert answer.status_code == status
    assert _code(answer) == "body_too_large"
    _healthy(server)


def _dripping(text: bytes) -> Iterator[bytes]:
    for byte in text:
        yield bytes([byte])
        time.sleep(0.1)


@pytest.mark.parametrize(
    ("head", "body"),
    [
        (b"", b"GET /healthz HTTP/1.1\r\nX: " + b"a" * 500),
        (HEAD, b"X: " + b"a" * 500),
        (HEAD + b"Content-Length: 500\r\n\r\n", b'{"html": "' + b"a" * 490),
        (HEAD + b"Transfer-Encoding: chunked\r\n\r\n", b"1\r\na\r\n" * 200),
    ],
)
def test_a_request_that_drips_is_given_up(server: Server, head: bytes, body: bytes) -> None:
    clients = [
        threading.Thread(target=_answer_to, args=(server, head, _dripping(body))) for _ in range(20)
    ]
    for client in clients:
        client.start()
    _healthy(server)
    answer, sent = _answer_to(server, head, _dripping(body))
    # Two seconds are allowed and ten bytes a second are sent.
    assert sent < len(body)
    assert answer == b"" or b" 408 " in answer.partition(b"\r\n")[0]
    for client in clients:
        client.join()
    _healthy(server)


def test_heads_and_addresses_past_the_limit_are_refused(server: Server) -> None:
    long = b"x" * 40 * MAX_HEAD
    for head in (
        b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Long: " + long,
        b"GET /read?url=http://example.org/" + long,
        b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n" + b"X-Many: y\r\n" * 40_000,
    ):
        answer, _ = _answer_to(server, b"", iter([head]))
        # It may have closed the connection before all of it was sent, which loses the answer.
        assert answer == b"" or b" 431 " in answer.partition(b"\r\n")[0]
    url = f"http://example.org/{'x' * 100_000}"
    answered = httpx2.post(f"{server.url}/v1/pages", json={"url": url}, trust_env=False)
    assert (answered.status_code, _code(answered)) == (422, "invalid_request")
    _healthy(server)


SELECTORS = [
    "*:has(*:has(*:has(*:has(*))))",
    "div:has(~ div:has(~ div:has(~ div)))",
    ":not(" * 200 + "p" + ")" * 200,
    ":is(" * 5_000 + "p" + ")" * 5_000,
    "p" + " *" * 500,
    "div > " * 500 + "p",
    "p" + ":not(.a)" * 1_000,
    "[title*='" + "a" * 5_000 + "']",
    ", ".join(f"p:nth-child({n}n+{n})" for n in range(500)),
    "div ~ div ~ div ~ div ~ div ~ div",
]


@pytest.mark.parametrize("selector", SELECTORS, ids=lambda text: str(text)[:20])
def test_a_costly_selector_ends_by_the_deadline_and_blocks_nobody(
    server: Server, selector: str
) -> None:
    html = WORDS + "<div><p title=aaaa>x</p><b>y</b></div>" * 10_000 + "<div>" * 300
    gap = _longest_gap(server, lambda: _page(server, html=html, include=[selector], deadline_s=5))
    assert gap.status in (200, 422, 504)
    # One part of a selector may be matched without letting go; the whole of it may not.
    assert gap.answers > 0
    _healthy(server)


class _Gap:
    """What the health check saw while something costly ran."""

    def __init__(self) -> None:
        self.status, self.answers, self.longest_s, self.took_s = 0, 0, 0.0, 0.0


def _longest_gap(server: Server, work: Callable[[], httpx2.Response]) -> _Gap:
    found, ended = _Gap(), threading.Event()

    def watch() -> None:
        with httpx2.Client(base_url=server.url, timeout=60, trust_env=False) as client:
            while not ended.is_set():
                started = time.monotonic()
                assert client.get("/healthz").status_code == 200
                found.longest_s = max(found.longest_s, time.monotonic() - started)
                found.answers += 1
                time.sleep(0.01)

    watcher = threading.Thread(target=watch)
    watcher.start()
    started = time.monotonic()
    try:
        found.status = work().status_code
    finally:
        found.took_s = time.monotonic() - started
        ended.set()
        watcher.join()
    return found


def test_health_answers_while_a_large_page_is_read(server: Server) -> None:
    """Were it read on the event loop, no answer would come before its end."""
    html = WORDS + "<p>word <b>word</b> <a href=/x>word</a></p>" * 20_000
    gap = _longest_gap(server, lambda: _page(server, html=html[: MAX_BODY - 1_000]))
    assert gap.status == 200
    assert gap.answers >= 5
    assert gap.longest_s < gap.took_s / 2


def test_memory_stays_after_many_hostile_documents(server: Server) -> None:
    shapes = [
        "<p " + " ".join(f"a{n}=v" for n in range(50_000)) + ">x",
        "<div>" * 100_000 + "x",
        "<p>" + "".join(f"<b id={n}>" for n in range(500)) + "</p>" + "<p>x" * 50_000,
        "<table>" * 20_000 + "x",
        "<svg><text>" * 20_000 + "x",
        "&#x1F600;" * 90_000,
        "<style>" + "p{color:red}" * 60_000 + "</style>x",
        "<template shadowrootmode=open>" * 20_000 + "x",
        "<ul><li>x" * 50_000,
        "<select><option>x" * 40_000,
    ]
    for shape in shapes:
        assert _page(server, html=(WORDS + shape)[: MAX_BODY - 1_000]).status_code == 200
    before = processes.private_bytes(server.process.pid)
    for _ in range(2):
        for shape in shapes:
            _page(server, html=(WORDS + shape)[: MAX_BODY - 1_000])
    assert processes.private_bytes(server.process.pid) < before * 1.3 + 50_000_000
    _healthy(server)
