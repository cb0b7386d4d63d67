"""One gate before everything: without a valid key every path answers 401, and nothing else."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest
from fastapi import FastAPI
from starlette.testclient import TestClient, WebSocketDenialResponse
from starlette.websockets import WebSocketDisconnect

from api.access import ANY_KEY, NEEDED, OPEN_PATHS, permission_for
from api.app import create_app
from api.gate import Gate
from api.inspector_files import INSPECTOR_PATHS
from api.key_ring import KeyRing
from api.keys import PERMISSIONS, ApiKey, digest_of
from api.quota import Quota
from api.settings import ApiSettings
from tests.security.keyed import METHODS, Service, calls, keyed_service, make_key

#: What everyone gets without a key: files of ours, the same for all.
OF_THE_INSPECTOR = {("GET", path) for path in INSPECTOR_PATHS}
ODD_PATHS = [
    "/inspector", "/inspector/", "/nothing", "/v1", "/v1/", "/v1/pages/", "/healthz/", "/healthz/x", "/HEALTHZ", "/readyz/../x",
    "//healthz", "/healthz%2f", "/healthz%00", "/%2e/healthz", "/v1/%2e%2e/healthz", "/docs", "/redoc", "/mcp",
    "/static/x", "/metrics/", "/.well-known/x", "/" + "a" * 2_000,
]  # fmt: skip


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    with keyed_service(tmp_path_factory.mktemp("gate"), "acme", "zenith") as running:
        yield running


def _assert_unauthorized(response: Any, body: bytes) -> None:
    assert response.status_code == 401, (response.request.method, response.request.url)
    assert response.headers["content-type"] == "application/problem+json"
    assert response.headers["www-authenticate"].startswith("Bearer")
    assert response.headers["cache-control"] == "no-store"
    assert response.content == body


def test_every_call_without_a_key_gets_the_same_answer(service: Service) -> None:
    found = calls(service.app)
    assert len(found) > 15
    body = service.client.get("/read").content
    for method, path in found:
        if path not in OPEN_PATHS and (method, path) not in OF_THE_INSPECTOR:
            _assert_unauthorized(service.client.request(method, path), body)
            filled = path.replace("{", "").replace("}", "")
            _assert_unauthorized(service.client.request(method, filled), body)


@pytest.mark.parametrize("path", ODD_PATHS)
def test_unknown_paths_without_a_key_get_the_same_answer(service: Service, path: str) -> None:
    body = service.client.get("/read").content
    for method in (*METHODS, "HEAD", "OPTIONS", "TRACE", "BREW"):
        response = service.client.request(method, httpx2.URL(f"http://127.0.0.1:8000{path}"))
        if method == "HEAD":
            assert response.status_code == 401
        else:
            _assert_unauthorized(response, body)


def test_files_of_the_inspector_are_the_same_for_all_and_only_got(service: Service) -> None:
    for path in INSPECTOR_PATHS:
        answer = service.client.get(path)
        assert answer.status_code == 200
        assert answer.content == service.call("acme", "GET", path).content
        for method in set(METHODS) - {"GET"}:
            assert service.client.request(method, path).status_code == 401


def test_only_what_watches_the_process_is_open(service: Service) -> None:
    assert {"/healthz", "/readyz"} == OPEN_PATHS
    for path in OPEN_PATHS:
        assert service.client.get(path).status_code == 200


@pytest.mark.parametrize("path", ["/", "/v1/sessions", "/healthz", "/metrics"])
def test_websockets_are_refused_alike(service: Service, path: str) -> None:
    with (
        pytest.raises(WebSocketDenialResponse) as refused,
        service.client.websocket_connect(f"ws://127.0.0.1:8000{path}"),
    ):
        pass
    assert refused.value.status_code == 401
    assert refused.value.content == service.client.get("/read").content
    assert refused.value.headers["x-content-type-options"] == "nosniff"


def test_a_websocket_is_closed_where_the_server_cannot_answer_it(service: Service) -> None:
    sent: list[Any] = []

    async def attempt() -> None:
        scope = {
            "type": "websocket",
            "path": "/v1/sessions",
            "headers": [(b"host", b"127.0.0.1")],
            "client": ("127.0.0.1", 5),
            "extensions": {},
        }

        async def receive() -> Any:
            return {"type": "websocket.connect"}

        async def send(message: Any) -> None:
            sent.append(message)

        await service.app(scope, receive, send)

    asyncio.run(attempt())
    assert sent == [{"type": "websocket.close", "code": 1008}]


def _headers(service: Service) -> list[tuple[str, list[tuple[str, str]]]]:
    key, other = service.keys["acme"], service.keys["zenith"]
    key_id, secret = key.split(".")
    wrong = f"{key_id}.{'A' * 43}"
    return [
        ("nothing", []),
        ("empty", [("Authorization", "")]),
        ("scheme alone", [("Authorization", "Bearer")]),
        ("another scheme", [("Authorization", f"Basic {key}")]),
        ("no scheme", [("Authorization", key)]),
        ("id alone", [("Authorization", f"Bearer {key_id}")]),
        ("secret alone", [("X-API-Key", secret)]),
        ("wrong secret", [("X-API-Key", wrong)]),
        ("secret of another", [("X-API-Key", f"{key_id}.{other.split('.')[1]}")]),
        ("unknown id", [("X-API-Key", f"pf_{'0' * 12}.{secret}")]),
        ("longer", [("X-API-Key", f"{key}x")]),
        ("cut", [("X-API-Key", key[:-1])]),
        ("upper case", [("X-API-Key", key.upper())]),
        ("two that differ", [("X-API-Key", key), ("Authorization", f"Bearer {other}")]),
        ("the right one beside a wrong one", [("X-API-Key", key), ("X-API-Key", wrong)]),
    ]


def test_what_is_no_valid_key_gets_the_same_answer(service: Service) -> None:
    body = service.client.get("/read").content
    for name, headers in _headers(service):
        response = service.client.get("/version", headers=httpx2.Headers(headers))
        assert response.status_code == 401, name
        assert response.content == body, name
    in_query = service.client.get(f"/version?key={service.keys['acme']}&api_key=x")
    assert in_query.status_code == 401


@pytest.mark.parametrize(
    ("name", "form"), [("Authorization", "Bearer {}"), ("authorization", "bearer  {}"), ("X-API-Key", "{}"),
     ("X-Pagefold-Key", "{}")]
)  # fmt: skip
def test_a_valid_key_opens(service: Service, name: str, form: str) -> None:
    headers = {name: form.format(service.keys["acme"])}
    assert service.client.get("/version", headers=headers).status_code == 200
    assert service.client.get("/nothing", headers=headers).status_code == 404


def test_every_route_says_what_a_key_must_allow(service: Service) -> None:
    for _, path in calls(service.app):
        named = path in OPEN_PATHS or path in ANY_KEY or permission_for(path) is not None
        named = named or path in INSPECTOR_PATHS
        assert named, f"{path} is not in api/access.py"
    assert permission_for("/v1/pagesque") is None
    assert set(NEEDED.values()) <= set(PERMISSIONS)


def test_a_key_opens_what_it_allows_and_no_more(service: Service) -> None:
    for allowed in PERMISSIONS:
        key, _ = make_key(service.settings, "narrow", allowed)
        service.app.state.key_ring.forget()
        for method, path in calls(service.app):
            needed = permission_for(path)
            shown = {"X-API-Key": key, "X-Pagefold-Key": key}
            response = service.client.request(method, path, headers=shown)
            if needed is not None and needed != allowed:
                assert (response.status_code, response.json()["code"]) == (403, "forbidden"), path
            else:
                assert response.status_code not in (401, 403), (path, response.text)


def test_a_page_of_a_session_and_a_script_need_their_own_permission(service: Service) -> None:
    key, _ = make_key(service.settings, "narrow", "sessions")
    scripted = {"url": "http://127.0.0.1:9/", "wait": {"predicate": "() => true"}}
    pages, _ = make_key(service.settings, "narrow", "pages")
    service.app.state.key_ring.forget()
    at = service.client.post(
        "/v1/sessions", json={"budget_chars": 50_000}, headers={"X-API-Key": key}
    ).headers["location"]
    body = {"page": {"html": "<p>Low water"}}
    refused = service.client.post(f"{at}/pages", json=body, headers={"X-API-Key": key})
    assert (refused.status_code, refused.json()["code"]) == (403, "forbidden")
    assert "'pages'" in refused.json()["detail"]
    in_a_tab = f"/v1/tabs/t_{'0' * 16}/execute"
    for path, script in (("/v1/pages", scripted), (in_a_tab, {"script": "1"})):
        refused = service.client.post(path, json=script, headers={"X-API-Key": pages})
        assert (refused.status_code, refused.json()["code"]) == (403, "forbidden")
        assert "'execute'" in refused.json()["detail"]


def test_a_revoked_key_is_as_good_as_none_and_opens_nothing_to_others(tmp_path: Path) -> None:
    settings = ApiSettings(data_dir=tmp_path, key_ttl_s=0)
    key, store = make_key(settings, "acme")
    client = TestClient(create_app(settings), base_url="http://127.0.0.1:8000")
    assert client.get("/version", headers={"X-API-Key": key}).status_code == 200
    assert store.revoke(key.partition(".")[0])
    assert client.get("/version", headers={"X-API-Key": key}).status_code == 401
    # The last key is gone, and still one is asked for.
    assert client.get("/version").status_code == 401


def test_without_keys_this_machine_alone_is_answered(tmp_path: Path) -> None:
    app = create_app(ApiSettings(data_dir=tmp_path, key_ttl_s=0))
    for peer, status in (
        ("127.0.0.1", 200), ("127.8.9.1", 200), ("::1", 200), ("::ffff:127.0.0.1", 200),
        ("192.0.2.7", 401), ("10.0.0.1", 401), ("::ffff:10.0.0.1", 401), ("2001:db8::1", 401),
    ):  # fmt: skip
        client = TestClient(app, base_url="http://127.0.0.1:8000", client=(peer, 5000))
        assert client.get("/version").status_code == status, peer
        assert client.get("/healthz").status_code == 200
    make_key(ApiSettings(data_dir=tmp_path), "acme")
    near = TestClient(app, base_url="http://127.0.0.1:8000", client=("127.0.0.1", 5000))
    assert near.get("/version").status_code == 401


def test_beyond_loopback_nothing_is_answered_before_there_is_a_key(tmp_path: Path) -> None:
    app = create_app(ApiSettings(data_dir=tmp_path, host="0.0.0.0"))
    assert TestClient(app).get("/version").status_code == 401
    behind_gateway = ApiSettings(data_dir=tmp_path, host="0.0.0.0", allow_unauthenticated=True)
    client = TestClient(create_app(behind_gateway), client=("10.0.0.1", 5000))
    assert client.get("/version").status_code == 200


def test_when_keys_cannot_be_read_nobody_is_let_in() -> None:
    def broken() -> list[ApiKey]:
        raise OSError("disk of secrets")

    app = FastAPI()
    app.get("/version")(lambda: "open")
    ring = KeyRing(broken, 60)
    app.add_middleware(Gate, ring=ring, quota=Quota(9, 9), always=False, anyone=False)
    response = TestClient(app).get("/version")
    assert (response.status_code, response.json()["code"]) == (503, "unhealthy")
    assert "disk" not in response.text


async def test_many_callers_read_the_keys_once() -> None:
    reads = []
    key = ApiKey("pf_1", "acme", digest_of("x"), frozenset({"pages"}), None, None, "now")

    def load() -> list[ApiKey]:
        reads.append(1)
        return [key]

    ring = KeyRing(load, 60)
    found = await asyncio.gather(*(ring.keys() for _ in range(50)))
    assert all(keys == {"pf_1": key} for keys in found)
    assert len(reads) == 1


def test_with_a_key_a_websocket_gets_as_far_as_the_routes_which_have_none(service: Service) -> None:
    key = service.keys["acme"]
    with (
        pytest.raises(WebSocketDisconnect) as closed,
        service.client.websocket_connect(
            "ws://127.0.0.1:8000/v1/sessions", headers={"X-API-Key": key}
        ),
    ):
        pass
    assert not isinstance(closed.value, WebSocketDenialResponse)
    assert closed.value.code == 1000


def test_openapi_says_which_calls_take_a_key_and_how_they_refuse(service: Service) -> None:
    document = service.call("acme", "GET", "/openapi.json").json()
    assert document["components"]["securitySchemes"].keys() == {"Bearer", "ApiKey"}
    for path, calls_of_path in document["paths"].items():
        for call in calls_of_path.values():
            assert bool(call["security"]) is (path not in OPEN_PATHS), path
            if path in OPEN_PATHS:
                continue
            wanted = {"401": "unauthorized", "421": "foreign_host", "429": "rate_limited"}
            if permission_for(path) is not None:
                wanted["403"] = "forbidden"
            for status, code in wanted.items():
                answer = call["responses"][status]
                assert code in answer["content"]["application/problem+json"]["examples"], path
                assert f"`{code}`" in answer["description"], path


def test_the_proxy_asks_for_a_key_of_ours_in_a_header_of_ours(service: Service) -> None:
    key = service.keys["acme"]
    for headers in ({"Authorization": f"Bearer {key}"}, {"X-API-Key": key}):
        answer = service.client.get("/proxy/nobody/v1/models", headers=headers)
        assert answer.status_code == 401
    theirs = {"Authorization": "Bearer sk-1", "X-API-Key": "sk-2", "X-Pagefold-Key": key}
    answer = service.client.get("/proxy/nobody/v1/models", headers=theirs)
    assert (answer.status_code, answer.json()["code"]) == (404, "not_found")
