"""A real server under more requests than it can take, clients that leave, and clients that are slow."""

from __future__ import annotations

import json
import socket
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor

import httpx2
import pytest

from tests.faults.serving import (
    PATIENCE_S,
    Service,
    SlowSite,
    eventually,
    request_bytes,
    service,
    slow_site,
)

SLOTS, QUEUE, CLIENTS = 4, 16, 100

#: Several real services start here, perhaps on a busy machine.
pytestmark = pytest.mark.timeout(300)


@pytest.fixture(scope="module")
def site() -> Iterator[SlowSite]:
    with slow_site() as made:
        yield made


@pytest.fixture(scope="module")
def running(site: SlowSite, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    settings = {
        "allow_hosts": f"127.0.0.1:{site.server_port}",
        "concurrency": SLOTS,
        "queue_size": QUEUE,
        "header_timeout_s": 1,
        "slow_client_s": 1,
        "keep_alive_s": 1,
        "max_header_bytes": 8_192,
    }
    with service(tmp_path_factory.mktemp("server"), **settings) as made:
        yield made
        assert not made.lines("unhandled"), made.log.read_text()[-3000:]


@pytest.fixture(autouse=True)
def _held(site: SlowSite) -> Iterator[None]:
    site.release.clear()
    site.asked.clear()
    yield
    site.release.set()


def test_full_queue_sheds_load_at_once_and_every_client_is_answered(
    running: Service, site: SlowSite
) -> None:
    with ThreadPoolExecutor(CLIENTS) as workers:
        asked = [
            workers.submit(running.get, "/read", url=f"{site.url}/slow{n}") for n in range(CLIENTS)
        ]
        # All that cannot be served are answered while those in front still wait for their pages.
        eventually(lambda: sum(answer.done() for answer in asked) == CLIENTS - SLOTS - QUEUE)
        # Health answers while every slot is held, and says that the service is ready.
        assert running.get("/healthz").status_code == running.get("/readyz").status_code == 200
        assert running.gauge("pagefold_slots_taken") == SLOTS
        assert running.gauge("pagefold_queue_waiting") == QUEUE
        site.release.set()
        answers = [answer.result() for answer in asked]
    statuses = Counter(answer.status_code for answer in answers)
    assert statuses == {200: SLOTS + QUEUE, 429: CLIENTS - SLOTS - QUEUE}
    for answer in answers:
        if answer.status_code == 429:
            assert answer.headers["Content-Type"] == "application/problem+json"
            assert int(answer.headers["Retry-After"]) >= 1
            assert answer.json()["code"] == "busy"
            assert answer.json()["retryable"]
    assert running.gauge("pagefold_slots_taken") == running.gauge("pagefold_queue_waiting") == 0
    assert len(set(site.asked)) == SLOTS + QUEUE


def _session(running: Service) -> str:
    return str(running.post("/v1/sessions", {"budget_chars": 50_000}).json()["id"])


def _page_call(way: str, running: Service, url: str) -> bytes:
    wanted = json.dumps({"url": url}).encode()
    if way == "read":
        return request_bytes("GET", f"/read?url={url}")
    if way == "pages":
        return request_bytes("POST", "/v1/pages", wanted)
    if way == "events":
        return request_bytes("POST", "/v1/pages", wanted, "Accept: text/event-stream")
    body = json.dumps({"page": {"url": url}}).encode()
    return request_bytes("POST", f"/v1/sessions/{_session(running)}/pages", body)


ROUTES = {
    "read": "/read",
    "pages": "/v1/pages",
    "events": "/v1/pages",
    "session": "/v1/sessions/{session_id}/pages",
}


@pytest.mark.parametrize("way", ROUTES)
def test_client_that_leaves_frees_its_slot_and_is_logged_as_499(
    way: str, running: Service, site: SlowSite
) -> None:
    before = len(_left(running, ROUTES[way]))
    with running.connect(_page_call(way, running, f"{site.url}/slow-{way}")):
        eventually(lambda: f"/slow-{way}" in site.asked)
        assert running.gauge("pagefold_slots_taken") == 1
    eventually(lambda: len(_left(running, ROUTES[way])) == before + 1)
    # The page itself is still withheld: the slot is free because the client left.
    eventually(lambda: running.gauge("pagefold_slots_taken") == 0)
    assert not site.release.is_set()


def test_client_that_leaves_the_queue_takes_its_place_with_it(
    running: Service, site: SlowSite
) -> None:
    clients = [
        running.connect(_page_call("read", running, f"{site.url}/slow-{n}"))
        for n in range(SLOTS + 3)
    ]
    eventually(lambda: running.gauge("pagefold_queue_waiting") == 3)
    for client in clients[::-1]:
        client.close()
    eventually(lambda: running.gauge("pagefold_slots_taken") == 0)
    assert running.gauge("pagefold_queue_waiting") == 0


def _left(running: Service, route: str) -> list[dict[str, object]]:
    lines = [line for line in running.lines("request") if line["status"] == 499]
    assert all(line["code"] == "client_closed" for line in lines)
    return [line for line in lines if line["route"] == route]


LONG = "The tide tables of 1871 were printed twice. " * 40_000


def test_client_that_leaves_during_a_compaction_is_logged_and_the_service_goes_on(
    running: Service,
) -> None:
    messages = [{"role": "user", "content": LONG}, {"role": "assistant", "content": LONG}]
    body = json.dumps({"messages": messages, "budget_chars": 5_000}).encode()
    client = running.connect(request_bytes("POST", "/v1/compact", body))
    client.close()
    eventually(lambda: len(_left(running, "/v1/compact")) == 1)
    assert running.get("/healthz").status_code == 200


def test_append_whose_client_leaves_is_made_whole_or_not_at_all(running: Service) -> None:
    at = f"/v1/sessions/{_session(running)}"
    body = json.dumps({"message": {"role": "user", "content": LONG}}).encode()
    running.connect(request_bytes("POST", f"{at}/messages", body)).close()
    route = "/v1/sessions/{session_id}/messages"
    eventually(lambda: any(line["route"] == route for line in running.lines("request")))
    version = running.get(at).json()["version"]
    assert version in (0, 1)
    after = running.post(
        f"{at}/messages", {"message": {"role": "user", "content": "And then?"}}
    ).json()
    assert after["version"] == version + 1
    assert running.get(f"{at}/context").status_code == 200


def test_client_that_takes_one_byte_a_second_is_cut_off(running: Service) -> None:
    body = {"html": "<p>" + "harbour " * 1_000_000 + "</p>", "budget": 20_000_000}
    stored = running.post("/v1/pages", body).json()["snapshot"]["id"]
    target = f"/v1/snapshots/{stored}?format=json&budget=20000000"
    with socket.socket() as slow:
        slow.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_096)
        slow.settimeout(PATIENCE_S)
        slow.connect(("127.0.0.1", running.port))
        slow.sendall(request_bytes("GET", target))
        assert slow.recv(1)

        def cut_off() -> bool:
            time.sleep(1)
            return bool(slow.recv(1)) and bool(running.lines("slow_client"))

        eventually(cut_off)
        assert running.lines("slow_client")[-1]["phase"] == "answer"
        # What had come before is still there to be read; nothing of the rest is kept for it.
        with pytest.raises(ConnectionResetError):
            _all_of(slow)


@pytest.mark.parametrize("start", [b"", b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: "])
def test_headers_that_do_not_end_close_the_connection(running: Service, start: bytes) -> None:
    client = running.connect(start)
    assert _closed(client)


def test_headers_that_trickle_close_the_connection(running: Service) -> None:
    # Each byte comes well within every time-out between bytes.
    with running.connect(b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: ") as client:
        assert _cut_off(client, lambda: client.sendall(b"a"), 0.1)


def test_idle_connection_is_closed_after_its_answer(running: Service) -> None:
    with running.connect(request_bytes("GET", "/healthz")) as client:
        assert _all_of(client).endswith(b'{"status":"ok"}')


@pytest.mark.parametrize(
    ("sent", "status", "code"),
    [
        (b"GET /healthz HTTP/1.1\r\nX-Long: " + b"a" * 20_000, 431, "headers_too_large"),
        (b"GET /" + b"a" * 20_000, 431, "headers_too_large"),
        (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n", 400, "malformed_http"),
        (b"GET /healthz HTTP/1.1\r\n\r\n", 400, "malformed_http"),
        (b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\nHost: q\r\n\r\n", 400, "malformed_http"),
        (
            b"POST /v1/pages HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
            400,
            "malformed_http",
        ),
        (
            b"POST /v1/pages HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\n",
            400,
            "malformed_http",
        ),
    ],
)
def test_what_is_not_http_is_answered_as_a_problem(
    running: Service, sent: bytes, status: int, code: str
) -> None:
    with running.connect(sent) as client:
        head, _, body = _all_of(client).partition(b"\r\n\r\n")
    assert head.startswith(f"HTTP/1.1 {status} ".encode())
    assert b"application/problem+json" in head
    assert json.loads(body)["code"] == code


def test_answers_go_on_after_all_of_this(running: Service, site: SlowSite) -> None:
    site.release.set()
    answer = running.get("/read", url=f"{site.url}/page")
    assert answer.status_code == 200, answer.text
    assert "Low water" in answer.text
    failures = [line for line in running.lines("request") if int(line["status"]) >= 500]
    assert failures == []


def _cut_off(client: socket.socket, step: Callable[[], object], pause_s: float) -> bool:
    """Whether the server ends the connection while the client goes on in its own time."""
    end = time.monotonic() + PATIENCE_S
    while time.monotonic() < end:
        try:
            step()
        except ConnectionError:
            return True
        time.sleep(pause_s)
    return False


def _all_of(client: socket.socket) -> bytes:
    """What comes until the server closes; waiting for that in vain fails with a time-out."""
    answer = b""
    while part := client.recv(65_536):
        answer += part
    return answer


def _closed(client: socket.socket) -> bool:
    """Whether the server closes; waiting for it in vain fails with a time-out."""
    try:
        return client.recv(1) == b""
    except ConnectionResetError:
        return True
    finally:
        client.close()


def test_two_answers_over_one_connection(running: Service) -> None:
    with httpx2.Client(base_url=running.url, trust_env=False) as client:
        assert [client.get("/healthz").status_code for _ in "ab"] == [200, 200]
