"""Documents that are too large, too deep or too wide, and XML that grows or reaches out when it is read."""

from __future__ import annotations

import gc
import json
from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from tests.browser.site import Answer, Routes
from tests.faults.exhaustion import WORDS, Reader, own_bytes, reading

pytestmark = [pytest.mark.hostile, pytest.mark.asyncio(loop_scope="module")]

MAX_NODES = 5_000
#: In every document before the part that counts: body, main, p, its text.
BEFORE = 4
BOTH = pytest.mark.parametrize("render", ["browser", "static"])


def _built(code: str) -> str:
    return f"<main id=m>{WORDS}</main><script>{code}</script>"


LAUGHS = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 12))
BOMB = f'<?xml version="1.0"?><!DOCTYPE r [<!ENTITY l0 "ha">{LAUGHS}]>'
REACH = '<?xml version="1.0"?><!DOCTYPE r [<!ENTITY f SYSTEM "file:///etc/passwd"><!ENTITY h SYSTEM "http://127.0.0.1:{port}/secret"><!ENTITY % p SYSTEM "http://127.0.0.1:{port}/secret"> %p;]>'
XML = {
    "rss": ("application/rss+xml", "<rss><channel><title>{e}</title></channel></rss>"),
    "atom": (
        "application/atom+xml",
        "<feed xmlns='http://www.w3.org/2005/Atom'><title>{e}</title></feed>",
    ),
    "xml": ("text/xml", "<r>{e}</r>"),
    "xhtml": (
        "application/xhtml+xml",
        "<html xmlns='http://www.w3.org/1999/xhtml'><body><p>{e}</p></body></html>",
    ),
    "svg": ("image/svg+xml", "<svg xmlns='http://www.w3.org/2000/svg'><text>{e}</text></svg>"),
}


def _routes() -> Routes:
    many = "".join(f"<p>w{n}</p>" for n in range(4_000))
    routes: Routes = {
        "/many": f"<main>{WORDS}{many}</main>",
        "/many-built": _built(
            "for (let i = 0; i < 4000; i++) { const p = document.createElement('p'); p.append('w' + i); m.append(p) }"
        ),
        "/text": f"<main>{WORDS}<p>{'word ' * 12_000}last</p></main>",
        "/line": f"<main>{WORDS}<p>{'w' * 60_000}last</p></main>",
        "/attributes": f"<main>{WORDS}<p id=wide {' '.join(f'data-a{n}=v' for n in range(100_000))}>wide words</p></main>",
        "/value": f"<main>{WORDS}<p title='{'x' * 3_000_000}'>wide words</p></main>",
        "/deep": f"<main>{WORDS}{'<div>' * 4_000}deep words</main>",
        "/deep-inline": f"<main>{WORDS}{'<b><i>' * 2_000}deep words</main>",
        "/deep-tables": f"<main>{WORDS}{'<table><tr><td>' * 1_000}deep words</main>",
        "/deep-lists": f"<main>{WORDS}{'<ul><li>' * 1_500}deep words</main>",
        "/deep-frames": f"<main>{WORDS}</main>" + _nested_frames(12),
        "/deep-built": _built(
            "let e = m; for (let i = 0; i < 10000; i++) { const d = document.createElement('div'); e.append(d); e = d } e.append('deep words')"
        ),
        "/deep-roots": f"<main>{WORDS}</main>"
        + "<div><template shadowrootmode=open>" * 200
        + "deep words",
        "/deep-style": f"<style>{':is(' * 3_000}p{')' * 3_000} {{ color: red }} {'@media all {' * 3_000}</style><main>{WORDS}</main>",
        "/deep-json": Answer(
            "[" * 200_000 + json.dumps("plain words"), headers={"Content-Type": "application/json"}
        ),
        "/huge-text": _built("m.append('x'.repeat(2e7))"),
    }
    for name, (kind, frame) in XML.items():
        routes[f"/grows/{name}"] = Answer(
            BOMB + frame.replace("{e}", "&l11;"), headers={"Content-Type": kind}
        )
    return routes


def _nested_frames(depth: int) -> str:
    text = "deepest words"
    for _ in range(depth):
        text = f"<iframe srcdoc='{text.replace('&', '&amp;').replace(chr(39), '&#39;')}'></iframe>"
    return text


@pytest_asyncio.fixture(loop_scope="module", scope="module")
async def reader(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Reader]:
    limits = {"max_nodes": MAX_NODES, "max_document_bytes": 5_000_000}
    async with reading(_routes(), tmp_path_factory.mktemp("data"), **limits) as running:
        for name, (kind, frame) in XML.items():
            text = REACH.replace("{port}", str(running.site.port)) + frame.replace("{e}", "&f;&h;")
            running.site.routes[f"/reaches/{name}"] = Answer(text, headers={"Content-Type": kind})
        yield running


@pytest.mark.parametrize(
    ("path", "render"), [("/many", "browser"), ("/many", "static"), ("/many-built", "browser")]
)
async def test_nodes_past_the_cap_are_counted(reader: Reader, path: str, render: str) -> None:
    page = await reader.read(path, render=render, budget=1_000_000)
    assert page.incomplete_reason == "max_nodes"
    [count] = [notice.count for notice in page.warnings if notice.code == "truncated_nodes"]
    words = page.content["text"].split()
    read = sum(word[0] == "w" and word[1:].isdigit() for word in words)
    assert words[-1] == f"w{read - 1}"
    assert 2 * read <= MAX_NODES
    # Whatever stands around them, each of the paragraphs and texts was read or counted; the last
    # paragraph may have been read without its text.
    assert 7_999 <= 2 * read + count <= 8_000 + 2 * BEFORE
    await reader.healthy()


@BOTH
@pytest.mark.parametrize(("path", "chars"), [("/text", 59_900), ("/line", 60_000)])
async def test_a_long_text_is_whole(reader: Reader, path: str, chars: int, render: str) -> None:
    page = await reader.read(path, render=render, budget=1_000_000)
    assert page.complete
    assert page.content["text"].rstrip().endswith("last")
    assert page.stats.visible_chars >= chars


@BOTH
@pytest.mark.parametrize("path", ["/attributes", "/value"])
async def test_an_element_of_any_width_is_read(reader: Reader, path: str, render: str) -> None:
    page = await reader.read(path, render=render)
    assert "wide words" in page.content["text"]
    told = {notice.code: notice.count for notice in page.warnings}
    if path == "/attributes":
        assert page.incomplete_reason == "max_attributes"
        assert told == {"truncated_attributes": 100_001 - 1_000}
    else:
        assert page.complete
    await reader.healthy()


@BOTH
@pytest.mark.parametrize("path", ["/deep", "/deep-inline", "/deep-tables", "/deep-lists"])
async def test_nesting_without_end_is_flattened_and_no_text_lost(
    reader: Reader, path: str, render: str
) -> None:
    page = await reader.read(path, render=render)
    assert "deep words" in page.content["text"]
    assert page.incomplete_reason is None
    assert "depth" in {notice.code for notice in page.warnings}
    await reader.healthy()


@BOTH
@pytest.mark.parametrize("path", ["/deep-frames", "/deep-roots", "/deep-style"])
async def test_nesting_of_other_kinds_breaks_nothing(
    reader: Reader, path: str, render: str
) -> None:
    assert await reader.outcome(path, render=render) in ("complete", "max_frames")
    await reader.healthy()


async def test_nesting_built_by_script_is_read_or_told_as_a_crash(reader: Reader) -> None:
    assert await reader.beside("/deep-built") in ("page_crashed", "complete", "page_unresponsive")


@BOTH
async def test_deep_data_is_text(reader: Reader, render: str) -> None:
    page = await reader.read("/deep-json", render=render, budget=1_000_000)
    assert page.complete
    assert page.content["text"].count("[") == 200_000
    assert "plain words" in page.content["text"]


async def test_text_that_a_script_writes_past_the_cap_is_too_large(reader: Reader) -> None:
    assert await reader.beside("/huge-text") in ("too_large", "page_unresponsive")


@BOTH
@pytest.mark.parametrize("name", XML)
async def test_entities_are_never_expanded(reader: Reader, name: str, render: str) -> None:
    gc.collect()
    before = own_bytes()
    page = await reader.read(f"/grows/{name}", render=render)
    assert page.content["text"].count("ha") < 100
    gc.collect()
    assert own_bytes() < before + 30_000_000
    await reader.healthy()


@BOTH
@pytest.mark.parametrize("name", XML)
async def test_entities_reach_neither_files_nor_hosts(
    reader: Reader, name: str, render: str
) -> None:
    reader.site.seen.clear()
    page = await reader.read(f"/reaches/{name}", render=render)
    assert "root:" not in page.content["text"]
    assert [target for target, _ in reader.site.seen if "secret" in target] == []
