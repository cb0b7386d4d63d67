"""Answers that are small on the wire and huge when unpacked, or that never end."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import AsyncIterator

import brotli
import pytest
import pytest_asyncio
import zstandard

from tests.browser.site import Answer, Routes, Stream
from tests.faults.exhaustion import WORDS, Reader, browser_bytes, gzipped, own_bytes, reading

pytestmark = [pytest.mark.hostile, pytest.mark.asyncio(loop_scope="module")]

MB = 1_000_000
SIZE_MB = 30
PATHS = {"gzip": "gzip", "br": "br", "zstd": "zstd", "gzip, gzip": "twice"}
BLOCK = b"<p>aaaa aaaa</p>".ljust(1000) * 1000
HEAD = f"<main>{WORDS}".encode()


def _in_brotli(size_mb: int) -> bytes:
    packer = brotli.Compressor(quality=5)
    parts = [packer.process(HEAD), *(packer.process(BLOCK) for _ in range(size_mb))]
    return b"".join([*parts, packer.finish()])


def _in_zstd(size_mb: int) -> bytes:
    packer = zstandard.ZstdCompressor(level=3).compressobj()
    parts = [packer.compress(HEAD), *(packer.compress(BLOCK) for _ in range(size_mb))]
    return b"".join([*parts, packer.flush()])


def _bombs() -> dict[str, bytes]:
    packed = gzipped(BLOCK, times=SIZE_MB, head=HEAD)
    bombs = {"gzip": packed, "br": _in_brotli(SIZE_MB), "zstd": _in_zstd(SIZE_MB)}
    bombs["gzip, gzip"] = gzipped(packed)
    assert max(map(len, bombs.values())) < MB
    return bombs


def _trickle(text: bytes, *, head: bytes, pause_s: float) -> Stream:
    """Sends ``head`` at once, then ``text`` a byte at a time, and never ends."""

    async def send(writer: asyncio.StreamWriter) -> None:
        writer.write(head)
        for byte in text + b" " * 10_000:
            writer.write(bytes([byte]))
            await writer.drain()
            await asyncio.sleep(pause_s)

    return send


HTML = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n"


def _routes() -> Routes:
    bombs = _bombs()
    routes: Routes = {
        f"/bomb/{PATHS[name]}": Answer(body, headers={"Content-Encoding": name})
        for name, body in bombs.items()
    }
    packed = {"Content-Encoding": "gzip", "Content-Type": "text/javascript"}
    routes["/bomb.js"] = Answer(bombs["gzip"], headers=packed)
    for name, element in SUBRESOURCES.items():
        routes[f"/with/{name}"] = f"<main>{WORDS}{element}</main>"
    routes["/worker"] = f"<main>{WORDS}</main><script>new Worker('/bomb.js')</script>"
    routes["/endless"] = _trickle(b"", head=HTML + HEAD, pause_s=0.2)
    routes["/slow"] = _trickle(HEAD, head=HTML, pause_s=0.01)
    routes["/slow-head"] = _trickle(b"HTTP/1.1 200 OK\r\nX: ", head=b"", pause_s=0.2)
    return routes


SUBRESOURCES = {
    "script": "<script src=/bomb.js></script>",
    "style": "<link rel=stylesheet href=/bomb.js>",
    "fetch": "<script>fetch('/bomb.js').then(r => r.text())</script>",
    "frame": "<iframe src='/bomb/gzip'></iframe>",
}


@pytest_asyncio.fixture(loop_scope="module", scope="module")
async def reader(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Reader]:
    limits = {"max_document_bytes": 2 * MB, "max_page_bytes": 8 * MB}
    async with reading(_routes(), tmp_path_factory.mktemp("data"), **limits) as running:
        yield running


@pytest.mark.parametrize("encoding", PATHS.values())
@pytest.mark.parametrize("render", ["browser", "static"])
async def test_a_packed_document_is_cut_at_its_decoded_size(
    reader: Reader, render: str, encoding: str
) -> None:
    await reader.healthy()
    gc.collect()
    before, browsers = own_bytes(), browser_bytes()
    code = await reader.outcome(f"/bomb/{encoding}", render=render)
    gc.collect()
    # What cannot be unpacked is told as that; it is never read as text.
    refused = (
        {"too_large", "http_protocol"}
        if (render, encoding) == ("static", "zstd")
        else {"too_large"}
    )
    assert code in refused
    assert own_bytes() < before + 30 * MB
    await reader.healthy()
    assert browser_bytes() < browsers + 50 * MB


@pytest.mark.parametrize("kind", SUBRESOURCES)
async def test_a_packed_subresource_ends_the_page_and_not_what_was_read(
    reader: Reader, kind: str
) -> None:
    assert await reader.beside(f"/with/{kind}") == "max_page_bytes"


async def test_a_packed_worker_ends_with_its_page(reader: Reader) -> None:
    # What workers receive is not the page's: their renderer's memory and the bytes on the wire bound it.
    assert await reader.beside("/worker") in ("complete", "max_page_bytes")
    assert browser_bytes() < 500 * MB


@pytest.mark.parametrize("render", ["browser", "static"])
@pytest.mark.parametrize("path", ["/endless", "/slow"])
async def test_an_answer_without_end_is_read_as_far_as_it_came(
    reader: Reader, path: str, render: str
) -> None:
    assert await reader.beside(path, render=render, deadline_s=6) == "deadline"


@pytest.mark.parametrize("render", ["browser", "static"])
async def test_a_head_without_end_is_no_page(reader: Reader, render: str) -> None:
    assert await reader.beside("/slow-head", render=render, deadline_s=4) == "deadline"


async def test_what_is_over_by_a_byte_is_over(reader: Reader) -> None:
    text = WORDS + "x" * (10_000 - len(WORDS))
    reader.site.routes["/exact"], reader.site.routes["/over"] = text, text + "x"
    for render in ("browser", "static"):
        assert await reader.outcome("/exact", render=render, max_bytes=10_000) == "complete"
        assert await reader.outcome("/over", render=render, max_bytes=10_000) == "too_large"
