"""``GET /v1/snapshots/{id}/map``: the page as the other calls give it, its lists bounded and counted."""

from __future__ import annotations

from typing import Any

from starlette.testclient import TestClient

HTML = "<main><h1>Tides</h1>" + "<p>Low at four.</p><p hidden>Unseen.</p>" * 20 + "</main>"


def mapped(client: TestClient, **wanted: Any) -> tuple[str, dict[str, Any]]:
    made = client.post("/v1/pages", json={"html": HTML, "format": ["html"]}).json()
    at = f"/v1/snapshots/{made['snapshot']['id']}"
    answer = client.get(f"{at}/map", params=wanted)
    assert answer.status_code == 200, answer.text
    return at, answer.json()


def test_the_page_is_the_one_that_the_snapshot_gives(client: TestClient) -> None:
    at, found = mapped(client, budget=700, format="text", query="tides")
    same = client.get(at, params={"budget": 700, "format": "text", "query": "tides"}).text
    assert found["page"]["content"] == {"text": same}
    assert found["cut"] == {}
    # Nothing was drawn, so nothing has a place.
    assert (found["parts"], found["left_out"], found["viewport"]) == ([], 0, None)


def test_long_lists_are_cut_and_counted(client: TestClient) -> None:
    _, found = mapped(client, entries=3)
    assert len(found["page"]["ledger"]) == len(found["page"]["hidden"]) == 3
    assert found["cut"] == {"ledger": 17, "hidden": 17}
    # Sums are of all of them.
    assert found["page"]["stats"]["hidden_chars"] == 20 * len("Unseen.")


def test_what_cannot_be_asked_for_is_named(client: TestClient) -> None:
    made = client.post("/v1/pages", json={"html": HTML, "format": ["html"]}).json()
    at = f"/v1/snapshots/{made['snapshot']['id']}/map"
    for wrong in ({"parts": 0}, {"entries": 0}, {"format": "screenshot"}, {"colour": 1}):
        answer = client.get(at, params=wrong)
        assert (answer.status_code, answer.json()["field"]) == (422, next(iter(wrong)))
    assert client.get(f"/v1/snapshots/{'0' * 32}/map").status_code == 404
