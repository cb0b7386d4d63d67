"""Every answer says that it may not be sniffed, framed, cached, shared or run; and only we are asked."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient, WebSocketDenialResponse

from api.app import create_app
from api.hosts import HostCheck, host_of
from api.inspector_files import INSPECTOR_PATHS
from api.settings import ApiSettings
from tests.security.keyed import METHODS, Service, calls, keyed_service

FILLED = {
    "job_id": "0" * 32,
    "session_id": "0" * 32,
    "snapshot_id": "0" * 32,
    "tab_id": f"t_{'0' * 16}",
    "value_ref": "a:00000000",
    "ref": "a:00000000",
    "message": 0,
    "call_id": "c0",
    "name": "n",
    "item": "h1",
}


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    folder = tmp_path_factory.mktemp("headers")
    with keyed_service(folder, "acme", max_body_bytes=2_000) as running:
        yield running


def assert_closed(response: Any, *, private: bool = True) -> None:
    where = (response.request.method, str(response.request.url), response.status_code)
    headers = response.headers
    assert headers["x-content-type-options"] == "nosniff", where
    assert headers["referrer-policy"] == "no-referrer", where
    assert headers["x-frame-options"] == "DENY", where
    assert headers["cross-origin-resource-policy"] == "same-origin", where
    policy = {
        part.split()[0]: part.split()[1:] for part in headers["content-security-policy"].split(";")
    }
    assert policy["default-src"] == ["'none'"], where
    assert policy["frame-ancestors"] == ["'none'"], where
    assert policy["base-uri"] == policy["form-action"] == ["'none'"], where
    assert "script-src" not in policy, where
    assert "sandbox" in policy, where
    if private:
        assert headers["cache-control"] == "no-store", where
    assert not [name for name in headers if name.startswith("access-control-")], where
    assert "server" not in headers, where
    assert headers["x-request-id"], where
    if response.content:
        assert headers["content-type"].partition(";")[0] in {
            "application/json", "application/problem+json", "text/markdown", "text/html", "text/plain",
        }, where  # fmt: skip


def test_every_call_answers_closed_with_a_key_and_without(service: Service) -> None:
    for method, path in calls(service.app):
        if path in INSPECTOR_PATHS and method == "GET":
            continue  # they are there to run, under a policy of their own: tests/inspector/test_access.py
        filled = path.format(**FILLED)
        assert_closed(service.client.request(method, filled))
        assert_closed(service.call("acme", method, filled))
        assert_closed(service.call("acme", method, filled, json={"html": "<p>Low water"}))


def test_pages_in_every_form_are_answered_closed(service: Service) -> None:
    page = service.call("acme", "POST", "/v1/pages", json={"html": "<h1>Tides</h1><p>Low at four."})
    assert_closed(page)
    at = f"/v1/snapshots/{page.json()['snapshot']['id']}"
    for form in ("html", "text", "markdown", "outline", "links", "metadata", "json"):
        answer = service.call("acme", "GET", at, params={"format": form})
        assert answer.status_code in (200, 422), (form, answer.text)
        assert_closed(answer)


def test_failures_of_every_kind_are_answered_closed(service: Service) -> None:
    more: list[tuple[int, str, str, dict[str, Any]]] = [
        (404, "GET", "/nothing", {}),
        (405, "DELETE", "/read", {}),
        (413, "POST", "/v1/pages", {"json": {"html": "x" * 3_000}}),
        (421, "GET", "/read", {"headers": {"Host": "evil.test"}}),
        (422, "POST", "/v1/pages", {"json": {"colour": 1}}),
    ]
    for status, method, path, wanted in more:
        response = service.call("acme", method, path, **wanted)
        assert response.status_code == status, path
        assert_closed(response)
    with (
        pytest.raises(WebSocketDenialResponse) as refused,
        service.client.websocket_connect("ws://127.0.0.1:8000/"),
    ):
        pass
    assert refused.value.headers["x-content-type-options"] == "nosniff"


def test_no_other_origin_is_let_in_by_cors(service: Service) -> None:
    asked = {
        "Origin": "http://evil.test",
        "Access-Control-Request-Method": "POST",
        "Access-Control-Request-Headers": "authorization",
    }
    for path in {path for _, path in calls(service.app)} - INSPECTOR_PATHS.keys():
        for method in ("OPTIONS", "GET"):
            assert_closed(service.client.request(method, path.format(**FILLED), headers=asked))
            assert_closed(service.call("acme", method, path.format(**FILLED), headers=asked))


@pytest.mark.parametrize(
    ("given", "kept"),
    [("job-17.a_B", True), ("x" * 64, True), ("x" * 65, False), ("a b", False), ("é", False), ("", False)],
)  # fmt: skip
def test_a_request_id_comes_back_if_it_can_stand_in_a_log(
    service: Service, given: str, kept: bool
) -> None:
    headers = {"X-Request-Id": given.encode("utf-8")}
    answer = service.client.get("/healthz", headers=headers)
    assert (answer.headers["x-request-id"] == given) is kept
    assert answer.headers["x-request-id"]


OURS = [
    "127.0.0.1",
    "127.0.0.1:8000",
    "localhost:1",
    "LOCALHOST",
    "localhost.",
    "[::1]:8000",
    "[::1]",
]
FOREIGN = [
    "evil.test", "evil.test:8000", "127.0.0.1.evil.test", "localhost.evil.test", "127.0.0.2", "0.0.0.0",
    "[::]", "2130706433", "0x7f000001", "127.1", "localhost:8000:8000", "127.0.0.1:80a", "user@localhost",
    "localhost/", "", " ", "[::1", "::1", "[::ffff:127.0.0.1]", "localhost\t.evil.test",
]  # fmt: skip


def test_on_loopback_the_service_goes_by_its_own_names(tmp_path: Path) -> None:
    client = TestClient(create_app(ApiSettings(data_dir=tmp_path)))
    for host in OURS:
        assert client.get("/version", headers={"Host": host}).status_code == 200, host
    for host in FOREIGN:
        for path in ("/version", "/healthz", "/read?url=http://a.test/", "/nothing"):
            response = client.get(path, headers={"Host": host})
            assert response.status_code == 421, host
            assert response.json()["code"] == "foreign_host"
            assert_closed(response)


@pytest.mark.parametrize("hosts", [[], [b"localhost", b"evil.test"], [b"localhost", b"localhost"]])
async def test_a_request_without_a_host_or_with_two_is_foreign(hosts: list[bytes]) -> None:
    async def ours(scope: Any, receive: Any, send: Any) -> None:
        raise AssertionError("let in")

    async def receive() -> Any:
        raise AssertionError("read")

    sent: list[Any] = []

    async def send(message: Any) -> None:
        sent.append(message)

    headers = [(b"host", host) for host in hosts]
    scope = {"type": "http", "path": "/version", "method": "GET", "headers": headers}
    await HostCheck(ours, frozenset({"localhost"}), frozenset())(scope, receive, send)
    assert sent[0]["status"] == 421


def test_operators_name_the_hosts_of_the_service(tmp_path: Path) -> None:
    beyond = ApiSettings(
        data_dir=tmp_path,
        host="0.0.0.0",
        allow_unauthenticated=True,
        allowed_hosts="API.example.org, 192.0.2.7",  # type: ignore[arg-type]  # as in the environment
    )
    client = TestClient(create_app(beyond))
    for host, status in (
        ("api.example.org", 200), ("api.example.org:8443", 200), ("192.0.2.7:80", 200), ("localhost", 421),
        ("example.org", 421), ("x.api.example.org", 421),
    ):  # fmt: skip
        assert client.get("/version", headers={"Host": host}).status_code == status, host
    # Probes of an orchestrator come by the address of the container.
    assert client.get("/healthz", headers={"Host": "10.1.2.3:8000"}).status_code == 200
    unnamed = beyond.model_copy(update={"allowed_hosts": ()})
    any_name = TestClient(create_app(unnamed))
    assert any_name.get("/version", headers={"Host": "anything.test"}).status_code == 200


@pytest.mark.parametrize("entry", ["http://a.test", "a.test:80", "*.a.test", "a b", ""])
def test_a_host_in_the_settings_is_a_plain_one(entry: str) -> None:
    with pytest.raises(ValueError, match="without a port"):
        ApiSettings(allowed_hosts=(entry,))


def test_the_host_of_an_authority() -> None:
    assert host_of(b"[::1]:80") == "::1"
    assert host_of(b"[0:0:0:0:0:0:0:1]") == "::1"
    assert host_of(b"A.test.:80") == "a.test"
    assert host_of(b"a.test:") is None


SENT_BY_PAGES = [
    {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors", "Sec-Fetch-Dest": "image"},
    {"Sec-Fetch-Site": "same-site", "Sec-Fetch-Mode": "cors", "Sec-Fetch-Dest": "empty"},
    {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "iframe"},
    {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document",
     "Origin": "http://evil.test"},
    {"Origin": "http://evil.test"}, {"Origin": "null"}, {"Origin": "http://127.0.0.1:8001"},
]  # fmt: skip
SENT_BY_OTHERS = [
    {}, {"Sec-Fetch-Site": "none", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"},
    {"Sec-Fetch-Site": "same-origin", "Sec-Fetch-Mode": "cors", "Origin": "http://127.0.0.1:8000"},
    {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"},
    {"Origin": "http://127.0.0.1:8000"},
]  # fmt: skip


def test_without_keys_no_page_of_another_origin_is_answered(tmp_path: Path) -> None:
    app = create_app(ApiSettings(data_dir=tmp_path))
    client = TestClient(app, base_url="http://127.0.0.1:8000")
    for headers in SENT_BY_PAGES:
        for method in METHODS:
            response = client.request(method, "/version", headers=headers)
            assert (response.status_code, response.json()["code"]) == (403, "foreign_origin")
    for headers in SENT_BY_OTHERS:
        assert client.get("/version", headers=headers).status_code == 200, headers
