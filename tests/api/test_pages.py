"""From a demo page to Markdown, JSON, a replay and an unfolded part, through the real extractor."""

from __future__ import annotations

import re

import pytest
from starlette.testclient import TestClient

from api.demo import DemoServer

FIRST = "The ledger lives in a biscuit tin."
LAST = "Then they go out again, owing nothing."


@pytest.mark.parametrize("render", ["static", "browser"])
def test_read_gives_the_article_as_markdown(
    client: TestClient, demo: DemoServer, render: str
) -> None:
    response = client.get("/read", params={"url": f"{demo.url}/article", "render": render})
    assert response.status_code == 200, response.text
    assert response.headers["content-type"] == "text/markdown; charset=utf-8"
    assert "# The ledger that outlived its harbour" in response.text
    assert FIRST in response.text
    assert LAST in response.text
    assert "Salt, and what it costs" not in response.text
    assert response.headers["x-pagefold-status"] == "200"
    assert response.headers["x-pagefold-complete"] == "true"
    snapshot = response.headers["x-pagefold-snapshot"]
    assert f"</v1/snapshots/{snapshot}>" in response.headers["link"]


@pytest.mark.parametrize(
    ("accept", "media"),
    [
        ("*/*", "text/markdown"),
        ("text/html,application/xhtml+xml;q=0.9,*/*;q=0.8", "text/html"),
        ("text/plain", "text/plain"),
        ("text/html;q=0.2, application/json", "application/json"),
    ],
)
def test_accept_picks_the_format(
    client: TestClient, demo: DemoServer, accept: str, media: str
) -> None:
    response = client.get(
        "/read",
        params={"url": f"{demo.url}/consent", "render": "static"},
        headers={"accept": accept},
    )
    assert response.status_code == 200, response.text
    assert response.headers["content-type"].partition(";")[0] == media


def test_format_wins_over_accept(client: TestClient, demo: DemoServer) -> None:
    response = client.get(
        "/read",
        params={"url": f"{demo.url}/consent", "render": "static", "format": "outline"},
        headers={"accept": "text/html"},
    )
    assert response.headers["content-type"] == "text/plain; charset=utf-8"


def test_posted_markup_gives_a_page_with_its_map(client: TestClient) -> None:
    html = "<main><h1>Tides</h1><p>Low water is at four.</p></main><p hidden>TRAP</p>"
    response = client.post("/v1/pages", json={"html": html, "format": ["html", "markdown"]})
    assert response.status_code == 200, response.text
    page = response.json()
    assert set(page["content"]) == {"html", "markdown"}
    assert "Low water is at four." in page["content"]["markdown"]
    assert "TRAP" not in page["content"]["html"]
    assert page["stats"]["hidden_chars"] == 4
    assert page["snapshot"].keys() == {"id", "stored"}


def test_snapshot_replays_under_another_budget(client: TestClient, demo: DemoServer) -> None:
    first = client.get("/read", params={"url": f"{demo.url}/article", "render": "static"})
    path = f"/v1/snapshots/{first.headers['x-pagefold-snapshot']}"
    again = client.get(path, params={"format": "markdown"})
    assert again.text == first.text
    small = client.get(path, params={"format": "text", "budget": 900})
    assert small.status_code == 200
    assert 0 < len(small.text) <= 900


def test_fold_unfolds_what_was_left_out(client: TestClient, demo: DemoServer) -> None:
    response = client.post(
        "/v1/pages",
        json={
            "url": f"{demo.url}/article",
            "render": "static",
            "format": ["markdown"],
            "budget": 2000,
        },
    )
    assert response.status_code == 200, response.text
    page = response.json()
    base = f"/v1/snapshots/{page['snapshot']['id']}/folds/"
    assert LAST not in page["content"]["markdown"]
    parts = [client.get(base + fold["ref"]) for fold in page["folds"]]
    assert {part.status_code for part in parts} == {200}
    assert any(LAST in part.text for part in parts)


def test_unknown_fold_is_not_found(client: TestClient) -> None:
    page = client.post("/v1/pages", json={"html": "<p>Some text.</p>"}).json()
    response = client.get(f"/v1/snapshots/{page['snapshot']['id']}/folds/zzz999")
    assert response.status_code == 404
    assert response.json()["code"] == "not_found"


def test_hidden_instructions_never_reach_the_reader(client: TestClient, demo: DemoServer) -> None:
    response = client.get("/read", params={"url": f"{demo.url}/hidden"})
    assert response.status_code == 200, response.text
    assert "Rub the butter into the flour" in response.text
    assert set(re.findall(r"TRAP-\d+", response.text)) <= {"TRAP-12"}
    assert int(response.headers["x-pagefold-warnings"]) >= 1


def test_covered_instructions_never_reach_the_reader(client: TestClient, demo: DemoServer) -> None:
    response = client.get("/read", params={"url": f"{demo.url}/hidden"})
    assert "TRAP-12" not in response.text


def test_single_page_application_is_read_when_it_is_done(
    client: TestClient, demo: DemoServer
) -> None:
    response = client.get("/read", params={"url": f"{demo.url}/spa"})
    assert "Boats in the yard" in response.text
    assert "soft planking under the port chain plate" in response.text


def test_shadow_roots_and_frames_are_read(client: TestClient, demo: DemoServer) -> None:
    response = client.get(
        "/read", params={"url": f"{demo.url}/components", "main_only": False, "format": "text"}
    )
    for text in (
        "Dredging in the east basin",
        "Notice to mariners",
        "Open shadow root: signed",
        "the night gate code",
        "two ships are expected",
        "from Cardiff, 90 tons",
        "Flag of the day: Quebec",
    ):
        assert text in response.text
    assert "Text of a template" not in response.text
