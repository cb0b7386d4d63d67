"""HTML that is handed out runs nothing, loads nothing and mutates into nothing, whatever the page holds."""

from __future__ import annotations

import re
from collections.abc import Iterator
from urllib.parse import urlsplit

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from starlette.testclient import TestClient

from api.app import create_app
from api.settings import ApiSettings
from extractor import Page, Snapshot, filter_html, filter_snapshot, unfold
from extractor.compose import compose
from extractor.pipeline import Options, filtered
from extractor.snapshot import SnapshotMeta
from extractor.static import snapshot_from_bytes
from tests.properties.trees import TAGS
from tests.security.inert import URL_SCHEMES, assert_inert, cleaned
from tests.security.xss import CHARSETS, EVENTS, MUTATION, PLACES, SCHEMES, STRUCTURE

BASES = ("https://e.test/a/b.html", "about:blank", "javascript:top.RAN=1//", "data:text/html,x")
FILTERS = ("pagefold", "visible", "raw", "readability")
FILLER = "<p>" + "The clerk writes down each ship that comes in. " * 6 + "</p>"
MARKUP = {**EVENTS, **STRUCTURE, **MUTATION}
_REFS = re.compile(r'<pf-fold ref="([^"]+)"')


def documents(snapshot: Snapshot) -> Iterator[str]:
    """The page under every filter, at several budgets, fenced, and every part that was folded."""
    for name in FILTERS:
        for budget in (0, 500, 900):
            yield filter_snapshot(snapshot, filter=name, budget=budget).content["html"]
    yield filtered(snapshot, Options(fence_key=b"key")).content["html"]
    small = filter_snapshot(snapshot, budget=600)
    for fold in small.folds:
        yield unfold(snapshot, fold.ref)
        yield unfold(snapshot, fold.ref, budget=500)


@pytest.mark.parametrize("place", PLACES)
def test_an_address_that_runs_code_goes_wherever_it_stands(place: str) -> None:
    for number, address in enumerate(SCHEMES.values()):
        markup = PLACES[place].replace("{}", address)
        page = filter_html(markup, url=BASES[number % len(BASES)])
        assert_inert(page.content["html"])
        assert {urlsplit(link.url).scheme for link in page.links} <= URL_SCHEMES | {""}


@pytest.mark.parametrize("name", MARKUP)
def test_markup_that_runs_or_mutates_comes_out_inert_everywhere(name: str) -> None:
    several = f"<main><h1>Pier</h1>{FILLER}{MARKUP[name]}</main>{FILLER}{MARKUP[name]}"
    for markup in (MARKUP[name], several):
        snapshot = filter_html(markup, url=BASES[0]).snapshot
        for html in documents(snapshot):
            assert_inert(html)


@pytest.mark.parametrize("name", CHARSETS)
def test_bytes_read_in_another_encoding_bring_in_no_markup(name: str) -> None:
    body, content_type = CHARSETS[name]
    snapshot = snapshot_from_bytes(body, url=BASES[0], content_type=content_type or "text/html")
    for html in documents(snapshot):
        assert_inert(html)
        # The document says itself what it is encoded in, so no reader has to guess.
        assert '<meta charset="utf-8">' in html[:200]
        html.encode("utf-8")


def test_a_base_address_that_runs_code_is_not_handed_on() -> None:
    for base in BASES[1:]:
        html = filter_html("<a href=x>t</a>", url=base).content["html"]
        assert "<base" not in html
        assert_inert(html)


@pytest.mark.parametrize("name", SCHEMES)
def test_metadata_names_no_address_that_runs_code(name: str) -> None:
    """Picture, icons and canonical address are meant to be opened; the page's own records stay as they are."""
    address = SCHEMES[name]
    page = filter_html(
        f"<link rel=canonical href='{address}'><link rel=icon href='{address}'>"
        f"<meta property=og:image content='{address}'><p>t",
        url=BASES[0],
        format="metadata",
    )
    found = [page.metadata.get(key, "") for key in ("canonical", "image")]
    for each in (*found, *page.metadata.get("icons", [])):
        assert urlsplit(each).scheme in ("", "http", "https"), each


_VALUES = st.sampled_from(
    [*SCHEMES.values(), *STRUCTURE.values(), "x", "", "\"onx='", "'\"><script>", "`", "\0", "\r\n", "é", "&#0;"]
)  # fmt: skip
_NAMES = st.sampled_from(
    "href src action formaction srcset xlink:href poster ping background style srcdoc onclick onx id class name "
    "title alt aria-label role lang dir type value placeholder for cite datetime data-pf-tag data-pf-l data-pf-c "
    "data-pf-h data-pf-number data-pf-before data-pf-tex data-pf-url data-pf-shadow is slot label content".split()
)
_MORE_TAGS = [*TAGS, "script", "style", "mtext", "mglyph", "foreignobject", "desc", "annotation-xml", "path", "base",
              "meta", "link", "embed", "video", "pf-fold", "pf-frame", "pf-fence", "noembed", "noframes"]  # fmt: skip


@st.composite
def markups(draw: st.DrawFn) -> str:
    """Tags in any order, closed or not, with nasty attributes."""
    parts = []
    for _ in range(draw(st.integers(1, 25))):
        tag = draw(st.sampled_from(_MORE_TAGS))
        match draw(st.integers(0, 3)):
            case 0:
                parts.append(f"</{tag}>")
            case 1:
                parts.append(
                    draw(
                        st.sampled_from(
                            ["t ", "<!--", "-->", "<![CDATA[", "]]>", "&lt;", "\n", "好"]
                        )
                    )
                )
            case _:
                pairs = draw(st.dictionaries(_NAMES, _VALUES, max_size=3))
                attrs = "".join(f' {k}="{v.replace(chr(34), "&quot;")}"' for k, v in pairs.items())
                parts.append(f"<{tag}{attrs}>")
    return "".join(parts)  # fmt: skip


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(markups(), st.sampled_from([0, 500, 700]), st.sampled_from(FILTERS), st.sampled_from(BASES))
def test_any_markup_comes_out_inert(markup: str, budget: int, name: str, base: str) -> None:
    snapshot = filter_html(markup + "<p>t", url=base).snapshot
    assert_inert(filter_snapshot(snapshot, budget=budget, filter=name).content["html"])


@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(markups(), st.sampled_from([0, 500]))
def test_any_captured_tree_comes_out_inert(markup: str, budget: int) -> None:
    """As the browser path hands it over: annotated markup that no static rule has looked at."""
    html = compose(f"<!DOCTYPE html><html><body>{markup}<p>t").html
    meta = SnapshotMeta(BASES[0], BASES[0], "browser", title="</title><script>", lang='"><script>')
    assert_inert(filter_snapshot(Snapshot(html, meta), budget=budget).content["html"])


@pytest.mark.parametrize("name", MARKUP)
def test_markdown_of_it_renders_inert(name: str) -> None:
    """A renderer that lets HTML through finds none, and no address that runs code."""
    page = filter_html(f"<main>{FILLER}{MARKUP[name]}", url=BASES[0], format="markdown")
    _assert_markdown_inert(page)


@pytest.mark.parametrize("place", PLACES)
def test_markdown_names_no_address_that_runs_code(place: str) -> None:
    markup = "".join(PLACES[place].replace("{}", address) for address in SCHEMES.values())
    _assert_markdown_inert(filter_html(f"<main>{FILLER}{markup}", format="markdown"))


def _assert_markdown_inert(page: Page) -> None:
    render = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
    render.validateLink = lambda url: True  # type: ignore[method-assign]
    html = render.render(page.content["markdown"])
    assert "<script" not in html
    assert not re.search(r"<[a-z]+(?:\s[\w-]+(?:=\"[^\"]*\")?)*\son\w+=", html)
    found = re.findall(r'(?:href|src)="([^"]*)"', html)
    left = re.findall(r'(?:href|src)="([^"]*)"', cleaned(html))
    assert found == left


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    settings = ApiSettings(data_dir=tmp_path_factory.mktemp("data"), concurrency=1)
    with TestClient(create_app(settings), base_url="http://127.0.0.1:8000") as running:
        yield running


@pytest.mark.parametrize("part", range(4))
def test_a_long_tool_result_is_handed_to_the_agent_inert(client: TestClient, part: int) -> None:
    """HTML that an agent's tool brought in, folded by the compactor on its way into the history."""
    several = "".join(f"{FILLER}<div>{each}</div>" for each in list(MARKUP.values())[part::4])
    html = f"<!DOCTYPE html><title></title><body><main>{several * 3}{FILLER * 90}</main>"
    html = html.encode("utf-8", "replace").decode()
    at = client.post("/v1/sessions", json={"budget_chars": 60_000}).headers["location"]
    call = {"type": "tool_use", "id": "t1", "name": "fetch", "input": {}}
    messages = [
        {"role": "user", "content": "Read it."},
        {"role": "assistant", "content": [call]},
        {
            "role": "user",
            "content": [{"type": "tool_result", "tool_use_id": "t1", "content": html}],
        },
    ]
    answer = client.post(f"{at}/messages", json={"format": "anthropic", "messages": messages})
    assert answer.status_code == 200, answer.text
    written = client.get(f"{at}/context", params={"format": "text"}).json()["messages"]
    said = next(m["content"] for m in written if m["content"].startswith("<tool_result"))
    inside = said.partition(">")[2].removesuffix("</tool_result>")
    assert len(inside) < len(html)
    assert inside.startswith("<!DOCTYPE html>")
    assert_inert(inside)
