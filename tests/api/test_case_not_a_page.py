"""What is no web page, or not a good one: a stable code, or its content; judged by header and first bytes."""

from __future__ import annotations

import ssl
from collections.abc import Iterator
from pathlib import Path

import pytest
import trustme
from starlette.testclient import TestClient

from api.app import create_app
from api.settings import ApiSettings
from tests.api.case_site import CaseSite, Reply, Routes, serving
from tests.faults.test_answers import PDF

PNG = (
    b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x01\x00\x00\x00\x01\x08\x06\x00\x00\x00\x1f\x15\xc4\x89"
    b"\x00\x00\x00\rIDATx\x9cc\xf8\xcf\xc0\xf0\x1f\x00\x05\x00\x01\xff\x89\x99=\x1d\x00\x00\x00\x00IEND\xaeB`\x82"
)
HARBOUR = b"<title>Harbour</title><main><p>Try the harbour office.</p></main>"
ROUTES: Routes = {
    "/file": Reply(PDF, media="application/pdf"),
    "/page.pdf": Reply(HARBOUR),
    "/bytes": Reply(PDF),
    "/attached": Reply(HARBOUR, headers={"Content-Disposition": "attachment; filename=x.html"}),
    "/nothing": Reply(status=204),
    "/empty": Reply(),
    "/data": Reply(b'{"tide": "high <b>water</b>"}', media="application/json"),
    "/words": Reply(b"high <b>water</b>\n\n  at four", media="text/plain"),
    "/picture": Reply(PNG, media="image/png"),
    "/picture.html": Reply(PNG, media="image/png"),
    "/archive": Reply(b"PK\x03\x04" + bytes(60), media="application/zip"),
    "/film": Reply(b"\0\0\0\x18ftypmp42" + bytes(60), media="video/mp4"),
    "/missing": Reply(HARBOUR, status=404),
    "/broken": Reply(b"It broke at <b>four</b>.", status=500, media="text/plain"),
    "/closed": Reply(HARBOUR, status=401, headers={"WWW-Authenticate": 'Basic realm="pier"'}),
    "/untyped": Reply(b"<!DOCTYPE html>" + HARBOUR, media=None),
    "/damaged": Reply(b"%PDF-1.4\nnothing more", media="application/pdf"),
}
REFUSED = {
    "/attached": "download",
    "/nothing": "empty",
    "/empty": "empty",
    "/archive": "unsupported_media",
    "/film": "unsupported_media",
    "/damaged": "unsupported_media",
}
READ = {
    "/file": (200, "Tide tables"),
    "/page.pdf": (200, "Try the harbour office."),
    "/bytes": (200, "Tide tables"),
    "/data": (200, '{"tide": "high <b>water</b>"}'),
    "/words": (200, "high <b>water</b>\n\n  at four"),
    "/picture": (200, "image/png, 70 bytes"),
    "/picture.html": (200, "image/png, 70 bytes"),
    "/missing": (404, "Try the harbour office."),
    "/broken": (500, "It broke at <b>four</b>."),
    "/closed": (401, "Try the harbour office."),
    "/untyped": (200, "Try the harbour office."),
}


@pytest.fixture(scope="module")
def site() -> Iterator[CaseSite]:
    with serving(ROUTES) as running:
        yield running


@pytest.fixture(scope="module")
def sealed() -> Iterator[CaseSite]:
    """A site whose certificate no one vouches for."""
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    trustme.CA().issue_cert("127.0.0.1").configure_cert(context)
    with serving({"/": Reply(HARBOUR)}, context) as running:
        yield running


@pytest.fixture(scope="module")
def client(
    site: CaseSite, sealed: CaseSite, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[TestClient]:
    folder: Path = tmp_path_factory.mktemp("data")
    hosts = (site.host, sealed.host)
    settings = ApiSettings(data_dir=folder, allow_hosts=hosts, concurrency=1)
    with TestClient(create_app(settings), base_url="http://127.0.0.1:8000") as running:
        yield running


@pytest.mark.parametrize("render", ["browser", "static"])
@pytest.mark.parametrize("path", REFUSED)
def test_what_cannot_be_read_has_a_stable_code(
    client: TestClient, site: CaseSite, path: str, render: str
) -> None:
    answer = client.post("/v1/pages", json={"url": site.url(path), "render": render})
    assert (answer.status_code, answer.json()["code"]) == (502, REFUSED[path])
    assert answer.headers["content-type"] == "application/problem+json"


@pytest.mark.parametrize("render", ["browser", "static"])
@pytest.mark.parametrize("path", READ)
def test_what_can_be_read_is_itself_with_its_own_status(
    client: TestClient, site: CaseSite, path: str, render: str
) -> None:
    status, text = READ[path]
    body = {"url": site.url(path), "render": render, "format": ["text", "html"]}
    answer = client.post("/v1/pages", json=body)
    assert answer.status_code == 200, answer.text
    page = answer.json()
    assert page["status"] == status
    assert text in page["content"]["text"]
    # Neither the PDF viewer's shell nor Chromium's frame around data, pictures and plain text.
    for shell in ("<embed", "word-wrap: break-word", "json-formatter", "plugin"):
        assert shell not in page["content"]["html"]


@pytest.mark.parametrize("render", ["browser", "static"])
def test_plain_text_is_escaped_and_keeps_its_lines(
    client: TestClient, site: CaseSite, render: str
) -> None:
    body = {"url": site.url("/words"), "render": render}
    html = client.post("/v1/pages", json=body).json()["content"]["html"]
    assert "<pre>high &lt;b&gt;water&lt;/b&gt;\n\n  at four</pre>" in html


@pytest.mark.parametrize("render", ["browser", "static"])
def test_a_certificate_that_no_one_vouches_for_is_tls(
    client: TestClient, sealed: CaseSite, render: str
) -> None:
    url = sealed.url().replace("http:", "https:")
    answer = client.post("/v1/pages", json={"url": url, "render": render})
    assert (answer.status_code, answer.json()["code"]) == (502, "tls")
    assert sealed.seen == []


@pytest.mark.parametrize("render", ["browser", "static"])
def test_a_name_that_does_not_exist_is_dns(client: TestClient, render: str) -> None:
    body = {"url": "http://no-such-host.invalid/", "render": render}
    answer = client.post("/v1/pages", json=body)
    assert (answer.status_code, answer.json()["code"]) == (502, "dns")


def test_the_status_of_the_page_stands_in_a_header_of_read(
    client: TestClient, site: CaseSite
) -> None:
    answer = client.get("/read", params={"url": site.url("/missing"), "render": "static"})
    assert (answer.status_code, answer.headers["x-pagefold-status"]) == (200, "404")
