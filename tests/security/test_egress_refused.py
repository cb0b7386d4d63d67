"""Addresses that are refused before anything is opened: the extractor here has no browser and no proxy."""

from __future__ import annotations

from pathlib import Path

import pytest
from starlette.testclient import TestClient

from api.app import create_app
from api.settings import ApiSettings
from extractor import Extractor, PageRequest
from extractor.errors import BlockedAddress, InvalidUrl
from extractor.settings import ExtractorSettings
from testbed.hostile.forms import dotted, wrapped

#: What callers are told, whatever the reason was.
BLOCKED = (
    "The address may not be opened by this service. "
    "Whoever runs it can let a host:port in by PAGEFOLD_ALLOW_HOSTS."
)

NOT_HTTP = [
    "file:///etc/passwd",
    "FILE:///etc/passwd",
    "file://localhost/etc/passwd",
    " file:///etc/passwd",
    "view-source:http://example.com/",
    "view-source:file:///etc/passwd",
    "chrome://version",
    "chrome://crash",
    "about:blank",
    "devtools://devtools/bundled/inspector.html",
    "chrome-extension://abc/index.html",
    "data:text/html,hi",
    "blob:http://example.com/1",
    "filesystem:http://example.com/temporary/x",
    "javascript:alert(1)",
    "java\nscript:alert(1)",
    "ftp://example.com/",
    "gopher://example.com/",
    "ws://example.com/",
    "wss://example.com/",
    "mailto:a@example.com",
    "jar:http://example.com!/",
    "http:/example.com",
    "//example.com/",
    "example.com",
    "/etc/passwd",
]
MALFORMED = [
    "http://user:pw@10.0.0.1/",
    "http://user@example.com/",
    "http://:pw@example.com/",
    "http://@example.com/",
    "http://example.com\r\nX-Injected: 1/",
    "http://exam\tple.com/",
    "http://example.com/\x00",
    "http://example.com/\x7f",
    "ht\ntp://example.com/",
    "http://example.com:0/",
    "http://example.com:65536/",
    "http://example.com:8o/",
    "http://exa mple.com/",
    "http://[::1/",
    "http://[fe80::1%25eth0]/",
    "http://%00.example.com/",
    "http://exa%0ample.com/",
]
FORBIDDEN = [
    "http://127.0.0.1",
    "http://2130706433",
    "http://0x7f.1",
    "http://[::1]",
    "http://[::ffff:10.0.0.1]",
    "http://[64:ff9b::a00:1]",
    "http://169.254.169.254/latest/",
    "http://localhost.",
    "http://0/",
    "https://metadata.localhost/",
    "http://example.com:22/",
    *(f"http://{host}/" for host in (*dotted("169.254.169.254"), *wrapped("10.1.2.3"))),
]
RENDERS = ("browser", "static", "auto")


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> TestClient:
    settings = ApiSettings(data_dir=tmp_path_factory.mktemp("data"))
    app = create_app(settings)
    # Not started: whatever tried to open a page would fail in another way.
    app.state.extractor = Extractor(settings)
    return TestClient(app, base_url="http://127.0.0.1:8000")


@pytest.mark.parametrize("url", NOT_HTTP + MALFORMED)
async def test_what_is_no_plain_web_address_is_invalid(url: str, tmp_path: Path) -> None:
    extractor = Extractor(ExtractorSettings(data_dir=tmp_path))
    for render in RENDERS:
        with pytest.raises(InvalidUrl):
            await extractor.extract(PageRequest.model_validate({"url": url, "render": render}))


@pytest.mark.parametrize("url", FORBIDDEN)
async def test_a_forbidden_address_is_blocked_with_one_sentence(url: str, tmp_path: Path) -> None:
    extractor = Extractor(ExtractorSettings(data_dir=tmp_path))
    for render in RENDERS:
        with pytest.raises(BlockedAddress) as caught:
            await extractor.extract(PageRequest.model_validate({"url": url, "render": render}))
        assert caught.value.message == BLOCKED


@pytest.mark.parametrize(
    ("urls", "status", "code"),
    [
        (NOT_HTTP, 422, "invalid_url"),
        (MALFORMED, 422, "invalid_url"),
        (FORBIDDEN, 403, "blocked_address"),
    ],
)
def test_the_service_answers_with_one_status_and_code(
    client: TestClient, urls: list[str], status: int, code: str
) -> None:
    for url in urls:
        answers = [client.post("/v1/pages", json={"url": url})]
        answers += [client.get("/read", params={"url": url})]
        for answer in answers:
            told = answer.json()
            assert (answer.status_code, told["code"]) == (status, code), (url, told)
            assert (told["field"], told["retryable"]) == ("url", False)
            assert "10.0.0.1" not in told["detail"]
            assert "169.254" not in told["detail"]
            assert answer.headers["content-type"] == "application/problem+json"
