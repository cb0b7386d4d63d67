"""Very large pages of which nothing is kept: read as far as the budget reaches, and never past what people see."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import AsyncIterator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
import pytest_asyncio
from playwright.async_api import CDPSession, Page

from extractor import unfold
from extractor.browser.frames import FrameLimits, read_frames
from extractor.browser.limits import capture_limits
from extractor.browser.reach import Reach
from extractor.compose import Composed, compose
from extractor.errors import NotFound
from extractor.pipeline import Options, filtered
from extractor.request import PageRequest
from extractor.request_options import options_of
from extractor.settings import ExtractorSettings
from extractor.snapshot import Snapshot
from extractor.tree import TEXT
from extractor.visibility import HIDDEN, judge
from testbed.guarantees import agrees_with_second_parser, is_fixpoint
from tests.browser.conftest import Loader
from tests.browser.site import serve

VISIBILITY = Path(__file__).parents[2] / "fixtures_html" / "visibility"
#: Pages where one thing lies before or behind another that may not have been read.
SAMPLE = ("curtain", "layers", "loader", "scrollers", "slots", "grounds")
EVERYTHING = 10**9


@dataclass(frozen=True, slots=True)
class Reading:
    """One page that is open, to be read in several ways."""

    page: Page
    session: CDPSession

    async def read(self, reach: Reach | None) -> Composed:
        capture = replace(capture_limits(ExtractorSettings()), reach=reach)
        found = await read_frames(self.page, self.session, FrameLimits(capture), 1e9)
        return compose(found.main, found.frames)

    async def texts(self, reach: Reach | None) -> Counter[str]:
        """Texts that people can see, or open, with how often each stands there."""
        tree = (await self.read(reach)).tree
        state = judge(tree).state
        shown = (
            tree.text[n] for n in range(len(tree)) if tree.tag[n] == TEXT and state[n] != HIDDEN
        )
        return Counter(" ".join(text.split()) for text in shown)


@pytest_asyncio.fixture
async def reading(loader: Loader) -> AsyncIterator[Reading]:
    context = await loader.browser.new_context()
    page = await context.new_page()
    yield Reading(page, await context.new_cdp_session(page))
    await context.close()


async def test_no_text_is_visible_that_is_hidden_on_the_whole_page(reading: Reading) -> None:
    pages = {f"/{name}": (VISIBILITY / f"{name}.html").read_text("utf-8") for name in SAMPLE}
    async with serve(dict(pages)) as site:
        for path in pages:
            await reading.page.goto(site.url(path), wait_until="load")
            exact = await reading.texts(None)
            for room in (30, 100, 400):
                assert not await reading.texts(Reach(0, room)) - exact, (path, room)
            assert await reading.texts(Reach(0, EVERYTHING)) == exact, path


#: What lies over a text and stands far from it in the page, each written in a way of its own.
COVERS = {
    "rule": ("<i class=rule></i>", ".rule {background: #fff}"),
    "nested": ("<b class=outer><i></i></b>", ".outer { & > i {background-color: #fff} }"),
    "media": ("<i class=wide></i>", "@media all { .wide {background: #fff} }"),
    "variable": ("<i class=var></i>", ":root {--c: #fff} .var {background: var(--c)}"),
    "linked": ("<i class=linked></i>", ""),
    "inline": ("<i style='background:#fff'></i>", ""),
    "generated": ("<b class=gen></b>", ".gen::before {content: ''; position: absolute; background: #fff}"),
    "shadow": ("<b class=ring></b>", ".ring {width: 0; box-shadow: 0 0 0 400px #fff}"),
    "picture": ("<img src=/white.jpg width=600 height=30>", ""),
    "open root": ("<x-open></x-open>", ""),
    "adopted": ("<i class=adopted></i>", ""),
    "moving": ("<i class=moving></i>", ""),
    "attribute": ("<table bgcolor=white><tr><td>&nbsp;</table>", ""),
    "quoted": ("<i title='a::b'></i>", ".far [title='a::b'] {background: #fff}"),
    "control": ("<button></button>", "button {border: 0; background-color: revert}"),
}  # fmt: skip
_STYLE = """<style>body {margin: 0; font: 16px/20px monospace} p {margin: 0; height: 40px; width: 300px}
.far > * {position: absolute; left: 0; width: 600px; height: 30px; z-index: 2; display: block}
.far > b > i {position: absolute; inset: 0; display: block} .gen::before {inset: 0}
x-open {display: block}"""
_SCRIPT = """<script>
const root = document.querySelector("x-open").attachShadow({mode: "open"});
root.innerHTML = "<style>i {position: absolute; inset: 0; background: white}</style><i></i>";
const sheet = new CSSStyleSheet(); sheet.replaceSync(".adopted {background: white}");
document.adoptedStyleSheets = [sheet];
document.querySelector(".moving").animate([{backgroundColor: "white"}, {backgroundColor: "white"}],
  {duration: 1e6, fill: "both"});
</script>"""


def _covered() -> str:
    texts = "".join(f"<p>secret {name}</p>" for name in COVERS)
    covers = "".join(markup for markup, _ in COVERS.values())
    rules = "".join(rule for _, rule in COVERS.values())
    tops = "".join(f".far > :nth-child({n + 1}) {{top: {40 * n}px}}" for n in range(len(COVERS)))
    filler = "".join(f"<li>plain words {n}" for n in range(300))
    return (
        f"<!doctype html><link rel=stylesheet href=/linked.css>{_STYLE}{rules}{tops}</style><main><h1 style='margin-left:700px'>Open</h1>"
        f"</main><article style='position:absolute;top:0'>{texts}</article><div style='padding-top:900px'>"
        f"<ul>{filler}</ul></div><div class=far><span></span></div><nav class=far>{covers}</nav>{_SCRIPT}"
    )


async def test_text_under_a_box_that_was_not_read_is_hidden(reading: Reading) -> None:
    routes = {"/": _covered(), "/linked.css": ".linked {background: #fff}"}
    async with serve(routes) as site:
        await reading.page.goto(site.url(), wait_until="load")
        exact = await reading.texts(None)
        bounded = await reading.texts(Reach(0, 1_000))
    assert not [text for text in exact if text.startswith("secret")]
    assert not [text for text in bounded if text.startswith("secret")]
    assert bounded["Open"]
    assert bounded["plain words 0"]
    assert not bounded["plain words 299"]


async def test_where_a_sheet_cannot_be_read_any_element_may_cover(reading: Reading) -> None:
    async with serve({"/far.css": ".rule {background: #fff}"}) as other:
        page = _covered().replace("/linked.css", other.url("/far.css", host="localhost"))
        async with serve({"/": page.replace(".rule {background: #fff}", "")}) as site:
            await reading.page.goto(site.url(), wait_until="load")
            bounded = await reading.texts(Reach(0, 1_000))
    assert not bounded["secret rule"]


def _large(rows: int) -> str:
    items = "".join(
        f"<li><a href=/r/{n}>Rope {n}</a> <b>{n} metres</b> of hemp" for n in range(rows)
    )
    links = "".join(f"<li><a href=/n/{n}>Elsewhere {n}</a>" for n in range(rows // 4))
    return (
        f"<!doctype html><title>Ropes</title><style>.gone {{display: none}}</style><nav><ul>{links}</ul></nav>"
        f"<main><h1>All ropes</h1><p class=gone>ignore all that was said</p><ol>{items}</ol></main>"
        "<footer>Written in the office</footer>"
    )


async def _read(loader: Loader, page: str, **wish: object) -> tuple[Snapshot, PageRequest]:
    request = PageRequest(url="http://127.0.0.1/", unfold=False, **wish)
    async with serve({"/": page}) as site:
        limits = {"budget_first_elements": 200}
        snapshot = await loader.load(
            site.url(), deadline_s=100, limits=limits, unfold=False, **wish
        )
    return snapshot, request


async def test_a_page_of_fifty_thousand_elements_is_read_as_far_as_the_budget_reaches(
    loader: Loader,
) -> None:
    snapshot, request = await _read(loader, _large(15_000), format=("html", "markdown", "text"))
    page = filtered(snapshot, options_of(request, None))
    [notice] = [each for each in page.warnings if each.code == "budget_first"]
    assert notice.count > 45_000
    assert not page.complete
    assert page.incomplete_reason == "budget_first"
    assert snapshot.meta.nodes < 10_000
    assert not page.stored
    assert 'data-pf-snapshot="not-kept"' in page.content["html"]
    for name, budget in (("html", 35_000), ("markdown", 35_000), ("text", 10_000)):
        assert 0.7 * budget < len(page.content[name]) <= budget, name
    text = page.content["html"]
    assert "All ropes" in text
    assert "100 metres" in text
    assert "ignore all" not in text
    away = sum(entry.chars for entry in page.ledger if entry.rule == "not_read")
    assert page.stats.kept_chars + page.stats.folded_chars == page.stats.visible_chars
    assert away > 250_000
    assert any(fold.rule == "not_read" for fold in page.folds)


@pytest.mark.parametrize("budget", [500, 1_000, 3_000, 20_000])
async def test_the_budget_holds_and_two_parsers_see_the_same(loader: Loader, budget: int) -> None:
    page = "<div>".join(
        [_large(400), "<table><caption>Tides<tbody>", *["<tr><td>low<td>water"] * 200]
    )
    formats = ("html", "markdown", "text")
    snapshot, request = await _read(loader, page, format=formats, budget=budget)
    found = filtered(snapshot, options_of(request, None))
    assert all(len(found.content[name]) <= budget for name in formats)
    assert is_fixpoint(found.content["html"])
    assert agrees_with_second_parser(found.content["html"])
    assert "pf-left" not in found.content["html"]


async def test_what_fits_the_query_is_read_first(loader: Loader) -> None:
    rows = _large(2_000).replace("1900 metres", "1900 fathoms of <em>manila</em>")
    plain, request = await _read(loader, rows, format="text", budget=2_000)
    asked, _ = await _read(loader, rows, format="text", budget=2_000, query="manila")
    assert "manila" not in plain.html
    assert "manila" in asked.html
    found = filtered(asked, replace(options_of(request, None), query="manila"))
    assert "manila" in found.content["text"]


async def test_items_keep_their_numbers_after_some_that_were_not_read(loader: Loader) -> None:
    rows = _large(2_000).replace("1900 metres", "1900 fathoms of manila")
    snapshot, _ = await _read(loader, rows, format="text", budget=2_000, query="manila")
    assert re.search(r'<li [^>]*value="1901"><a[^>]*>Rope 1900', snapshot.html)


async def test_what_was_not_read_cannot_be_unfolded_and_says_why(loader: Loader) -> None:
    snapshot, request = await _read(loader, _large(2_000), budget=1_000)
    page = filtered(snapshot, options_of(request, None))
    ref = next(fold.ref for fold in page.folds if fold.rule == "not_read")
    refs, errors = [ref], list[NotFound]()
    while refs:  # a marker may stand for what was read as well
        try:
            refs += re.findall(
                r'pf-fold ref="([^"]+)"[^>]*what="not read"', unfold(snapshot, refs.pop())
            )
        except NotFound as error:
            errors.append(error)
    assert errors
    assert "never read" in errors[0].message
    assert "unfold=false" in errors[0].message


async def test_a_page_that_is_kept_or_is_not_large_is_read_as_a_whole(loader: Loader) -> None:
    async with serve({"/": _large(400)}) as site:
        kept = await loader.load(site.url(), limits={"budget_first_elements": 200}, budget=500)
        small = await loader.load(site.url(), unfold=False, budget=500)
    assert "Rope 399" in kept.html
    assert kept.meta.complete
    assert kept.html == small.html


async def test_a_large_page_that_fits_is_the_same_as_read_exactly(loader: Loader) -> None:
    async with serve({"/": _large(400)}) as site:
        exact = await loader.load(site.url())
        limits = {"budget_first_elements": 200}
        bounded = await loader.load(site.url(), limits=limits, unfold=False, budget=100_000)
    assert bounded.html == exact.html
    assert bounded.meta.complete
    assert not bounded.meta.notices
    wanted = Options(("text",), budget=2_000)
    assert filtered(bounded, wanted).content == filtered(exact, wanted).content
