"""HTML that is handed out is inert, keeps what a reader or an actor needs, and names addresses briefly."""

from __future__ import annotations

import nh3
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from extractor.attributes import ATTRIBUTES, ELEMENTS
from extractor.compose import compose
from extractor.markers import Folded
from extractor.render.addresses import SCHEMES, data_label, is_safe, short_url
from extractor.render.html import Shell, render_html
from extractor.tree import TEXT, Tree, parse
from extractor.units import build
from extractor.visibility import judge
from tests.properties.oracle import justhtml_tree
from tests.properties.test_fold import doc_of, folded_at
from tests.properties.trees import TAGS, trees

BASE = "https://e.test/docs/v2/index.html?q=1"


def html_of(body: str) -> str:
    """The whole body without regions."""
    tree = parse(compose(body).html)
    verdicts = judge(tree)
    doc = build(tree, verdicts.state, [0] * len(tree), {}, BASE)
    whole = Folded([True] * doc.units, [])
    return render_html(doc, whole, Shell("s", "", "", BASE), range(doc.units))


def body_of(html: str) -> str:
    return html[html.index("<body") : html.index("</body>")].partition(">")[2]


def sanitised(body: str) -> str:
    """What nh3 leaves of a fragment when it is given our own lists."""
    return nh3.clean(
        body,
        tags=set(ELEMENTS - {"html", "head", "title", "meta", "base", "body"}),
        clean_content_tags=set(),
        attributes={tag: set(names) for tag, names in ATTRIBUTES.items()},
        url_schemes=set(SCHEMES),
        link_rel=None,
        strip_comments=False,
    )


def assert_inert(html: str) -> None:
    body = body_of(html)
    mine, left = (elements(f"<!doctype html><body>{part}") for part in (body, sanitised(body)))
    assert mine == left


def elements(html: str) -> tuple[list[tuple[str, object]], str]:
    """Elements with attributes, and text without white space (nh3 drops a line feed at a pre's start)."""
    tree = justhtml_tree(html)
    nodes = [node for node in range(len(tree)) if tree.tag[node] != TEXT]
    return [(tree.tag[node], tree.attrs[node]) for node in nodes], "".join(
        "".join(tree.text).split()
    )


NASTY = [
    "javascript:alert(1)", " java\nscript:alert(1)", "JAVASCRIPT:x", "\x01javascript:x", "vbscript:x", "data:text/html,<b>",
    "data:image/svg+xml;base64,PHN2Zz4=", "file:///etc/passwd", "blob:https://e.test/1", "http://e.test/a b",
    "//cdn.test/x", "https:javascript:x", "http://[bad", "mailto:a@b.test", "?q=1", "#s", "x:y", "about:blank",
]  # fmt: skip
NAMES = [
    "onclick", "style", "srcdoc", "href", "src", "action", "formaction", "srcset", "xlink:href", "background",
    "poster", "id", "class", "title", "aria-label", "role", "target", "ping", "is", "slot", "data-pf-tag", "name",
    "alt", "value", "type", "cite", "lang", "for", "data-pf-l",
]  # fmt: skip


@st.composite
def nasty_trees(draw: st.DrawFn) -> Tree:
    tree = draw(trees(30))
    values = st.sampled_from([*NASTY, "x", "a", "\" onx='", "&quot;", "<script>"])
    for node in range(3, len(tree)):
        if tree.tag[node] != "#text" and draw(st.booleans()):
            tree.attrs[node] = draw(st.dictionaries(st.sampled_from(NAMES), values, max_size=4))
    return tree


@settings(max_examples=200, deadline=None)
@given(nasty_trees())
def test_nothing_is_left_for_a_sanitiser_to_remove(tree: Tree) -> None:
    _, html = folded_at(doc_of(tree), None)
    assert_inert(html)


def test_every_element_of_the_test_trees_is_on_the_list_or_renamed() -> None:
    html = html_of("".join(f"<{tag}>word</{tag}>" for tag in (*TAGS, "video", "x-y", "embed")))
    assert set(parse(html).tag) - {"#text"} <= ELEMENTS | {"title", "meta", "base"}


@pytest.mark.parametrize("url", NASTY)
def test_a_short_address_is_safe(url: str) -> None:
    assert is_safe(short_url(url, BASE))
    assert is_safe(short_url(url, ""))


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("https://e.test/docs/v2/pier.html", "pier.html"),
        ("https://e.test/docs/v2/a:b", "/docs/v2/a:b"),
        ("https://e.test/docs/v2/", "/docs/v2/"),
        ("https://e.test/x?y#z", "/x?y#z"),
        ("https://e.test/", "/"),
        ("https://e.test", "//e.test"),
        ("https://e.test//x", "//e.test//x"),
        ("https://cdn.test/x", "//cdn.test/x"),
        ("http://e.test/x", "http://e.test/x"),
        (BASE + "#s2", "#s2"),
        (BASE + "#~2", "index.html?q=1#~2"),
        ("https://e.test/docs/v2/other#s2", "other#s2"),
        (" https://e.test/a b ", "/a%20b"),
        ("mailto:a@b.test", "mailto:a@b.test"),
        ("javascript:void(0)", ""),
        ("https://e.test/" + "x" * 2_000, ""),
    ],
)
def test_addresses_are_as_short_as_the_base_allows(url: str, expected: str) -> None:
    assert short_url(url, BASE) == expected


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("<a href=/x onclick=y class=z target=_blank>t</a>", '<a href="/x">t</a>'),
        ("<a href=/x title=T aria-label='t'>t</a>", '<a href="/x">t</a>'),
        ("<a href=/ title='H13 words' aria-label='H14 words'>x</a>",
         '<a href="/" title="H13 words" aria-label="H14 words">x</a>'),
        ("<img alt='H12 words' src=/a.png>", '<img alt="H12 words" src="/a.png">'),
        ("<img alt=x src='data:image/png;base64,AAAA'>", '<img alt="x" data-pf-data="image/png 26">'),
        ("<p><a href=#s2>to</a><h2 id=s2>two</h2><h2 id=s3>three</h2>", '<h2 id="s2">two</h2><h2>three</h2>'),
        ("<label for=q>Q</label><input id=q name=q>", '<label for="q">Q</label><input name="q" id="q">'),
        ("<main role=main><p>x</p></main>", "<main><p>x</p></main>"),
        ("<p><x-y lang=de>a</x-y>", '<p><span lang="de">a</span></p>'),
        ("<x-y lang=de data-pf-d=block>a</x-y>b", '<div lang="de">a</div>b'),
        ("<p dir=rtl lang=ar>x", '<p lang="ar" dir="rtl">x</p>'),
        ("<input type=checkbox checked required>", '<input type="checkbox" checked required>'),
    ],
)  # fmt: skip
def test_an_element_keeps_what_a_reader_or_an_actor_needs(body: str, expected: str) -> None:
    assert expected in html_of(body)


def test_generated_text_and_numbers_stay_as_attributes() -> None:
    tree = parse('<body><ol><li data-pf-number="(a)"><b data-pf-before="&#8220;">x</b></ol>')
    _, html = folded_at(doc_of(tree), None)
    assert '<li data-pf-number="(a)"><b data-pf-before="\u201c">x</b></li>' in html


def test_an_address_that_is_too_long_is_left_out_and_sized_never_cut() -> None:
    long = "https://e.test/?" + "x" * 3_000
    assert '<a data-pf-url-chars="3016">t</a>' in html_of(f"<p><a href='{long}'>t</a>")


def test_the_size_of_a_data_address_is_that_of_the_page() -> None:
    assert data_label("data:image/png;size=123456,") == "image/png 123456"
    assert data_label("data:,x") == "text/plain 7"
    assert data_label("https://e.test/") == ""


def test_a_megabyte_data_address_is_a_few_characters() -> None:
    html = html_of(f"<p>x<img alt=y src='data:image/png;base64,{'A' * 1_000_000}'>")
    assert len(html) < 400


LONG = "https://other.test/" + "long/" * 12


def test_an_address_that_repeats_is_written_once_where_that_is_shorter() -> None:
    html = html_of(
        f"<p><a href={LONG}>a</a> <a href={LONG}>b</a> <a href=/x>c</a> <a href=/x>d</a>"
    )
    short = LONG.removeprefix("https:")
    assert '<a href="#~1">a</a> <a href="#~1">b</a> <a href="/x">c</a> <a href="/x">d</a>' in html
    assert html.endswith(f'<pf-url id="~1" href="{short}"></pf-url></body></html>')
    assert "pf-url" not in html_of(f"<p><a href={LONG}>a</a>")


def test_the_link_table_never_makes_a_page_longer_and_costs_hold_at_every_budget() -> None:
    urls = [f"https://o{i % 7}.test/{'path/' * (i % 11)}" for i in range(120)]
    page = "".join(f"<p>{'word ' * 9}<a href='{url}'>{i}</a></p>" for i, url in enumerate(urls))
    doc = doc_of(parse(f"<body>{page}"))
    for budget in (500, 700, 1_000, 1_500, 2_500, 4_000, 9_000, None):
        _, html = folded_at(doc, budget)
        assert budget is None or len(html) <= budget
        tree = parse(html)
        attrs = [
            tree.attrs[node] or {} for node in range(len(tree)) if tree.tag[node] in ("a", "pf-url")
        ]
        table = {"#" + each["id"]: each["href"] for each in attrs if "id" in each}
        links = [table.get(each["href"], each["href"]) for each in attrs if "id" not in each]
        written = [url for i, url in enumerate(urls) if f">{i}</a>" in html]
        assert links == written
        assert all(sum(each["href"] == name for each in attrs) > 1 for name in table)
        plain = sum(len(link) for link in links)
        assert sum(len(each["href"]) for each in attrs) + 26 * len(table) <= plain
        assert_inert(html)
