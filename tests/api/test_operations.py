"""Health, version, OpenAPI, settings and the demo site."""

from __future__ import annotations

import httpx2
import pytest
from starlette.testclient import TestClient

from api.demo import SHOP_CARDS, DemoServer
from api.drain import WATCHED_PATHS
from api.settings import ApiSettings


def test_alive_and_ready(client: TestClient) -> None:
    assert client.get("/healthz").json() == {"status": "ok"}
    assert client.get("/readyz").json() == {"status": "ready"}


def test_version_names_the_snapshot_version(client: TestClient) -> None:
    assert client.get("/version").json()["snapshot"] == 1


def test_openapi_documents_every_error_of_read(client: TestClient) -> None:
    schema = client.get("/openapi.json").json()
    responses = schema["paths"]["/read"]["get"]["responses"]
    assert {"200", "403", "422", "429", "500", "502", "503", "504"} <= responses.keys()
    for status, response in responses.items():
        if status != "200":
            examples = response["content"]["application/problem+json"]["examples"]
            assert all(each["value"]["status"] == int(status) for each in examples.values())
    assert "Problem" in schema["components"]["schemas"]


def test_every_call_says_that_the_service_may_be_full_or_stopping(client: TestClient) -> None:
    for path, calls in client.get("/openapi.json").json()["paths"].items():
        for call in calls.values():
            named = {
                code
                for answer in call["responses"].values()
                for media in answer.get("content", {}).values()
                for code in media.get("examples", ())
            }
            assert {"malformed_http", "headers_too_large", "internal"} <= named, path
            if path not in WATCHED_PATHS:
                assert {"busy", "draining", "unauthorized", "rate_limited"} <= named, path


def test_demo_addresses_are_the_only_private_ones_let_through() -> None:
    settings = ApiSettings(demo_port=8123, allow_hosts=("10.0.0.1:80",)).with_demo()
    assert settings.allow_hosts == ("10.0.0.1:80", "127.0.0.1:8123", "localhost:8123")


def test_beyond_loopback_a_key_is_asked_for_unless_said_otherwise() -> None:
    assert ApiSettings(host="0.0.0.0").asks_for_keys
    assert not ApiSettings(host="0.0.0.0", allow_unauthenticated=True).asks_for_keys
    assert not ApiSettings().asks_for_keys


@pytest.mark.parametrize(
    "path",
    [
        "/",
        "/article",
        "/docs",
        "/forum",
        "/spa",
        "/components",
        "/consent",
        "/hidden",
        "/frames/outer",
        "/frames/inner",
    ],
)
def test_demo_pages_load_nothing_from_elsewhere(demo: DemoServer, path: str) -> None:
    response = httpx2.get(demo.url + path, trust_env=False)
    assert response.status_code == 200
    assert 'src="http' not in response.text
    assert "@import" not in response.text


def test_shop_has_every_card(demo: DemoServer) -> None:
    text = httpx2.get(f"{demo.url}/shop", trust_env=False).text
    assert text.count('class="card"') == SHOP_CARDS == 400
    assert len(set(text.split("<h3>"))) == SHOP_CARDS + 1


@pytest.mark.parametrize("path", ["/nothing", "/..%2fspa", "/frames/..%2findex"])
def test_demo_serves_its_own_pages_only(demo: DemoServer, path: str) -> None:
    assert httpx2.get(demo.url + path, trust_env=False).status_code == 404


def test_page_of_a_session_names_its_unknown_field(client: TestClient) -> None:
    at = client.post("/v1/sessions", json={"budget_chars": 50_000}).headers["location"]
    response = client.post(f"{at}/pages", json={"page": {"html": "<p>Hi</p>", "colour": 1}})
    assert response.status_code == 422
    assert (response.json()["code"], response.json()["field"]) == (
        "invalid_request",
        "page.colour",
    )


def test_session_takes_a_page_and_hands_it_back(client: TestClient) -> None:
    at = client.post("/v1/sessions", json={"budget_chars": 50_000}).headers["location"]
    body = {"page": {"html": "<main><p>Low water is at four.</p></main>"}}
    added = client.post(f"{at}/pages", json=body)
    assert added.status_code in (200, 201), added.text
    context = client.get(f"{at}/context", params={"format": "anthropic"})
    assert "Low water is at four." in context.text
