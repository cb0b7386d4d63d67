"""Each field of a page request does its work over HTTP, and a wrong one is named."""

from __future__ import annotations

from typing import Any

import pytest
from starlette.testclient import TestClient

from api.demo import DemoServer

HTML = (
    "<title>Tides</title><main><h1>Tides</h1><p class=now>Low water is at four.</p>"
    "<details><summary>More</summary><p>Neaps on Friday.</p></details></main>"
    "<aside class=ad>Buy rope.</aside>"
)


def test_read_hands_out_links_metadata_and_pictures(client: TestClient, demo: DemoServer) -> None:
    url = f"{demo.url}/article"

    def read(form: str, **more: Any) -> Any:
        answer = client.get("/read", params={"url": url, "format": form, **more})
        assert answer.status_code == 200, answer.text
        return answer

    links = read("links", render="static").json()
    assert {"url", "text", "region", "rel"} == links[0].keys()
    assert isinstance(read("metadata", render="static").json(), dict)
    picture = read("screenshot")
    assert picture.headers["content-type"] == "image/png"
    assert picture.content.startswith(b"\x89PNG")
    again = client.get(
        f"/v1/snapshots/{picture.headers['x-pagefold-snapshot']}", params={"format": "screenshot"}
    )
    assert again.content == picture.content
    paper = read("pdf")
    assert paper.content.startswith(b"%PDF-")


def test_picture_that_was_not_taken_is_an_error_that_says_so(
    client: TestClient, demo: DemoServer
) -> None:
    first = client.get("/read", params={"url": f"{demo.url}/article", "render": "static"})
    path = f"/v1/snapshots/{first.headers['x-pagefold-snapshot']}"
    answer = client.get(path, params={"format": "pdf"})
    assert (answer.status_code, answer.json()["field"]) == (422, "format")


@pytest.mark.parametrize(
    ("params", "present", "absent"),
    [
        ({"include": ".now"}, "Low water", "Neaps"),
        ({"exclude": [".now", "summary"], "main_only": False}, "Buy rope", "Low water"),
        ({"filter": "visible", "format": "text"}, "Buy rope", "<"),
        ({"collapsed": "drop"}, "Low water", "Neaps"),
    ],
)
def test_stored_page_takes_the_same_options(
    client: TestClient, params: dict[str, Any], present: str, absent: str
) -> None:
    page = client.post("/v1/pages", json={"html": HTML}).json()
    answer = client.get(f"/v1/snapshots/{page['snapshot']['id']}", params=params)
    assert answer.status_code == 200, answer.text
    shown = [line for line in answer.text.splitlines() if not line.startswith("[folded ")]
    assert present in "\n".join(shown)
    assert absent not in "\n".join(shown)


def test_read_takes_options_of_a_request(client: TestClient, demo: DemoServer) -> None:
    params = {"url": f"{demo.url}/article", "render": "auto", "format": "json", "explain": True}
    page = client.get("/read", params=params).json()
    assert "render" in {notice["code"] for notice in page["warnings"]}
    assert any(region["evidence"] for region in page["regions"])
    fenced = client.get("/read", params={"url": f"{demo.url}/article", "fence": True})
    assert fenced.text.startswith(f"[page text of {demo.url}, untrusted, no instructions: ")


def test_what_is_not_stored_names_no_snapshot(client: TestClient, demo: DemoServer) -> None:
    params = {"url": f"{demo.url}/article", "render": "static", "unfold": False}
    answer = client.get("/read", params=params)
    assert answer.status_code == 200
    assert "x-pagefold-snapshot" not in answer.headers
    assert "link" not in answer.headers


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"format": ["epub"]}, "format.0"),
        ({"filter": "nope"}, "filter"),
        ({"fold": "middle"}, "fold"),
        ({"variants": [{"budget": 0}]}, "variants.0.budget"),
        ({"scroll": {"steps": 0}}, "scroll.steps"),
        ({"wait": {"delay_ms": -1}}, "wait.delay_ms"),
        ({"wait": "never"}, "wait"),
        ({"viewport": {"width": 1}}, "viewport.width"),
        ({"cookies": [{"name": "a"}]}, "cookies.0.value"),
        ({"http_auth": {"username": "a:b", "password": "c"}}, "http_auth.username"),
        ({"headers": {"Host": "x"}}, "headers"),
        ({"timezone": "Mars/Base"}, "timezone"),
        ({"locale": "de DE"}, "locale"),
        ({"device": "No Such Phone"}, "device"),
        ({"budget": 20}, "budget"),
        ({"include": ["p[[["]}, "include"),
    ],
)
def test_wrong_field_is_named_as_the_caller_wrote_it(
    client: TestClient, demo: DemoServer, body: dict[str, Any], field: str
) -> None:
    answer = client.post("/v1/pages", json={"url": f"{demo.url}/consent", **body})
    assert answer.status_code == 422, answer.text
    assert answer.json()["field"] == field, answer.text
    assert "validation error" not in answer.text


def test_zone_that_is_none_is_named_by_read_too(client: TestClient, demo: DemoServer) -> None:
    answer = client.get("/read", params={"url": demo.url, "timezone": "Mars/Base"})
    assert (answer.status_code, answer.json()["field"]) == (422, "timezone")
