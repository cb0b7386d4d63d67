"""Filters, variants, fences and provenance of one capture."""

from __future__ import annotations

import hashlib
import hmac
import itertools
from pathlib import Path

import pytest
from pydantic import ValidationError

from api.pages_json import page_dict
from extractor import Page, PageRequest, Snapshot, filter_html, filter_snapshot, unfold
from extractor.errors import BudgetImpossible, InvalidRequest, NotFound
from extractor.filters import filter_names
from extractor.pipeline import filtered
from extractor.request_options import options_of
from extractor.store import SnapshotStore
from extractor.tree import parse
from testbed.guarantees import agrees_with_second_parser, is_fixpoint

WORDS = "The clerk writes down each ship with its cargo, and the ink dries on the page by noon. "
HTML = (
    "<title>Pier</title><nav><a href=/>Home</a> <a href=/tides>Tides</a></nav>"
    f"<main><h1>Pier</h1><p>{WORDS * 3}</p><p>{WORDS * 4}</p>"
    "<p style='display:none'>SECRET words</p><ul><li>one<li>two</ul></main><footer>Printed here</footer>"
)
FORMATS = ("html", "markdown", "text")


def snapshot() -> Snapshot:
    return filter_html(HTML, url="https://pier.test/log").snapshot


def shaped(key: bytes | None = None, **fields: object) -> Page:
    request = PageRequest(html=HTML, base_url="https://pier.test/log", **fields)  # type: ignore[arg-type]
    return filtered(snapshot(), options_of(request, key))


@pytest.mark.parametrize("name", ["pagefold", "visible", "raw", "readability"])
@pytest.mark.parametrize("budget", [500, 900, 5_000])
def test_every_filter_is_bounded_and_well_formed(name: str, budget: int) -> None:
    page = filter_snapshot(snapshot(), filter=name, budget=budget, format=FORMATS)
    assert all(len(text) <= budget for text in page.content.values())
    assert is_fixpoint(page.content["html"])
    assert agrees_with_second_parser(page.content["html"])


def test_what_each_filter_shows() -> None:
    texts = {
        name: filter_snapshot(snapshot(), filter=name, format="text", budget=0).content["text"]
        for name in ("pagefold", "visible", "raw", "readability")
    }
    assert {name for name, text in texts.items() if "SECRET" in text} == {"raw"}
    assert all(WORDS.strip() in text for text in texts.values())
    assert "Printed here" not in texts["readability"]


def test_a_filter_that_is_not_there_is_named_with_those_that_are() -> None:
    with pytest.raises(
        InvalidRequest, match="'best' is no filter; there are pagefold, visible, raw"
    ):
        filter_snapshot(snapshot(), filter="best")
    with pytest.raises(ValidationError, match="best"):
        PageRequest(html="x", filter="best")
    assert filter_names()[:3] == ("pagefold", "visible", "raw")


def test_refs_of_another_filter_say_that_they_cannot_be_unfolded() -> None:
    page = filter_snapshot(snapshot(), filter="readability", budget=600)
    assert 'data-pf-snapshot="not-kept"' in page.content["html"]
    assert "not_kept" in {notice.code for notice in page.warnings}


def test_without_unfold_the_result_says_that_nothing_was_kept() -> None:
    page = shaped(unfold=False)
    assert 'data-pf-snapshot="not-kept"' in page.content["html"]
    assert page_dict(page)["snapshot"] == {"id": page.snapshot.id, "stored": False}


def test_variants_come_from_one_load_and_say_how_they_differ() -> None:
    variants = [
        {"format": "text", "budget": 500},
        {"format": "text", "budget": 5_000, "main_only": False},
        {"format": "markdown", "filter": "raw"},
    ]
    page = shaped(format=["text"], budget=5_000, variants=variants)
    small, same, raw = page.variants
    assert same.content == page.content["text"]
    assert (same.missing_words, same.extra_words) == (0, 0)
    assert small.output_chars <= 500
    assert small.missing_words > 0
    assert small.kept_chars < same.kept_chars == page.stats.kept_chars
    assert raw.extra_words >= 2
    assert "SECRET" in raw.content
    assert raw.filter == "raw"


def test_a_variant_with_a_wrong_field_is_refused_by_name() -> None:
    with pytest.raises(ValidationError, match="colour"):
        PageRequest(html="x", variants=[{"colour": "red"}])  # type: ignore[list-item]


def test_evidence_is_given_when_asked_for() -> None:
    assert all(not region.evidence for region in shaped().regions)
    assert any(region.evidence for region in shaped(explain=True).regions)


@pytest.mark.parametrize("name", FORMATS)
def test_a_fence_holds_the_hmac_of_what_is_in_it(name: str) -> None:
    bare = shaped(format=[name], budget=5_000).content[name]
    page = shaped(b"key", format=[name], budget=5_000)
    mac = hmac.new(b"key", bare.encode(), hashlib.sha256).hexdigest()[:32]
    assert mac in page.content[name]
    assert shaped(b"key", format=[name], budget=5_000).content == page.content
    assert mac not in shaped(b"other", format=[name], budget=5_000).content[name]
    if name == "html":
        assert is_fixpoint(page.content[name])
        assert agrees_with_second_parser(page.content[name])
    else:
        assert page.content[name].split("\n", 1)[1].rsplit("\n", 1)[0] == bare


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("budget", [700, 900, 1_300])
def test_a_fence_is_part_of_the_budget(name: str, budget: int) -> None:
    assert len(shaped(b"key", format=[name], budget=budget).content[name]) <= budget


def test_a_budget_that_a_fence_leaves_nothing_of_is_refused() -> None:
    with pytest.raises(BudgetImpossible, match="with a fence"):
        shaped(b"key", format=["markdown"], budget=520)


def test_the_fence_key_is_made_once_and_only_for_its_owner(tmp_path: Path) -> None:
    key = SnapshotStore(tmp_path / "a").fence_key()
    assert len(key) == 32
    assert SnapshotStore(tmp_path / "a").fence_key() == key
    assert SnapshotStore(tmp_path / "b").fence_key() != key
    assert (tmp_path / "a" / "fence.key").stat().st_mode & 0o077 == 0
    assert [path.name for path in (tmp_path / "a").iterdir()] == ["fence.key"]


@pytest.mark.parametrize("fence", [None, b"key"])
@pytest.mark.parametrize("name", FORMATS)
def test_provenance_says_where_each_stretch_stands(name: str, fence: bytes | None) -> None:
    page = shaped(fence, format=[name], budget=1_200, provenance=True, main_only=False)
    spans = page.provenance[name]
    text = page.content[name]
    assert all(one.stop <= two.start for one, two in itertools.pairwise(spans))
    by_path = {span.path: text[span.start : span.stop] for span in spans}
    assert "Pier" in by_path["html > body > main > h1"]
    items = [value for path, value in by_path.items() if "li" in path.split(" > ")[-1]]
    assert [item.strip("- \n") for item in items] == ["one", "two"]


def test_provenance_names_frames_shadow_hosts_and_boxes() -> None:
    seen = snapshot()
    inside = (
        "<x-card data-pf-shadow=open><p data-pf-box='1,2,30,40'>In the card</p></x-card>"
        "<pf-frame data-pf-url='https://ad.test/'><p>In the frame</p></pf-frame></body>"
    )
    page = filter_snapshot(
        Snapshot(seen.html.replace("</body>", inside), seen.meta), format="text", provenance=True
    )
    text = page.content["text"]
    spans = {text[span.start : span.stop].strip(): span for span in page.provenance["text"]}
    card, frame = spans["In the card"], spans["In the frame"]
    assert (card.shadow, card.box) == (("html > body > x-card",), (1, 2, 30, 40))
    assert (frame.frame, frame.box) == ("https://ad.test/", None)


def test_refs_of_two_pages_never_clash() -> None:
    one = filter_html(f"<main><p>{WORDS * 40}</p></main>", budget=800)
    two = filter_html(f"<main><h1>x</h1><p>{WORDS * 40}</p></main>", budget=800)
    roots = [
        (parse(page.content["html"]).attrs[0] or {})["data-pf-snapshot"] for page in (one, two)
    ]
    assert roots == [one.snapshot.id, two.snapshot.id]
    assert roots[0] != roots[1]


def test_unfolding_a_part_again_and_again_ends_with_all_of_it() -> None:
    page = filter_html(f"<main><p>{WORDS * 60}</p></main>", budget=900)
    todo, seen = [fold.ref for fold in page.folds], ""
    for _ in range(100):
        if not todo:
            break
        ref = todo.pop()
        part = unfold(page.snapshot, ref, budget=1_500)
        tree = parse(part)
        seen += "".join(tree.text)
        todo += [(tree.attrs[n] or {})["ref"] for n, tag in enumerate(tree.tag) if tag == "pf-fold"]
    assert (
        seen.count("The clerk") + page.content["html"].split("<pf-fold")[0].count("The clerk") >= 40
    )
    with pytest.raises(NotFound):
        unfold(page.snapshot, "fzzzz")
