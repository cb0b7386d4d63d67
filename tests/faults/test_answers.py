"""What is no page, or not a good one, gets its own result or error, and the next request is served."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
import pytest_asyncio

from extractor import Extractor, ExtractorError, ExtractorSettings, PageRequest
from tests.answering import answering


def _pdf(text: str) -> bytes:
    """The smallest PDF of one page with one line."""
    stream = f"BT /F1 18 Tf 20 100 Td ({text}) Tj ET".encode("ascii")
    objects = [
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 200]/Contents 4 0 R"
        b"/Resources<</Font<</F1 5 0 R>>>>>>",
        b"<</Length %d>>stream\n%s\nendstream" % (len(stream), stream),
        b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
    ]
    out, places = b"%PDF-1.4\n", []
    for number, content in enumerate(objects, 1):
        places.append(len(out))
        out += b"%d 0 obj" % number + content + b"endobj\n"
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    head = b"xref\n0 6\n0000000000 65535 f \n" + table
    return out + head + b"trailer<</Size 6/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n" % len(out)


PDF = _pdf("Tide tables")
BIG = 60_000_000


class _Site(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, format: str, *args: object) -> None:
        pass

    def do_GET(self) -> None:
        path = self.path.split("?")[0]
        if path == "/endless":
            self._head("text/html", None)
            self._drip()
        elif path == "/big":
            self._head("text/html", BIG)
            self._pour()
        elif path == "/missing":
            self._whole(
                404, "text/html", b"<main><h1>Not here</h1><p>Try the harbour office.</p></main>"
            )
        elif path == "/data":
            self._whole(200, "application/json", b'{"tide": "high <b>water</b>"}')
        elif path == "/file":
            self._whole(200, "application/pdf", PDF)
        elif path == "/zip":
            self._whole(200, "application/zip", b"PK\x03\x04" + b"\0" * 64)
        else:
            self._whole(
                200, "text/html", b"<main><h1>Harbour</h1><p>Good words on a good page.</p></main>"
            )

    def _head(self, media: str, length: int | None, status: int = 200) -> None:
        self.send_response(status)
        self.send_header("Content-Type", media)
        if length is not None:
            self.send_header("Content-Length", str(length))
        else:
            self.send_header("Connection", "close")
            self.close_connection = True
        self.end_headers()

    def _whole(self, status: int, media: str, body: bytes) -> None:
        self._head(media, len(body), status)
        self.wfile.write(body)

    def _drip(self) -> None:
        try:
            self.wfile.write(b"<main><p>first words</p>")
            for _ in range(300):
                self.wfile.write(b" ")
                self.wfile.flush()
                time.sleep(0.1)
        except OSError:
            return

    def _pour(self) -> None:
        try:
            for _ in range(BIG // 100_000):
                self.wfile.write(b"<p>word</p>".ljust(100_000))
        except OSError:
            return


@pytest.fixture(scope="module")
def site() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Site)
    server.daemon_threads = True
    with answering(server):
        yield f"127.0.0.1:{server.server_port}"


@pytest_asyncio.fixture(loop_scope="module", scope="module")
async def extractor(
    site: str, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[Extractor]:
    folder: Path = tmp_path_factory.mktemp("data")
    settings = ExtractorSettings(allow_hosts=site, data_dir=folder, concurrency=1)
    async with Extractor(settings) as running:
        yield running


async def _still_serves(extractor: Extractor, site: str) -> None:
    page = await extractor.extract(PageRequest(url=f"http://{site}/good", format="text"))
    assert page.content["text"].strip() == "Harbour\nGood words on a good page."


@pytest.mark.parametrize(
    ("url", "code"),
    [
        ("http://{site}/zip", "unsupported_media"),
        ("http://{site}/big", "too_large"),
        ("http://no-such-host.invalid/", "dns"),
        ("http://127.0.0.1:1/", "blocked_address"),
        ("http://169.254.169.254/latest/", "blocked_address"),
        ("http://[::ffff:10.0.0.1]/", "blocked_address"),
        ("http://2130706433/", "blocked_address"),
        ("file:///etc/hostname", "invalid_url"),
        ("http://", "invalid_url"),
    ],
)
@pytest.mark.asyncio(loop_scope="module")
async def test_what_is_no_page_is_a_typed_error(
    extractor: Extractor, site: str, url: str, code: str
) -> None:
    with pytest.raises(ExtractorError) as caught:
        await extractor.extract(PageRequest(url=url.format(site=site), deadline_s=20))
    assert caught.value.code == code
    await _still_serves(extractor, site)


@pytest.mark.parametrize(
    ("path", "status", "text"),
    [
        ("/missing", 404, "Try the harbour office."),
        ("/data", 200, '{"tide": "high <b>water</b>"}'),
        ("/file", 200, "Tide tables"),
    ],
)
@pytest.mark.asyncio(loop_scope="module")
async def test_what_can_be_read_is_read(
    extractor: Extractor, site: str, path: str, status: int, text: str
) -> None:
    page = await extractor.extract(PageRequest(url=f"http://{site}{path}", format=("text", "html")))
    assert page.status == status
    assert text in page.content["text"]
    await _still_serves(extractor, site)


@pytest.mark.asyncio(loop_scope="module")
async def test_a_page_that_never_ends_is_returned_as_far_as_it_came(
    extractor: Extractor, site: str
) -> None:
    started = time.monotonic()
    page = await extractor.extract(
        PageRequest(url=f"http://{site}/endless", format="text", deadline_s=6)
    )
    # The deadline is the service's promise, not a measure of speed.
    assert time.monotonic() - started < 8
    assert "first words" in page.content["text"]
    assert not page.complete
    assert page.incomplete_reason == "deadline"
    await _still_serves(extractor, site)
