"""Markdown read back by an independent parser says what the page says."""

from __future__ import annotations

import html as markup
from dataclasses import dataclass, field

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token
from mdit_py_plugins.deflist import deflist_plugin
from mdit_py_plugins.dollarmath import dollarmath_plugin
from mdit_py_plugins.footnote import footnote_plugin

from extractor.compose import compose
from extractor.markers import Folded
from extractor.render.markdown import render_markdown
from extractor.render.shell import Shell
from extractor.tree import TEXT, Tree, parse
from extractor.units import build
from extractor.visibility import judge

PARSER = (
    MarkdownIt("commonmark")
    .enable(["table", "strikethrough"])
    .use(deflist_plugin)
    .use(footnote_plugin)
)
WITH_MATHS = MarkdownIt("commonmark").use(dollarmath_plugin, allow_space=False, allow_digits=False)
WORDS = [
    "kettle", "pier", "*", "**", "_", "__", "`x`", "``", "a_b", "_a_", "*a*", "1.", "2)", "12", "#", "##", "-", "+", "- dash", "a|b", "|",
    "]", "[", "[x]", "[x](y)", "![", "!", "<b>", "<b", "<", ">", "> q", "&amp;", "&", "amp;", "&#35", "~", "~~", "~~~", "=", "==", "===", "---",
    "- -", ":", ": d", "\\", "\\\\", "\\*", "終わり。", "「港」", "(a)", "é", "...", "https://e.test/a_b", "<https://e.test>",
    "[^1]", "[^1]: n", "[a]: b", "$", "$5", "$x$", "$$", "5$", "|---|", "--- | ---", "* * *", "👩‍🔬", "e\u0301", "\u00a0", "“q”", "'", '"',
    "^", "a^b", "{", "}", "%", "@", "www.e.test", "Two words", "x", "y.", "z,", "end!",
]  # fmt: skip
URLS = [
    "https://e.test/a_b?c=(d)&e=f*g*",
    "https://e.test/x|y",
    "https://e.test/[z]",
    "#part",
    "/rel`ative`",
    "mailto:a@b.test",
]


@dataclass
class Said:
    """What a document says: words in order without white space, and its parts."""

    text: str = ""
    links: list[tuple[str, str]] = field(default_factory=list)
    headings: list[int] = field(default_factory=list)
    code: list[str] = field(default_factory=list)
    items: int = 0
    tables: list[list[int]] = field(default_factory=list)
    strong: str = ""
    em: str = ""
    deleted: str = ""


def squeezed(text: str) -> str:
    return "".join(text.split())


def write(html: str) -> str:
    tree = parse(compose(f"<body>{html}").html)
    verdicts = judge(tree)
    doc = build(tree, verdicts.state, [0] * len(tree), {}, "https://e.test/p")
    whole = Folded([True] * doc.units, [])
    return render_markdown(doc, whole, Shell("s", "", "", ""), range(doc.units))


def of_markdown(text: str) -> Said:
    said = Said()
    for token in PARSER.parse(text):
        assert token.type != "html_block", text
        if token.type == "heading_open":
            said.headings.append(int(token.tag[1]))
        elif token.type in ("fence", "code_block"):
            assert token.type == "fence", text
            said.code.append(token.content.rstrip("\n"))
            said.text += token.content
        elif token.type == "list_item_open":
            said.items += 1
        elif token.type == "table_open":
            said.tables.append([])
        elif token.type == "tr_open":
            said.tables[-1].append(0)
        elif token.type in ("th_open", "td_open"):
            said.tables[-1][-1] += 1
        elif token.type == "inline":
            _inline(token, said)
        assert token.type != "footnote_block_open", text
    said.text = squeezed(said.text)
    return said


def _inline(block: Token, said: Said) -> None:
    marks, in_link = {"strong": 0, "em": 0, "s": 0}, False
    for token in block.children or ():
        assert token.type != "html_inline", block.content
        assert token.type != "footnote_ref", block.content
        name = token.type.removesuffix("_open").removesuffix("_close")
        if name in marks:
            marks[name] += token.nesting
        elif name == "link":
            in_link = token.nesting > 0
            if in_link:
                said.links.append((str(token.attrs["href"]), ""))
        text = (
            squeezed(token.content) if token.type in ("text", "text_special", "code_inline") else ""
        )
        said.text += text
        said.strong += text if marks["strong"] else ""
        said.em += text if marks["em"] else ""
        said.deleted += text if marks["s"] else ""
        if in_link:
            said.links[-1] = (said.links[-1][0], said.links[-1][1] + text)


def of_page(html: str) -> Said:
    """The same, from the page's own elements, by its parse tree alone."""
    tree, said = parse(f"<!doctype html><body>{html}"), Said()
    for node in range(1, len(tree)):
        tag = tree.tag[node]
        if tag == TEXT:
            above = _around(tree, node)
            text = squeezed(tree.text[node])
            said.text += text
            said.strong += text if above & {"b", "strong"} else ""
            said.em += text if above & {"i", "em"} else ""
            said.deleted += text if above & {"del", "s"} else ""
        elif tag in ("h1", "h2", "h3"):
            said.headings.append(int(tag[1]))
        elif tag == "a":
            text = squeezed("".join(tree.text[node : tree.end[node]]))
            said.links.append(((tree.attrs[node] or {})["href"], text))
        elif tag == "li":
            said.items += 1
        elif tag == "pre":
            said.code.append("".join(tree.text[node : tree.end[node]]).rstrip("\n"))
        elif tag == "tr":
            said.tables[-1].append(sum(t in ("td", "th") for t in tree.tag[node : tree.end[node]]))
        elif tag == "table":
            said.tables.append([])
    return said


def _around(tree: Tree, node: int) -> set[str]:
    found = set()
    while node > 0:
        node = tree.parent[node]
        found.add(tree.tag[node])
    return found


phrases = st.lists(st.sampled_from(WORDS), min_size=1, max_size=5).map(
    lambda w: markup.escape(" ".join(w))
)
joined = st.lists(st.sampled_from(WORDS), min_size=1, max_size=3).map(
    lambda w: markup.escape("".join(w))
)
texts = phrases | joined


def _element(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    tags = st.sampled_from(["b", "i", "strong", "em", "del", "span", "s"])
    glue = st.sampled_from(["", " "])
    many = st.tuples(glue, st.lists(inner, min_size=1, max_size=4)).map(
        lambda pair: pair[0].join(pair[1])
    )
    return st.tuples(tags, many).map(lambda pair: f"<{pair[0]}>{pair[1]}</{pair[0]}>") | many


styled = st.recursive(texts | texts.map(lambda t: f"<code>{t}</code>"), _element, max_leaves=6)
links = st.tuples(st.sampled_from(URLS), styled).map(
    lambda pair: f'<a href="{markup.escape(pair[0])}">{pair[1]}</a>'
)
inlines = st.tuples(
    st.sampled_from(["", " ", "<br>"]), st.lists(styled | links, min_size=1, max_size=4)
).map(lambda pair: pair[0].join(pair[1]))
code = st.lists(texts | st.just("\t  x") | st.just(""), min_size=1, max_size=4).map("\n".join)


@st.composite
def tables(draw: st.DrawFn) -> str:
    wide, rows = draw(st.integers(2, 4)), draw(st.integers(1, 4))
    lines = ["".join(f"<td>{draw(inlines)}</td>" for _ in range(wide)) for _ in range(rows)]
    if draw(st.booleans()):
        lines[0] = lines[0].replace("<td>", "<th>").replace("</td>", "</th>")
    return "<table>" + "".join(f"<tr>{line}</tr>" for line in lines) + "</table>"


def _block(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    several = st.lists(inner, min_size=1, max_size=3)
    item = st.tuples(inlines, st.lists(inner, max_size=2)).map(
        lambda pair: f"<li>{pair[0]}{''.join(pair[1])}</li>"
    )
    lists = st.tuples(
        st.sampled_from(["ul", "ol", 'ol start="7"']), st.lists(item, min_size=1, max_size=3)
    ).map(lambda pair: f"<{pair[0]}>{''.join(pair[1])}</{pair[0][:2]}>")
    quotes = several.map(lambda parts: f"<blockquote>{''.join(parts)}</blockquote>")
    return lists | quotes | several.map(lambda parts: f"<div>{''.join(parts)}</div>")


simple = (
    inlines.map(lambda t: f"<p>{t}</p>")
    | st.tuples(st.sampled_from(["h1", "h2", "h3"]), inlines).map(
        lambda p: f"<{p[0]}>{p[1]}</{p[0]}>"
    )
    | code.map(lambda t: f"<pre>x\n{t}</pre>")
    | tables()
    | st.just("<hr>")
    | st.tuples(inlines, inlines).map(lambda pair: f"<dl><dt>{pair[0]}</dt><dd>{pair[1]}</dd></dl>")
)
pages = st.lists(st.recursive(simple, _block, max_leaves=5), min_size=1, max_size=4).map("".join)


def assert_same(html: str) -> None:
    text = write(html)
    page, read = of_page(html), of_markdown(text)
    assert read.text == page.text, text
    assert [(url, shown) for url, shown in read.links] == [
        (_read_url(url), shown) for url, shown in page.links if shown
    ], text
    assert read.headings == page.headings, text
    assert read.code == page.code, text
    assert read.items == page.items, text
    assert sum(map(sum, read.tables)) >= sum(map(sum, page.tables)), text
    for mine, theirs in (
        (read.strong, page.strong),
        (read.em, page.em),
        (read.deleted, page.deleted),
    ):
        assert _within(mine, theirs), text


def _read_url(url: str) -> str:
    whole = (
        url
        if url.startswith(("#", "mailto:"))
        else "https://e.test" + url.removeprefix("https://e.test")
    )
    return PARSER.normalizeLink(
        "".join({"(": "%28", ")": "%29", "|": "%7C"}.get(c, c) for c in whole)
    )


def _within(part: str, whole: str) -> bool:
    """Whether the characters of ``part`` stand in ``whole`` in that order."""
    rest = iter(whole)
    return all(char in rest for char in part)


@settings(max_examples=60, deadline=None, derandomize=True)
@given(pages)
def test_a_parser_reads_the_page_back(html: str) -> None:
    assert_same(html)


@settings(max_examples=60, deadline=None, derandomize=True)
@given(inlines)
def test_a_parser_reads_a_paragraph_back(inline: str) -> None:
    assert_same(f"<p>{inline}</p>")


@pytest.mark.parametrize(
    "html",
    [
        "<p><b>a</b><b>b</b>",
        "<p>x<b>a</b><i>b</i>y",
        "<p><b> a </b>b",
        "<p><b>「港」</b>は",
        "<p>x<b>(a)</b>y",
        "<p><i>a<b>b</b></i>c",
        "<p>&amp;<span>amp;</span>",
        "<p>1<span>. x</span>",
        "<p>[a<span>](b)</span>",
        "<p>a!<a href='/x'>b</a>",
        "<h2>C #</h2>",
    ],
)
def test_what_stands_side_by_side_is_not_read_together(html: str) -> None:
    assert_same(html)


@pytest.mark.parametrize(
    ("html", "strong", "em"),
    [
        ("<p><b>a</b><b>b</b>", "ab", ""),
        ("<p><b> a </b>b", "a", ""),
        ("<p>x<b>a</b>y", "a", ""),
        ("<p>x<b>(a)</b>y", "a", ""),
        ("<p><b>「港」</b>は", "港", ""),
        ("<p>昨日<b>港</b>は", "港", ""),
        ("<p><i>a<b>b</b></i>c", "b", "ab"),
        ("<p><b>a <i>b</i></b> c", "ab", "b"),
        ("<p>x <b>a.</b> y", "a.", ""),
    ],
)  # fmt: skip
def test_emphasis_is_kept_where_markdown_can_say_it(html: str, strong: str, em: str) -> None:
    read = of_markdown(write(html))
    assert (read.strong, read.em) == (strong, em)


def maths(html: str) -> list[str]:
    tokens = WITH_MATHS.parse(write(html))
    inner = [token for block in tokens for token in (block, *(block.children or ()))]
    return [token.content for token in inner if token.type.startswith("math")]


@pytest.mark.parametrize(
    ("html", "formulas"),
    [
        (
            "<p>Rate <span data-pf-tag=math data-pf-tex='E=m_{tex}*2*'>E=m</span> holds.",
            ["E=m_{tex}*2*"],
        ),
        (
            "<p>It was $5 and is <span data-pf-tag=math data-pf-tex='x^2'>x2</span> now, 5$.",
            ["x^2"],
        ),
        ("<p><span data-pf-tag=math data-pf-tex='a_{1}+b'>a1+b</span>", ["a_{1}+b"]),
        ("<p>from $5 to $6, US$7, $x$ and 5$", []),
    ],
)
def test_a_formula_is_its_tex_once_and_prices_are_none(html: str, formulas: list[str]) -> None:
    assert maths(html) == formulas


def test_footnotes_are_read_as_footnotes() -> None:
    text = write(
        "<p>The sea<sup><a href=#n1>1</a></sup> is salt<sup id=r2>[<a href=#n2>b</a>]</sup>.</p>"
        "<ol><li id=n1><p>All <b>seas</b>.</p><p>Most.</p> <a href=#r1>back</a></li><li id=n2>Here.</li></ol>"
    )
    tokens = PARSER.parse(text)
    notes = [token.meta["label"] for token in tokens if token.type == "footnote_open"]
    refs = [
        t.meta["label"]
        for token in tokens
        for t in token.children or ()
        if t.type == "footnote_ref"
    ]
    assert notes == refs == ["1", "b"]
    assert "[^1]: All **seas**.\n\n    Most." in text


def test_spans_of_cells_leave_the_other_places_empty() -> None:
    text = write(
        "<table><caption>Tides</caption><tr><th>Day<th>AM<th>PM<tr><td>Mon<td><td>7<tr><td rowspan=2>Tue<td>5<td>6"
        "<tr><td colspan=2>none seen<tr><td>Wed<td><table><tr><td>x<td>y</table><td>8</table>"
    )
    assert text.split("\n") == [
        "Tides", "", "| Day | AM | PM |", "| --- | --- | --- |", "| Mon |  | 7 |", "| Tue | 5 | 6 |",
        "|  | none seen |  |", "| Wed | x y | 8 |",
    ]  # fmt: skip
    assert of_markdown(text).tables == [[3] * 5]


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<ol reversed><li>a<li>b</ol>", "2. a\n1. b"),
        ("<ol><li value=4>a<li>b</ol>", "4. a\n5. b"),
        ("<ol><li data-pf-number='(a)'>x<li data-pf-number='7)'>y</ol>", "- (a) x\n7. y"),
        ("<ul><li><input type=checkbox checked> done<li><label><input type=checkbox> not</label></ul>",
         "- [x] done\n- [ ] not"),
        ("<ol><li>a<p>b</p><pre>c\n  d</pre></ol>", "1. a\n\n   b\n\n   ```\n   c\n     d\n   ```"),
        ("<ul><li>a<hr></ul>", "- a\n\n  ***"),
        ("<p><ruby>港<rt>みなと</rt></ruby>は", "港(みなと)は"),
        ("<p>H<sub>2</sub>O, x<sup>n+1</sup>", "H_2O, x^(n+1)"),
        ("<p><a href=/c><span data-pf-l=sr_only>Cart</span> 3</a>", "[(sr-only: Cart) 3](https://e.test/c)"),
        ("<p><a href='/' title='H13 \"words\"'>x</a>", '[x](https://e.test/ "H13 \\"words\\"")'),
        ("<p><a href='#s2'>x</a>", "[x](#s2)"),
        ("<p><a href='javascript:x'>x</a>", "x"),
        ("<p><img alt='Go ]x' src='/a b.png'>", "![Go \\]x](https://e.test/a%20b.png)"),
        ("<div class='highlight-source-py'><pre>a</pre></div>", "```py\na\n```"),
        ("<pre class='brush: java'>a</pre>", "```java\na\n```"),
        ("<pre><code class='lang-js'>a\n</code></pre>", "```js\na\n```"),
        ("<blockquote><p>a<blockquote><p>b</blockquote></blockquote>", "> a\n>\n> > b"),
        ("<p><code>a</code><code>b</code> <code>c</code>", "`ab` `c`"),
    ],
)  # fmt: skip
def test_what_only_markdown_of_our_own_can_say(html: str, expected: str) -> None:
    assert write(html) == expected
