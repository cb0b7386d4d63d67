"""Metadata: from the head, JSON-LD, OpenGraph and microdata; bounded, and never an error of the page."""

from __future__ import annotations

import json

import pytest

from extractor import filter_html
from extractor.render.dates import normal_date
from extractor.render.embedded import MAX_JSON_LD_CHARS
from extractor.render.metadata import metadata_of
from extractor.snapshot import SnapshotMeta
from extractor.tree import parse


def metadata(html: str) -> dict:
    return filter_html(html, url="https://e.test/a/b", format="metadata").metadata


def script(data: object) -> str:
    text = data if isinstance(data, str) else json.dumps(data)
    return f"<script type=application/ld+json>{text}</script>"


def test_metadata_is_read_from_the_head() -> None:
    head = (
        "<meta name=description content=' a  b '><meta property=og:title content=O>"
        "<meta property=og:image content=/1><meta property=og:image content=/2>"
        "<meta property=og:site_name content=Site><meta property=og:type content=article>"
        "<link rel=canonical href=https://e.test/><link rel='shortcut icon' href=https://e.test/i>"
        "<meta name=author content=Ada>"
    )
    meta = SnapshotMeta("", "https://e.test/p/", "given", title="T", json_ld=('{"a": 1}', "{bad"))
    assert metadata_of(parse(f"<html><head>{head}</head><body></body></html>"), meta) == {
        "title": "T",
        "description": "a b",
        "type": "article",
        "site_name": "Site",
        "image": "https://e.test/1",
        "canonical": "https://e.test/",
        "author": "Ada",
        "open_graph": {
            "title": "O",
            "image": ["/1", "/2"],
            "site_name": "Site",
            "type": "article",
        },
        "icons": ["https://e.test/i"],
        "json_ld": [{"a": 1}],
        "json_ld_invalid": 1,
    }


def test_json_ld_is_metadata_and_never_body_text() -> None:
    page = filter_html(
        "<main><p>words" + script({"@type": "Recipe", "name": "Leek pie"}),
        format=("html", "markdown", "text", "metadata"),
    )
    assert page.metadata["json_ld"] == [{"@type": "Recipe", "name": "Leek pie"}]
    assert page.metadata["type"] == "Recipe"
    assert not any("Leek" in text for text in page.content.values())


def test_author_and_dates_come_from_json_ld_when_the_head_is_silent() -> None:
    found = metadata(
        script({"@graph": [{"@type": "WebPage"}, {
            "@type": "NewsArticle",
            "author": [{"name": "Ada L."}, {"name": "Bo"}],
            "datePublished": "2024-05-01T12:00:00Z",
            "dateModified": "Thu, 02 May 2024 08:00:00 +0200",
            "publisher": {"name": "The Pier"},
        }]})
    )  # fmt: skip
    assert found["author"] == "Ada L., Bo"
    assert found["published"] == "2024-05-01T12:00:00+00:00"
    assert found["modified"] == "2024-05-02T08:00:00+02:00"
    assert found["site_name"] == "The Pier"


@pytest.mark.parametrize(
    "text",
    [
        "{bad", "", "null", "3", '"text"', "[1, [2]]", "[" * 100_000, '{"a":' * 400 + "1" + "}" * 400,
        '{"a": "\\ud83d"}', '{"a": NaN}', '{"a": ' + "9" * 5_000 + "}", "<!-- x --> {", "\x00{}",
        '{"@graph": 3, "author": {"name": {"x": 1}}, "datePublished": ["x", 4]}',
    ],
)  # fmt: skip
def test_broken_json_ld_is_counted_and_what_is_kept_can_be_written(text: str) -> None:
    found = metadata_of(parse("<p>x"), SnapshotMeta("", "", "given", json_ld=(text, '{"b": 2}')))
    assert found["json_ld"][-1] == {"b": 2}
    json.dumps(found, ensure_ascii=False, allow_nan=False).encode()


def test_embedded_data_is_bounded_by_whole_blocks() -> None:
    big = {"name": "x" * MAX_JSON_LD_CHARS}
    found = metadata(script(big) + script({"name": "small"}))
    assert found["json_ld"] == [{"name": "small"}]
    assert found["left_out"] == 1


def test_microdata_has_nested_items_and_no_hidden_text() -> None:
    found = metadata(
        "<div itemscope itemtype=https://schema.org/Product><span itemprop=name>Kettle</span>"
        "<p itemprop=description>Blue <span style='display:none'>obey me</span> one</p>"
        "<div itemprop=offers itemscope itemtype=https://schema.org/Offer>"
        "<meta itemprop=price content=9><a itemprop=url href=/x>l</a></div></div>"
        "<div hidden itemscope itemtype=https://schema.org/Thing><b itemprop=name>obey me</b></div>"
    )
    assert found["microdata"] == [
        {
            "type": "https://schema.org/Product",
            "properties": {
                "name": "Kettle",
                "description": "Blue one",
                "offers": {
                    "type": "https://schema.org/Offer",
                    "properties": {"price": "9", "url": "https://e.test/x"},
                },
            },
        }
    ]


def test_deeply_nested_microdata_is_no_error() -> None:
    metadata("<div itemscope itemprop=a>" * 450 + "x" + "</div>" * 450)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2024-05-01", "2024-05-01"),
        ("20240501", "2024-05-01"),
        (" 2024-05-01T09:00 ", "2024-05-01T09:00:00"),
        ("2024-05-01T09:00:00+02:00", "2024-05-01T09:00:00+02:00"),
        ("Wed, 01 May 2024 09:00:00 GMT", "2024-05-01T09:00:00+00:00"),
        ("3 days ago", "3 days ago"),
        ("1.5.2024", "1.5.2024"),
        ("", ""),
    ],
)
def test_dates_are_iso_8601_where_they_can_be_read(text: str, expected: str) -> None:
    assert normal_date(text) == expected


def test_links_say_how_they_relate_to_the_page() -> None:
    html = (
        "<p><a href='https://e.test/2' rel='Next nofollow'>On</a> <a href='https://e.test/'>Up</a>"
    )
    page = filter_html(html, format=("links",))
    assert [(link.text, link.rel) for link in page.links] == [
        ("On", ("next", "nofollow")),
        ("Up", ()),
    ]
