"""The page view: what is drawn, folded again, unfolded and counted is what the API says."""

from __future__ import annotations

import re
from typing import Any

from playwright.sync_api import Page, Route, expect

from tests.faults.serving import Service


def read(page: Page, running: Service, name: str = "article") -> None:
    page.goto(f"{running.url}/#page")
    page.fill("#url", f"http://127.0.0.1:{running.demo_port}/{name}")
    page.click("#read")
    expect(page.locator("#page-found")).to_be_visible(timeout=40_000)
    expect(page.locator("#picture .part").first).to_be_attached()


def snapshot_of(page: Page) -> str:
    found = re.search(r"#page/([0-9a-f]{32})$", page.url)
    assert found is not None
    return found.group(1)


def map_of(page: Page, running: Service, **wanted: Any) -> dict[str, Any]:
    answer = running.get(f"/v1/snapshots/{snapshot_of(page)}/map", **wanted)
    found: dict[str, Any] = answer.json()
    return found


def test_a_page_is_read_drawn_and_folded_again(page: Page, running: Service) -> None:
    read(page, running)
    at_first = map_of(page, running, budget="8000", parts="600")
    stats = at_first["page"]["stats"]
    numbers = page.locator("#numbers b").all_text_contents()
    assert numbers[:3] == [
        f"{stats[name]:,}" for name in ("raw_chars", "visible_chars", "kept_chars")
    ]
    drawn = page.locator("#picture .part")
    assert drawn.count() == len(at_first["parts"])
    states = {part["state"] for part in at_first["parts"]}
    assert {"kept", "folded"} <= states
    for state in states:
        wanted = sum(part["state"] == state for part in at_first["parts"])
        assert page.locator(f"#picture .part.{state}").count() == wanted

    # Where the heading of the page is, a kept part is.
    heading = running.get("/v1/snapshots/" + snapshot_of(page), format="text").text
    assert "The ledger that outlived its harbour" in heading
    expect(page.locator("#result")).to_contain_text("The ledger that outlived its harbour")

    # The slider folds the stored page again; the site is not asked.
    page.locator("#budget").press("Home")
    expect(page.locator("#budget-said")).to_have_text("500 chars")
    expect(page.locator("#numbers b").nth(2)).not_to_have_text(numbers[2])
    smallest = map_of(page, running, budget="500", parts="600")["page"]["stats"]
    expect(page.locator("#numbers b").nth(2)).to_have_text(f"{smallest['kept_chars']:,}")

    # A question brings what answers it.
    page.locator("#budget").fill("300")
    expect(page.locator("#budget-said")).to_have_text("2,500 chars")
    expect(page.locator("#result")).to_contain_text("biscuit tin")
    expect(page.locator("#result")).not_to_contain_text("of eighteen tons")
    page.fill("#query", "smack Two Sisters from Fowey")
    expect(page.locator("#result")).to_contain_text("of eighteen tons")


def test_parts_say_why_and_open_their_folds(page: Page, running: Service) -> None:
    read(page, running)
    folded = page.locator("#picture .part.folded").first
    part = map_of(page, running, budget="8000", parts="600")["parts"][
        int(folded.get_attribute("data-part") or 0)
    ]
    folded.hover(force=True)
    tip = page.locator("#tip")
    expect(tip).to_be_visible()
    expect(tip).to_contain_text(f"Folded · {part['region']} · {part['chars']:,} characters")
    expect(tip).to_contain_text("does not fit the budget")
    page.keyboard.press("Escape")

    # By keyboard: one stop, then arrows in reading order.
    first = page.locator("#picture .part[tabindex='0']")
    assert first.count() == 1
    first.focus()
    page.keyboard.press("ArrowDown")
    expect(page.locator("#picture .part:focus")).to_have_attribute("data-part", "1")
    expect(page.locator("#detail")).to_contain_text("characters")
    # What it says on pointing, it says on focus, wherever the pointer rests.
    expect(tip).to_be_visible()
    focused = map_of(page, running, budget="8000", parts="600")["parts"][1]
    expect(tip).to_contain_text(f"{focused['region']} · {focused['chars']:,} characters")

    # A press unfolds the fold in the result, and another folds it again.
    marker = page.locator(f"#result [data-ref='{part['ref']}']")
    expect(marker).to_have_count(1)
    folded.dispatch_event("click")
    opened = page.locator(f"#result [data-unfolded='{part['ref']}']")
    expect(opened).to_be_visible()
    whole = running.get(
        f"/v1/snapshots/{snapshot_of(page)}/folds/{part['ref']}", format="text"
    ).text
    expect(opened).to_contain_text(whole.split()[0])
    opened.locator("button").first.press("Enter")
    expect(marker).to_be_focused()


def test_the_legend_leaves_parts_out(page: Page, running: Service) -> None:
    read(page, running)
    toggle = page.locator("#legend button").first
    expect(page.locator("#picture .part.kept").first).to_be_visible()
    toggle.click()
    expect(toggle).to_have_attribute("aria-pressed", "false")
    expect(page.locator("#picture .part.kept").first).to_be_hidden()


def test_hidden_text_is_told_of_and_never_shown(page: Page, running: Service) -> None:
    read(page, running, "hidden")
    found = map_of(page, running, budget="8000", parts="600")
    hidden = [part for part in found["parts"] if part["state"] == "hidden"]
    assert hidden, "the demo page has text that is drawn and cannot be seen"
    seen = [part for part in hidden if part["box"][0] + part["box"][2] > 0]
    assert len(seen) < len(hidden), "and some that stands beside the page"
    assert page.locator("#picture .part.hidden").count() == len(seen)
    expect(page.locator("#detail")).to_contain_text("outside the picture")
    rows = page.locator("#ledger [role=row]")
    assert int(page.locator("#ledger [role=table]").get_attribute("aria-rowcount") or 0) == 1 + len(
        found["page"]["ledger"]
    )
    page.locator("#warnings-said").click()
    expect(page.locator("#warnings-list")).to_contain_text("characters are hidden from people")
    page.select_option("#ledger-rule", "hidden")
    expect(rows.nth(1)).to_contain_text("Hidden")
    assert "Hidden" in (rows.last.text_content() or "")


def test_failures_are_said_in_words(page: Page, running: Service) -> None:
    page.goto(running.url)
    page.fill("#url", "http://127.0.0.1:1/")
    page.click("#read")
    status = page.locator("#page-status")
    expect(status).to_contain_text("(blocked_address)")
    expect(status).to_have_class(re.compile("wrong"))


def test_of_a_page_that_is_not_stored_nothing_is_shown(page: Page, running: Service) -> None:
    read(page, running)
    page.goto(f"{running.url}/#page/{'0' * 32}")
    expect(page.locator("#page-status")).to_contain_text("(not_found)")
    expect(page.locator("#page-found")).to_be_hidden()


def test_a_drag_folds_while_it_goes_on_and_ends_with_the_last_budget(
    page: Page, running: Service
) -> None:
    read(page, running)
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    box = page.locator("#budget").bounding_box()
    assert box is not None
    middle, height = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(middle, height)
    page.mouse.down()
    for step in range(8):
        page.mouse.move(middle - 15 * step, height)
        page.wait_for_timeout(60)
    assert any("/map?" in url for url in asked), "folded again before the slider is let go"
    page.mouse.up()
    said = (page.locator("#budget-said").text_content() or "").split()[0].replace(",", "")
    kept = map_of(page, running, budget=said, parts="600")["page"]["stats"]["kept_chars"]
    expect(page.locator("#numbers b").nth(2)).to_have_text(f"{kept:,}")
    assert f"budget={said}&" in asked[-1]


def test_a_slow_fold_says_so_and_what_is_chosen_meanwhile_is_one_call(
    page: Page, running: Service
) -> None:
    read(page, running)
    held: list[Route] = []
    page.route("**/map?*", lambda route: held.append(route))
    budget, status = page.locator("#budget"), page.locator("#page-status")
    budget.press("ArrowLeft")
    expect(status).to_have_text("Folding the stored page again…")
    for _ in range(3):
        budget.press("PageDown")
        page.wait_for_timeout(150)
    assert len(held) == 1, "no call waits behind one that nobody waits for"
    held[0].continue_()
    for _ in range(200):
        if len(held) > 1:
            break
        page.wait_for_timeout(100)
    said = (page.locator("#budget-said").text_content() or "").split()[0].replace(",", "")
    assert [f"budget={said}&" in route.request.url for route in held] == [False, True]
    held[1].continue_()
    expect(page.locator("#result")).not_to_have_attribute("aria-busy", "true")
    expect(status).to_contain_text("status 200")
