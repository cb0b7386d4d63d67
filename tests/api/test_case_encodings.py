"""The text that Chromium shows, whatever a page and its server say of its encoding; with a browser and without."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from api.app import create_app
from api.settings import ApiSettings
from tests.api.case_site import CaseSite, Reply, serving

CHINESE = "青墨水在港口的台帐上一年也不褪色。"
QUOTED = "“Blue ink” — €5 a bottle…"
JAPANESE = "係員は船ごとに積荷を青いインクで記録する。"
LIES = "<meta charset=gbk>"


def page(text: str, before: str = "") -> str:
    return f"{before}<title>{text}</title><main><p>{text}</p></main>"


#: Path to answer, text, and the encoding as ``document.characterSet`` calls it, in small letters.
CASES = {
    "meta names GBK and the header nothing": (
        Reply(page(CHINESE, LIES).encode("gbk"), media="text/html"), CHINESE, "gbk"
    ),
    "header says UTF-8 and meta GBK": (
        Reply(page(CHINESE, LIES).encode(), media="text/html; charset=utf-8"), CHINESE, "utf-8"
    ),
    "header says Latin 1 and means windows-1252": (
        Reply(page(QUOTED).encode("cp1252"), media="text/html; charset=iso-8859-1"), QUOTED, "windows-1252"
    ),
    "byte-order mark of UTF-8 and a wrong meta": (
        Reply(b"\xef\xbb\xbf" + page(CHINESE, LIES).encode(), media="text/html"), CHINESE, "utf-8"
    ),
    "Shift_JIS by header alone": (
        Reply(page(JAPANESE).encode("cp932"), media="text/html; charset=Shift_JIS"), JAPANESE, "shift_jis"
    ),
    "UTF-16 with its mark": (
        Reply(b"\xff\xfe" + page(CHINESE).encode("utf-16-le"), media="text/html"), CHINESE, "utf-16le"
    ),
    "a label of another spelling": (
        Reply(page("Причал и чернила").encode("koi8-r"), media="text/html; charset=csKOI8R"), "Причал и чернила", "koi8-r"
    ),
    "a comment that names another": (
        Reply(page(CHINESE, "<!-- <meta charset=koi8-r> --><meta charset=gbk>").encode("gbk")), CHINESE, "gbk"
    ),
    "meta by http-equiv": (
        Reply(page(JAPANESE, "<meta http-equiv=content-type content='text/html; charset=euc-jp'>").encode("euc-jp")), JAPANESE, "euc-jp"
    ),
    "one that browsers gave up": (
        Reply(b"<p>t~{<script>top.RAN=1</script>~}", media="text/html; charset=hz-gb-2312"), "\ufffd", "replacement"
    ),
}  # fmt: skip


@pytest.fixture(scope="module")
def site() -> Iterator[CaseSite]:
    routes = {f"/{number}": case[0] for number, case in enumerate(CASES.values())}
    with serving(routes) as running:
        yield running


@pytest.fixture(scope="module")
def client(site: CaseSite, tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    folder: Path = tmp_path_factory.mktemp("data")
    settings = ApiSettings(data_dir=folder, allow_hosts=(site.host,), concurrency=1)
    with TestClient(create_app(settings), base_url="http://127.0.0.1:8000") as running:
        yield running


@pytest.mark.parametrize("render", ["browser", "static"])
@pytest.mark.parametrize("name", CASES)
def test_text_and_name_of_the_encoding_are_those_of_the_browser(
    client: TestClient, site: CaseSite, name: str, render: str
) -> None:
    _, text, charset = CASES[name]
    body = {"url": site.url(f"/{list(CASES).index(name)}"), "render": render, "format": ["text"]}
    answer = client.post("/v1/pages", json=body)
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-type"] == "application/json"
    found = answer.json()
    assert found["content"]["text"].strip() == text
    assert found["charset"] == charset
    if charset != "replacement":
        assert found["title"] == text


@pytest.mark.parametrize("name", CASES)
def test_the_answer_is_always_utf_8(client: TestClient, site: CaseSite, name: str) -> None:
    url = site.url(f"/{list(CASES).index(name)}")
    for form in ("html", "markdown", "text"):
        answer = client.get("/read", params={"url": url, "format": form, "render": "static"})
        assert answer.headers["content-type"].endswith("charset=utf-8")
        assert CASES[name][1] in answer.content.decode("utf-8")
