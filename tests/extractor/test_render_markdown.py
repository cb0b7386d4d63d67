"""Markdown and text of whole small documents."""

from __future__ import annotations

import pytest

from extractor.compose import compose
from extractor.markers import Folded, Marker
from extractor.render.html import Shell
from extractor.render.links import links_of
from extractor.render.markdown import render_markdown
from extractor.render.text import render_text
from extractor.tree import parse
from extractor.units import Doc, build
from extractor.visibility import judge

SHELL = Shell("s", "", "", "")


def doc_of(html: str, base_url: str = "") -> Doc:
    tree = parse(compose(html).html)
    verdicts = judge(tree)
    return build(tree, verdicts.state, [0] * len(tree), {}, base_url)


def markdown(html: str, base_url: str = "") -> str:
    doc = doc_of(html, base_url)
    return render_markdown(doc, Folded([True] * doc.units, []), SHELL, range(doc.units))


def text(html: str) -> str:
    doc = doc_of(html)
    return render_text(doc, Folded([True] * doc.units, []), SHELL, range(doc.units))


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<h2>A <b>b</b></h2><p>c", "## A **b**\n\nc"),
        ("<p>x <strong>a</strong> <em>b</em>, <del>c</del>", "x **a** *b*, ~~c~~"),
        ("<p><b>a <i>b</i></b> c", "**a *b*** c"),
        ("<p><code>a`b</code> <code>c</code>", "``a`b`` `c`"),
        ("<p><a href='https://e.test/a(b)'>t]x</a>", "[t\\]x](https://e.test/a%28b%29)"),
        ("<p><img src='https://e.test/i.png' alt='cat'><img src=x>", "![cat](https://e.test/i.png)"),
        ("<ul><li>a<ul><li>b</ul><li>c</ul>", "- a\n  - b\n- c"),
        ("<ol start=9><li>a<li>b</ol>", "9. a\n10. b"),
        ("<blockquote><p>a<p>b</blockquote>", "> a\n>\n> b"),
        ("<p>a<hr><p>b", "a\n\n---\n\nb"),
        ("<p>1. a<p># b<p>- c<p>2*3*4 a_b", "1\\. a\n\n\\# b\n\n\\- c\n\n2\\*3\\*4 a_b"),
        ("<p>a<br>b", "a\\\nb"),
        (
            "<pre><code class='x language-py'>if a:\n\n    b = '```'\n</code></pre>",
            "````py\nif a:\n\n    b = '```'\n````",
        ),
        (
            "<table><tr><th>a<th>b<tr><td>1|2<td></table>",
            "| a | b |\n| --- | --- |\n| 1\\|2 |  |",
        ),
        ("<table><tr><td>a<td>b</table>", "|  |  |\n| --- | --- |\n| a | b |"),
        (
            "<table><tr><td>x<table><tr><td>a<td>b</table></table>",
            "x\n\n|  |  |\n| --- | --- |\n| a | b |",
        ),
        ("<dl><dt>t<dd>d</dl>", "t\n: d"),
        ("<p>so <span data-pf-tag=math data-pf-tex='x^2'>x2</span>", "so $x^2$"),
        (
            "<p><input name=q value=v> <input type=checkbox name=c checked>",
            "[input q: v] [checkbox c: checked]",
        ),
        ("<p><select name=s><option>A<option selected>B</select>", "[select s: B (A, B)]"),
        ("<div data-pf-c=details><p>a<p>b</div>", "(collapsed) a\n\nb"),
        ("<p>10<sup>6</sup>", "10^6"),
    ],
)  # fmt: skip
def test_markdown_of_a_whole_document(html: str, expected: str) -> None:
    assert markdown(html) == expected


def test_a_link_around_blocks_is_written_once() -> None:
    html = "<a href='https://e.test/'><div>a</div><div>b</div></a>"
    assert markdown(html) == "[a](https://e.test/)\n\nb"


def test_links_are_made_absolute() -> None:
    html = "<p><a href='https://e.test/x?y#z'>t</a>"
    assert markdown(html, "https://e.test/home") == "[t](https://e.test/x?y#z)"


def test_a_marker_is_a_line_of_its_own_and_leaves_markup_closed() -> None:
    doc = doc_of("<ul>" + "".join(f"<li><b>item {i}</b>" for i in range(4)) + "</ul>")
    marker = Marker(1, 2, "f9-b", 12, 2, "nav", "budget", "item 1, [item] 2")
    out = render_markdown(doc, Folded([True, False, False, True], [marker]), SHELL, range(4))
    line = "[folded f9-b: 2 items, 12 characters, nav: item 1, item 2]"
    assert out == f"- **item 0**\n\n{line}\n\n- **item 3**"


def test_a_marker_in_a_table_keeps_the_table_whole() -> None:
    rows = "".join(f"<tr><td>{i}<td>x" for i in range(3))
    doc = doc_of(f"<table>{rows}</table>")
    out = render_markdown(
        doc, Folded([True, False, True], [Marker(1, 1, "f1", 2, 1)]), SHELL, range(3)
    )
    assert out.split("\n")[2:] == ["| 0 | x |", "[folded f1: 2 characters]", "| 2 | x |"]


def test_text_has_bullets_bars_and_exact_code() -> None:
    html = "<h1>T</h1><ul><li>a</ul><table><tr><td>1<td>2</table><pre>x\n\n  y</pre>"
    assert text(html) == "T\n- a\n1\t2\nx\n\n  y"


def test_links_are_unique_absolute_and_in_order() -> None:
    same = "<a href='https://e.test/b'>B</a>"
    html = f"<p>{same}{same}<a href='https://o.test/'>O  o</a>"
    found = links_of(doc_of(html, "https://e.test/"), lambda run: "main")
    assert [(link.url, link.text, link.region) for link in found] == [
        ("https://e.test/b", "B", "main"),
        ("https://o.test/", "O o", "main"),
    ]


def test_a_fold_of_what_markdown_never_shows_has_no_marker() -> None:
    doc = doc_of("<p>a<div><img src=x></div><p>b")
    marker = Marker(1, 1, "f1", 0, 1)
    out = render_markdown(doc, Folded([True, False, True], [marker]), SHELL, range(3))
    assert out == "a\n\nb"
