"""Every view in both colours and at three widths: no serious finding of axe-core, nothing that overflows."""

from __future__ import annotations

import json
from collections.abc import Iterator
from importlib.resources import files
from typing import Any

import httpx2
import pytest
from playwright.sync_api import Browser, Page, expect

from tests.faults.serving import Service
from tests.inspector.test_session_view import history
from tests.inspector.told import write_known

WIDTHS = (320, 400, 1024, 1920)


#: The rules that are run: axe-core as a package for Python carries it.
AXE = files("axe_playwright_python").joinpath("axe.min.js").read_text("utf-8")
#: Widths and colours of which each is held against axe-core: no width has colours of its own.
LOOKS = ((400, "light"), (400, "dark"), (1920, "light"), (1920, "dark"))


@pytest.fixture(scope="module")
def filled(browser: Browser, running: Service) -> Iterator[Page]:
    """One tab with something in each view."""
    tab = browser.new_page()
    tab.goto(f"{running.url}/#session")
    tab.fill("#history", json.dumps(history(12)))
    tab.click("#history-form .primary")
    expect(tab.locator("#chart .bar")).to_have_count(13)
    with httpx2.Client(base_url=running.url, timeout=40, trust_env=False) as http:
        write_known(http, tab.input_value("#session-id"))
    tab.locator("#session-form .primary").click()
    tab.locator("#known-graph .item").last.click()
    expect(tab.locator("#known-detail mark")).to_have_text("seen twice")
    tab.get_by_text("The same, in rows").click()
    tab.fill("#keyword", "00012")
    tab.locator("#archive-form button").click()
    expect(tab.locator("#archive-lines .rows")).to_be_visible()
    tab.get_by_text("As a table").click()
    tab.click("nav [data-view=jobs]")
    tab.fill(
        "#job-urls", f"http://127.0.0.1:{running.demo_port}/article\nhttp://127.0.0.1:1/refused"
    )
    tab.click("#job-form .primary")
    expect(tab.locator("#job-status")).to_contain_text("completed", timeout=40_000)
    tab.click("nav [data-view=page]")
    tab.fill("#url", f"http://127.0.0.1:{running.demo_port}/hidden")
    tab.click("#read")
    expect(tab.locator("#picture .part").first).to_be_attached(timeout=40_000)
    yield tab
    tab.close()


def show(page: Page, view: str, width: int, colours: Any) -> None:
    page.set_viewport_size({"width": width, "height": 900})
    # Colours that are still on their way would be measured.
    page.emulate_media(color_scheme=colours, reduced_motion="reduce")
    page.click(f"nav [data-view={view}]")


@pytest.mark.parametrize("view", ["page", "session", "jobs"])
def test_nothing_stands_beside_the_window(filled: Page, view: str) -> None:
    for width in WIDTHS:
        show(filled, view, width, "light")
        wide = filled.evaluate("() => document.documentElement.scrollWidth")
        assert wide <= width, (view, width)


def serious(page: Page) -> list[Any]:
    """What axe-core finds that keeps people out."""
    found = page.evaluate(
        "async () => (await axe.run(document, {resultTypes: ['violations']})).violations"
    )
    return [
        (one["id"], one["impact"], [node["html"][:200] for node in one["nodes"]][:3])
        for one in found
        if one["impact"] in ("serious", "critical")
    ]


@pytest.mark.parametrize("view", ["page", "session", "jobs"])
def test_axe_finds_nothing_serious(filled: Page, view: str) -> None:
    filled.evaluate(AXE)
    for width, colours in LOOKS:
        show(filled, view, width, colours)
        assert serious(filled) == [], (view, width, colours)


def test_axe_finds_nothing_serious_in_what_is_empty_or_failed(page: Page, running: Service) -> None:
    page.goto(f"{running.url}/#page/{'0' * 32}")
    expect(page.locator("#page-status")).to_contain_text("not_found")
    page.evaluate(AXE)
    assert serious(page) == []
    page.click("nav [data-view=session]")
    page.fill("#history", json.dumps([{"role": "assistant", "content": "Because."}]))
    page.click("#validate")
    expect(page.locator("#findings-list")).to_contain_text("first_role")
    page.emulate_media(color_scheme="dark", reduced_motion="reduce")
    assert serious(page) == []
    page.click("#key-open")
    assert serious(page) == []


def test_views_are_reached_by_keyboard_alone(page: Page, running: Service) -> None:
    page.goto(running.url)
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Skip to content")).to_be_focused()
    for _ in range(3):
        page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("What happens to an agent's history?")
    expect(page.locator("nav [aria-current=page]")).to_have_text("Session")
