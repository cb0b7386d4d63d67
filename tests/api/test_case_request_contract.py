"""What a caller sends means what it says: exact selectors, cookies and origins, bounded numbers and bodies."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient
from starlette.types import Message

from api.app import create_app
from api.settings import ApiSettings
from tests.api.case_site import CaseSite, Reply, Routes, serving

MAX_BODY = 200_000
HTML = (
    "<title>Pier</title><main><h1>Heading one</h1><h2>Heading two</h2><p>Plain words.</p>"
    '<a href=/a title="x, y">Comma link</a><a href=/b title="x">Other link</a>'
    "<p data-q='it\"s'>Quoted words.</p><div class=outer>Outer start. <div class=inner>Inner words."
    "</div> Outer end.</div></main>"
)
PIXEL = b"GIF89a\x01\x00\x01\x00\x80\x00\x00\x00\x00\x00\x00\x00\x00!\xf9\x04\x01\x00\x00\x00\x00,\x00\x00\x00\x00\x01\x00\x01\x00\x00\x02\x02D\x01\x00;"


@pytest.fixture(scope="module")
def origins() -> Iterator[tuple[CaseSite, CaseSite, CaseSite]]:
    """Three origins: the first has a page with a picture of the second, and redirects to the third."""
    third: Routes = {"/": Reply(b"<main><p>Third words.</p></main>")}
    with serving({"/b.gif": Reply(PIXEL, media="image/gif")}) as b, serving(third) as c:
        picture = f"<main><p>First words.</p><img src='{b.url('/b.gif')}'></main>".encode()
        first: Routes = {
            "/": Reply(picture),
            "/on": Reply(status=302, headers={"Location": c.url("/")}),
            "/same": Reply(status=302, headers={"Location": "/"}),
        }
        with serving(first) as a:
            yield a, b, c


@pytest.fixture(scope="module")
def client(
    origins: tuple[CaseSite, CaseSite, CaseSite], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[TestClient]:
    folder: Path = tmp_path_factory.mktemp("data")
    settings = ApiSettings(
        data_dir=folder,
        allow_hosts=tuple(site.host for site in origins),
        concurrency=1,
        max_body_bytes=MAX_BODY,
    )
    with TestClient(create_app(settings), base_url="http://127.0.0.1:8000") as running:
        yield running


def text_of(client: TestClient, **wish: Any) -> str:
    answer = client.post("/v1/pages", json={"html": HTML, "format": ["text"], **wish})
    assert answer.status_code == 200, answer.text
    lines: list[str] = answer.json()["content"]["text"].splitlines()
    return "\n".join(line for line in lines if not line.startswith("[folded "))


@pytest.mark.parametrize("name", ["wait_untl", "URL", "format_", "budget_tokens", "proxy_url"])
def test_an_unknown_field_is_named(client: TestClient, name: str) -> None:
    answer = client.post("/v1/pages", json={"html": "<p>x</p>", name: "load"})
    assert (answer.status_code, answer.json()["field"]) == (422, name)
    query = client.get("/read", params={"url": "http://a.test/", name: "load"})
    assert query.status_code == 422
    assert name in query.json()["field"]


@pytest.mark.parametrize(
    ("selector", "found", "missing"),
    [
        ('a[title="x, y"]', ["Comma link"], ["Other link", "Plain words"]),
        (":is(h1, h2)", ["Heading one", "Heading two"], ["Plain words"]),
        ("[data-q='it\"s']", ["Quoted words."], ["Plain words"]),
        ("h1, h2", ["Heading one", "Heading two"], ["Plain words"]),
    ],
)
def test_a_selector_is_taken_whole(
    client: TestClient, selector: str, found: list[str], missing: list[str]
) -> None:
    text = text_of(client, include=[selector])
    assert all(words in text for words in found)
    assert not any(words in text for words in missing)


@pytest.mark.parametrize("field", ["include", "exclude"])
@pytest.mark.parametrize("selector", ["div >", "p[", "::", "a:nope-x(", ""])
def test_what_is_no_selector_is_refused_with_it(
    client: TestClient, field: str, selector: str
) -> None:
    answer = client.post("/v1/pages", json={"html": HTML, field: ["p", selector]})
    assert answer.status_code == 422, answer.text
    assert answer.json()["code"] == "invalid_selector"
    assert answer.json()["field"] == field
    assert repr(selector) in answer.json()["detail"] or selector in answer.json()["detail"]


def test_exclude_wins_over_the_same_include(client: TestClient) -> None:
    text = text_of(client, include=["h1", "p"], exclude=["p"])
    assert "Heading one" in text
    assert "Plain words" not in text


def test_an_include_inside_another_is_not_written_twice(client: TestClient) -> None:
    for order in ([".outer", ".inner"], [".inner", ".outer"], [".inner", ".outer", "h1"]):
        text = text_of(client, include=order)
        assert text.count("Inner words.") == 1
        assert text.index("Outer start.") < text.index("Inner words.") < text.index("Outer end.")
        assert ("Heading one" in text) == ("h1" in order)


@pytest.mark.parametrize("render", ["browser", "static"])
def test_a_cookie_is_sent_exactly_as_given(
    client: TestClient, origins: tuple[CaseSite, CaseSite, CaseSite], render: str
) -> None:
    cookie = {"name": "s", "value": 'a,b="c" d', "expires": 1_990_000_000}
    body = {"url": origins[0].url("/?c"), "render": render, "cookies": [cookie]}
    assert client.post("/v1/pages", json=body).status_code == 200
    assert origins[0].sent_to("/")[-1]["cookie"] == 's=a,b="c" d'


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("headers", {"X-A": "a\r\nX-B: b"}),
        ("headers", {"X-A": "a\nb"}),
        ("headers", {"X-A\r\nX-B": "b"}),
        ("cookies", [{"name": "s", "value": "a\r\nSet-Cookie: b"}]),
        ("user_agent", "a\r\nX-B: b"),
        ("http_auth", {"username": "a\r\nb", "password": "c"}),
    ],
)
def test_what_would_break_out_of_a_header_is_refused(
    client: TestClient, field: str, value: object
) -> None:
    body = {"url": "http://a.test/", "render": "static", field: value}
    answer = client.post("/v1/pages", json=body)
    assert answer.status_code == 422
    assert answer.json()["field"].split(".")[0] == field


@pytest.mark.parametrize("render", ["browser", "static"])
def test_credentials_go_to_the_first_origin_alone(
    client: TestClient, origins: tuple[CaseSite, CaseSite, CaseSite], render: str
) -> None:
    a, b, c = origins
    for site in origins:
        site.seen.clear()
    own = {
        "headers": {"Authorization": "Bearer canary", "X-Own": "canary"},
        "block": [],
        "render": render,
        "format": ["text"],
    }
    assert client.post("/v1/pages", json={"url": a.url("/same"), **own}).status_code == 200
    on = client.post("/v1/pages", json={"url": a.url("/on"), **own})
    assert on.json()["content"]["text"].strip() == "Third words."
    for path in ("/", "/same", "/on"):
        for headers in a.sent_to(path):
            assert headers["authorization"] == "Bearer canary"
            assert headers["x-own"] == "canary"
    assert len(b.sent_to("/b.gif")) == (render == "browser")
    assert c.sent_to("/")
    for _, headers in (*b.seen, *c.seen):
        assert "canary" not in str(headers)


@pytest.mark.parametrize("value", ["0", "-1", "NaN", "Infinity", "1000000000", '"soon"', "1e400"])
def test_a_deadline_that_cannot_be_is_refused(client: TestClient, value: str) -> None:
    raw = f'{{"html": "<p>x</p>", "deadline_s": {value}}}'
    answer = client.post("/v1/pages", content=raw, headers={"Content-Type": "application/json"})
    assert (answer.status_code, answer.json()["field"]) == (422, "deadline_s"), answer.text
    query = client.get("/read", params={"url": "http://a.test/", "deadline_s": value.strip('"')})
    assert query.status_code == 422


def test_an_exclude_inside_a_sentence_leaves_that_out_alone(client: TestClient) -> None:
    html = "<main><p>Keep this <b class=x>not this</b> and this. <i>One</i> <i class=x>two</i></p></main>"
    for wish in ({"exclude": [".x"]}, {"include": ["main"], "exclude": [".x"]}):
        text = text_of(client, html=html, **wish)
        assert all(words in text for words in ("Keep this", "and this.", "One"))
        assert "not this" not in text
        assert "two" not in text
    assert text_of(client, html=html, include=[".x"]).splitlines() == ["not this", "two"]


def test_a_body_without_a_length_is_refused_before_it_is_held(client: TestClient) -> None:
    """Driven below the test client, which would read the whole body before it sends any."""
    taken, answers = 0, list[Message]()

    async def receive() -> Message:
        nonlocal taken
        taken += 10_000
        return {"type": "http.request", "body": b"x" * 10_000, "more_body": taken < 200_000_000}

    async def send(message: Message) -> None:
        answers.append(message)

    scope = {
        "type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1", "method": "POST", "scheme": "http",
        "path": "/v1/pages", "raw_path": b"/v1/pages", "root_path": "", "query_string": b"",
        "headers": [(b"host", b"127.0.0.1:8000"), (b"content-type", b"application/json"), (b"transfer-encoding", b"chunked")],
        "client": ("127.0.0.1", 9), "server": ("127.0.0.1", 8000), "state": {},
    }  # fmt: skip
    assert client.portal is not None
    client.portal.call(client.app, scope, receive, send)
    assert answers[0]["status"] == 413
    assert b'"body_too_large"' in answers[1]["body"]
    # A few more pieces may be taken to see whether the caller is still there; none is kept.
    assert MAX_BODY < taken <= MAX_BODY + 100_000
