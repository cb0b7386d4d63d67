"""What the routes of tabs refuse, and what they keep."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest
from starlette.testclient import TestClient

from api.demo import DemoServer
from tests.api.tabs.driving import Driver


@pytest.fixture(scope="module")
def shop(client: TestClient, demo: DemoServer) -> Iterator[Driver]:
    driver = Driver(client, f"{demo.url}/counter")
    yield driver
    driver.close()


def test_a_ref_that_no_scan_gave_or_whose_element_is_gone_is_stale(shop: Driver) -> None:
    shop.scan()
    ref = shop.ref("Add Brass lantern to basket")
    assert shop.refused("act", action="click", ref="c999")[:2] == (409, "stale_ref")
    shop.execute("document.querySelector('[aria-label*=lantern]').replaceWith('sold')")
    status, code, detail = shop.refused("act", action="click", ref=ref)
    assert (status, code) == (409, "stale_ref")
    assert ref in detail
    assert "scan the tab again" in detail
    # A document anew: its controls have other refs than those of the one before.
    shop.execute("location.reload()")
    assert shop.refused("act", action="click", ref=ref)[1] == "stale_ref"
    before = {control["ref"] for control in shop.seen["controls"]}
    assert not before & {control["ref"] for control in shop.scan()["controls"]}


def test_what_cannot_be_acted_on_is_said_and_nothing_is_done(shop: Driver) -> None:
    shop.scan()
    sold_out, basket = shop.ref("Add Linen cushion, sand to basket"), shop.ref("Basket (0)")
    assert shop.refused("act", action="click", ref=sold_out)[:2] == (422, "not_actionable")
    assert shop.refused("act", action="type", ref=basket, text="x")[1] == "not_actionable"
    assert shop.refused("act", action="select", ref=basket, values=["x"])[1] == "not_actionable"
    assert shop.refused("act", action="press", key="Any key")[1] == "invalid_request"
    assert shop.refused("act", action="click")[1] == "invalid_request"
    assert shop.refused("act", action="fly", ref=basket)[1] == "invalid_request"
    cover = "document.body.insertAdjacentHTML('beforeend', '<div id=lid style=\"position:fixed;inset:0\">Lid</div>')"
    shop.execute(cover)
    status, code, detail = shop.refused("act", action="click", ref=basket)
    assert (status, code) == (422, "not_actionable")
    assert 'div "Lid"' in detail
    shop.execute("document.querySelector('#lid').remove()")


def test_values_come_as_text_with_head_and_tail_and_whole_from_the_archive(
    shop: Driver, client: TestClient
) -> None:
    long = shop.execute("'ab'.repeat(10000)", save_to_file=True)
    assert long["value_chars"] == 20_000
    assert len(long["value"]) <= 8_000
    assert long["value"].startswith("abab")
    assert long["value"].endswith("abab")
    whole = client.get(f"/v1/tabs/values/{long['saved']}")
    assert (whole.text, whole.headers["x-pagefold-type"]) == ("ab" * 10_000, "string")
    assert client.get("/v1/tabs/values/a:00000000").status_code == 404
    kinds = {
        "undefined": ("undefined", ""),
        "null": ("null", "null"),
        "7;": ("number", "7"),
        "return await Promise.resolve(true)": ("boolean", "true"),
        "document.querySelector('h1')": ("object", "<h1>The counter</h1>"),
        "(() => { const a = []; a.push(a, NaN, 10n); return a })()": (
            "object",
            json.dumps(["[seen above]", "NaN", "10"], indent=1),
        ),
    }
    for script, (kind, text) in kinds.items():
        told = shop.execute(script)
        assert (told["value_type"], told["value"]) == (kind, text), script
    assert shop.refused("execute", script="throw new TypeError('low water')")[1:] == (
        "script_failed",
        "the script failed: TypeError: low water",
    )
    assert shop.refused("execute", script="let let")[1] == "script_failed"


def test_a_script_that_never_ends_is_ended_and_the_tab_lives_on(shop: Driver) -> None:
    assert shop.refused("execute", script="while (true) {}", deadline_s=1.5)[0] == 504
    assert shop.execute("1 + 1")["value"] == "2"


def test_addresses_that_may_not_be_opened_are_refused_as_for_pages(client: TestClient) -> None:
    for url, code in (
        ("http://10.1.2.3/", "blocked_address"),
        ("file:///etc/hostname", "invalid_url"),
    ):
        answer = client.post("/v1/tabs", json={"url": url})
        assert answer.json()["code"] == code
    assert (
        client.post("/v1/tabs", json={"url": "http://x.example/", "colour": 1}).status_code == 422
    )


def test_controls_that_are_called_the_same_say_what_they_stand_in(
    client: TestClient, demo: DemoServer
) -> None:
    cards = Driver(client, f"{demo.url}/shop")
    seen = cards.scan(max_controls=30)
    assert seen["more_controls"] > 300
    buttons = [each for each in seen["controls"] if each["name"] == "Add to basket"]
    assert len(buttons) > 5
    assert len({each["context"] for each in buttons}) == len(buttons)
    assert all("£" in each["context"] for each in buttons)
    assert [each["context"] for each in seen["controls"] if each["name"] == "Kitchen"] == [""]
    cards.close()


def test_a_picture_is_a_png(shop: Driver, client: TestClient) -> None:
    for wanted in ({}, {"full_page": True}):
        answer = client.post(f"{shop.at}/screenshot", json=wanted)
        assert answer.headers["content-type"] == "image/png"
        assert answer.content.startswith(b"\x89PNG")
    assert shop.refused("screenshot", full_page="no idea")[1] == "invalid_request"


def test_a_tab_that_was_closed_is_not_found(client: TestClient, demo: DemoServer) -> None:
    other = Driver(client, f"{demo.url}/terms")
    assert client.get(other.at).json()["title"] == "Terms of sale | Hearth & Sill"
    other.close()
    for call in ("scan", "screenshot"):
        assert other.refused(call)[:2] == (404, "not_found")
    assert client.get(other.at).status_code == 404
    assert client.delete(other.at).status_code == 404
