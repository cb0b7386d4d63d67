"""The JavaScript client inside web pages: those of the service, and those of others."""

from __future__ import annotations

from pathlib import Path

from playwright.sync_api import Browser, Page, Route

from tests.faults.serving import Service

MODULE = Path(__file__).parents[2] / "api" / "client" / "pagefold.mjs"
ASKED = """async ([service, demo]) => {
  const { NoAnswer, Pagefold, ProblemError } = await import("/pagefold.mjs");
  const client = new Pagefold(service);
  const typed = (error) => [error instanceof ProblemError, error.code ?? error instanceof NoAnswer];
  const read = await client.read(`${demo}/article`, { budget: 900 }).catch(typed);
  if (typeof read !== "string") return read;
  const kinds = [];
  for await (const { event } of client.pageEvents({ html: "<p>Low water", format: ["text"] })) kinds.push(event);
  const blocked = await client.read("http://10.1.2.3/").catch(typed);
  const { id } = await client.openSession({ budget_chars: 30000 });
  const first = await client.context(id);
  return { read, kinds, blocked, again: await client.context(id, { etag: first.etag }) };
}"""


def serve_module(route: Route) -> None:
    route.fulfill(body=MODULE.read_text("utf-8"), content_type="text/javascript")


def test_it_works_in_pages_of_the_service(page: Page, running: Service) -> None:
    page.route("**/pagefold.mjs", serve_module)
    page.goto(f"{running.url}/")
    said = page.evaluate(ASKED, [running.url, f"http://127.0.0.1:{running.demo_port}"])
    assert "The ledger that outlived its harbour" in said["read"]
    assert (said["kinds"][0], said["kinds"][-1]) == ("stage", "page")
    assert said["blocked"] == [True, "blocked_address"]
    assert said["again"] is None


def test_pages_of_others_get_no_answer(browser: Browser, running: Service) -> None:
    demo = f"http://127.0.0.1:{running.demo_port}"
    tab = browser.new_page()
    try:
        tab.route("**/pagefold.mjs", serve_module)
        tab.goto(f"{demo}/article")
        assert tab.evaluate(ASKED, [running.url, demo]) == [False, True]
    finally:
        tab.close()
