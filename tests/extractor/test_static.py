"""A snapshot from bytes alone: what is kept, what is annotated, what is refused."""

from __future__ import annotations

from dataclasses import replace

import pytest

from extractor import filter_html, filter_snapshot
from extractor.errors import DownloadError, EmptyPage, UnsupportedMedia
from extractor.snapshot import Snapshot
from extractor.static import snapshot_from_bytes
from extractor.tree import parse

PARAGRAPH = (
    "<p>" + "The clerk writes each ship and cargo into the ledger in blue ink. " * 4 + "</p>"
)


def _snapshot(html: str, url: str = "https://a.test/new/page") -> Snapshot:
    return snapshot_from_bytes(html.encode(), url=url, content_type="text/html; charset=utf-8")


def _text(html: str) -> str:
    text = filter_html(html, url="https://a.test/", format="text", main_only=False).content["text"]
    return " ".join(text.split())


def test_text_after_a_removed_element_stays() -> None:
    page = (
        f"<main>{PARAGRAPH}<p>alpha <script>var q=1</script>bravo <style>.z{{}}</style>charlie "
        "<!-- c -->delta echo <svg width=1 height=1></svg>foxtrot <span hidden>h</span>golf</p></main>"
    )
    assert "alpha bravo charlie delta echo foxtrot golf" in _text(page)
    assert "var q" not in _text(page)


def test_template_and_script_text_is_dropped_and_counted() -> None:
    snapshot = _snapshot(
        f"<main>{PARAGRAPH}<template><p>template words</p></template>"
        '<script type="application/ld+json">{"@type":"Recipe"}</script></main>'
    )
    assert "template words" not in snapshot.html
    assert "Recipe" not in snapshot.html
    assert snapshot.meta.json_ld == ('{"@type":"Recipe"}',)
    assert snapshot.meta.dropped["script"] == len('{"@type":"Recipe"}')


@pytest.mark.parametrize(
    "style",
    [
        "display:none",
        "visibility:hidden",
        "opacity:0",
        "font-size:0",
        "font-size:0px",
        "clip-path:inset(100%);position:absolute",
        "position:absolute;left:-9999px",
        "text-indent:-9999px;overflow:hidden;white-space:nowrap",
        "transform:scale(0)",
    ],
)
def test_text_hidden_by_its_own_style_is_not_shown(style: str) -> None:
    text = _text(f'<main>{PARAGRAPH}<div style="{style}">steering words</div></main>')
    assert "blue ink" in text
    assert "steering words" not in text


@pytest.mark.parametrize(
    "style",
    [
        "opacity:0.5",
        "opacity:1",
        "fill-opacity:0",
        "backface-visibility:hidden",
        "font-size:12px",
        "font-size:1.2em",
        "font-size:2em",
        "font-size:inherit",
        "font-size:small",
        "display:block",
    ],
)
def test_text_with_an_ordinary_style_is_shown(style: str) -> None:
    assert "plain words" in _text(f'<main>{PARAGRAPH}<div style="{style}">plain words</div></main>')


def test_simple_style_rules_hide_and_media_rules_do_not() -> None:
    text = _text(
        "<style>.gone{display:none}@media print{.kept{display:none}}</style>"
        f"<main>{PARAGRAPH}<p class=gone>gone words</p><p class=kept>kept words</p></main>"
    )
    assert "kept words" in text
    assert "gone words" not in text


def test_addresses_are_resolved_as_a_browser_does() -> None:
    html = _snapshot(
        '<base href="/docs/v2/"><main><a href="pier.html">P</a><a href="?q=1">Q</a>'
        '<a href="//cdn.test/x">C</a></main>'
    ).html
    assert 'href="https://a.test/docs/v2/pier.html"' in html
    assert 'href="https://a.test/docs/v2/?q=1"' in html
    assert 'href="https://cdn.test/x"' in html


@pytest.mark.parametrize("tag", ["div", "em", "section", "x-card", "blockquote"])
@pytest.mark.parametrize("depth", [200, 600, 3000])
def test_no_text_is_lost_at_any_depth(tag: str, depth: int) -> None:
    page = f"<{tag}>" * depth + "deep words" + f"</{tag}>" * depth + "<p>after words</p>"
    text = _text(page)
    assert "deep words" in text
    assert "after words" in text


def test_elements_without_end_tags_are_no_nesting() -> None:
    html = _snapshot("<ul>" + "".join(f"<li>row {n}" for n in range(900)) + "</ul>").html
    assert html.count("<li>") == 900


def test_no_bytes_are_an_empty_page() -> None:
    with pytest.raises(EmptyPage):
        snapshot_from_bytes(b"", url="https://a.test/", content_type="text/html")


def test_binary_and_downloads_are_refused() -> None:
    with pytest.raises(UnsupportedMedia):
        snapshot_from_bytes(b"PK\x03\x04", url="https://a.test/", content_type="application/zip")
    with pytest.raises(DownloadError):
        snapshot_from_bytes(
            b"<p>x", url="https://a.test/", content_type="text/html", disposition="attachment"
        )


def test_plain_text_stays_text() -> None:
    snapshot = snapshot_from_bytes(
        b"a <b>b</b> & c", url="https://a.test/x.html", content_type="text/plain"
    )
    assert "a &lt;b&gt;b&lt;/b&gt; &amp; c" in snapshot.html


def test_broken_pdf_is_a_typed_error() -> None:
    with pytest.raises(UnsupportedMedia):
        snapshot_from_bytes(b"%PDF-1.7 broken", url="https://a.test/", content_type="text/html")


@pytest.mark.parametrize(
    "sheet", [".a" * 100_000, "/*" * 100_000, ".x{" * 20_000], ids=["no_brace", "comments", "open"]
)
def test_style_sheet_of_a_hostile_page_does_not_hold_it_up(sheet: str) -> None:
    assert "kept words" in _snapshot(f"<style>{sheet}</style><p>kept words</p>").html


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("http://bücher.test/ü?ö=ä#ß", "http://xn--bcher-kva.test/%C3%BC?%C3%B6=%C3%A4#%C3%9F"),
        ("http://hafen.test/a b<c>{d}", "http://hafen.test/a%20b%3Cc%3E%7Bd%7D"),
        ("/a(b)[c]?q='x'&r={y}", "https://a.test/a(b)[c]?q=%27x%27&r={y}"),
        ("/it's%20here", "https://a.test/it's%20here"),
        ("#ein wort", "https://a.test/new/page#ein%20wort"),
        ("mailto:müll@a.test?subject=a b", "mailto:m%C3%BCll@a.test?subject=a b"),
        ("http://пример.test:8080/", "http://xn--e1afmkfd.test:8080/"),
    ],
)
def test_addresses_are_written_as_a_browser_writes_them(written: str, meant: str) -> None:
    html = _snapshot(f'<main>{PARAGRAPH}<a href="{written}">there</a></main>').html
    assert f'href="{meant.replace("&", "&amp;")}"' in html


def test_arrays_that_a_snapshot_was_written_from_are_those_that_reading_it_gives() -> None:
    html = b"<!DOCTYPE html><p>one<table><td>two</p></table><pre>\n\nthree</pre><x-y a=&quot;>four"
    snapshot = snapshot_from_bytes(html, url="https://example.org/")
    assert snapshot.built is not None
    assert snapshot.tree() is snapshot.built[1]
    assert snapshot.tree() == parse(snapshot.html)
    assert replace(snapshot, html="<p>other").tree() == parse("<p>other")
    assert filter_snapshot(snapshot).snapshot.built is None
