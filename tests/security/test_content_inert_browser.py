"""What is handed out is opened in a real browser, with scripts on and no policy: nothing runs, nothing loads."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Sequence

import pytest
import pytest_asyncio
from playwright.async_api import Browser, Route, async_playwright

from extractor import filter_html, filter_snapshot
from extractor.browser.discover import find_chromium
from tests.browser.conftest import Loader
from tests.browser.site import Answer, Routes, serve
from tests.security.inert import assert_inert
from tests.security.xss import CHARSETS, CORPUS, EVENTS, MUTATION, STRUCTURE

pytestmark = pytest.mark.hostile

GROUP = 60
#: Clicks all that can be clicked and sends every form, as a careless reader would.
_USE = """async () => {
  for (const frame of document.querySelectorAll("iframe")) {
    const inside = frame.contentDocument;
    if (!inside || !inside.body) continue;
    for (const each of inside.querySelectorAll("a, button, input, summary, option, label, area, [tabindex]")) {
      try { each.focus(); each.click(); } catch {}
    }
    for (const form of inside.forms) { try { HTMLFormElement.prototype.requestSubmit.call(form); } catch {} }
  }
  await new Promise((done) => setTimeout(done, 150));
  return Boolean(window.RAN);
}"""


@pytest_asyncio.fixture
async def browser() -> AsyncIterator[Browser]:
    async with async_playwright() as playwright:
        running = await playwright.chromium.launch(
            executable_path=find_chromium(None).path,
            args=["--no-sandbox", "--block-new-web-contents"],
        )
        try:
            yield running
        finally:
            await running.close()


async def opened(browser: Browser, documents: Sequence[str]) -> tuple[bool, list[tuple[str, str]]]:
    """Whether anything ran in any of the documents, and what they asked the network for."""
    asked: list[tuple[str, str]] = []
    context = await browser.new_context()
    try:
        page = await context.new_page()

        async def refuse(route: Route) -> None:
            asked.append((route.request.resource_type, route.request.url))
            await route.abort()

        await page.route("**/*", refuse)
        frames = "".join("<iframe></iframe>" for _ in documents)
        await page.set_content(f"<!DOCTYPE html><body>{frames}")
        await page.evaluate(
            "all => { const frames = document.querySelectorAll('iframe');"
            " JSON.parse(all).forEach((text, i) => { frames[i].srcdoc = text; }) }",
            json.dumps(list(documents)),
        )
        await page.wait_for_timeout(250)
        ran = await page.evaluate(_USE)
    finally:
        await context.close()
    return bool(ran), asked


async def test_nothing_runs_in_what_is_handed_out(browser: Browser) -> None:
    documents = {
        filter_snapshot(filter_html(markup, url="https://e.test/a").snapshot, filter=name).content[
            "html"
        ]
        for markup in CORPUS.values()
        for name in ("pagefold", "raw")
    }
    # The id of the snapshot aside, most come out alike.
    alike = {html.partition("<head>")[2]: html for html in sorted(documents)}
    chosen = list(alike.values())
    asked: list[tuple[str, str]] = []
    for start in range(0, len(chosen), GROUP):
        ran, more = await opened(browser, chosen[start : start + GROUP])
        assert not ran, chosen[start : start + GROUP]
        asked += more
    # Pictures may be named, links and forms followed; nothing else may be asked for.
    assert {kind for kind, _ in asked} <= {"image", "document"}


async def test_the_same_markup_as_it_came_does_run(browser: Browser) -> None:
    """Else the test above would see nothing."""
    samples = ["event on img", "script", "event without quotes", "frame by srcdoc", "nul in a tag"]
    markup = {**EVENTS, **STRUCTURE}
    for name in samples[:4]:
        ran, _ = await opened(browser, [markup[name]])
        assert ran, name
    _, asked = await opened(browser, [STRUCTURE["style sheet"], STRUCTURE["object of a page"]])
    assert {"stylesheet"} <= {kind for kind, _ in asked}


@pytest_asyncio.fixture
async def loader(browser: Browser) -> Loader:
    return Loader(browser)


async def test_what_a_browser_makes_of_it_comes_out_inert(loader: Loader) -> None:
    """The DOM that Chromium builds, scripts and all, captured and handed out; each piece in its own frame."""
    pieces: dict[str, str | tuple[bytes, str]] = {**EVENTS, **STRUCTURE, **MUTATION}
    names = list(pieces)
    routes: Routes = {f"/{number}": str(pieces[name]) for number, name in enumerate(names)}
    async with serve(routes) as site:
        for start in range(0, len(names), GROUP):
            numbers = range(start, min(start + GROUP, len(names)))
            frames = "".join(f"<iframe src=/{n} width=300 height=60></iframe>" for n in numbers)
            routes["/"] = f"<!DOCTYPE html><title>Pier</title><main><p>Start.</p>{frames}</main>"
            snapshot = await loader.load(site.url("/?" + str(start)), wait="load")
            for name, budget in (("pagefold", 0), ("pagefold", 2_000), ("raw", 0)):
                page = filter_snapshot(snapshot, filter=name, budget=budget)
                assert_inert(page.content["html"])


async def test_bytes_that_lie_of_their_encoding_come_out_inert(loader: Loader) -> None:
    routes: Routes = {
        f"/{number}": Answer(body, headers={"Content-Type": media or "text/html"})
        for number, (body, media) in enumerate(CHARSETS.values())
    }
    frames = "".join(f"<iframe src={path}></iframe>" for path in routes)
    routes["/"] = f"<!DOCTYPE html><main><p>Start.</p>{frames}</main>"
    async with serve(routes) as site:
        snapshot = await loader.load(site.url(), wait="load")
    assert_inert(filter_snapshot(snapshot, budget=0).content["html"])
