"""The jobs view: start, follow, look at results, cancel."""

from __future__ import annotations

from playwright.sync_api import Page, expect

from tests.faults.serving import Service


def start(page: Page, running: Service, *paths: str) -> None:
    page.goto(f"{running.url}/#jobs")
    site = f"http://127.0.0.1:{running.demo_port}"
    page.fill("#job-urls", "\n".join(f"{site}/{path}" for path in paths))
    page.click("#job-form .primary")


def test_a_job_is_followed_to_its_end(page: Page, running: Service) -> None:
    page.goto(f"{running.url}/#jobs")
    page.fill(
        "#job-urls", f"http://127.0.0.1:{running.demo_port}/article\n\nhttp://127.0.0.1:1/refused"
    )
    page.click("#job-form .primary")
    expect(page.locator("#job-status")).to_contain_text("completed", timeout=40_000)
    assert page.locator("#job-numbers b").all_text_contents() == ["2", "0", "1", "1", "0"]
    results = page.locator("#job-results")
    expect(results).to_contain_text("/article")
    expect(results).to_contain_text("blocked_address")
    assert page.locator("#job-progress").evaluate("bar => bar.value") == 1
    expect(page.locator("#job-end")).to_be_hidden()
    expect(page.locator("#job-list button").first).to_contain_text("2 of 2 pages")
    # Another visit finds the same.
    page.reload()
    page.locator("#job-list button").first.click()
    expect(results.locator("[role=row]")).to_have_count(3)


def test_a_job_is_cancelled(page: Page, running: Service) -> None:
    start(page, running, *(f"products/{number}" for number in range(1, 200)))
    page.locator("#job-end").click()
    expect(page.locator("#job-status")).to_contain_text("cancelled", timeout=20_000)
    assert int(page.locator("#job-numbers b").last.text_content() or 0) > 0
