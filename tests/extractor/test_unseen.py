"""What is not on the page as it stands, and how one gets at it."""

from __future__ import annotations

import pytest

from extractor import Page, filter_snapshot
from extractor.snapshot import PageFact, Snapshot, SnapshotMeta

P = "<p>" + "A ledger of the harbour names every ship and its cargo in blue ink. " * 4 + "</p>"


def page_of(body: str, *facts: PageFact) -> Page:
    meta = SnapshotMeta(
        url="https://h.test/", final_url="https://h.test/", render="browser", unseen=facts
    )
    html = f"<!DOCTYPE html><html><head></head><body>{body}</body></html>"
    return filter_snapshot(Snapshot(html, meta))


def found(page: Page) -> list[tuple[str, str]]:
    return [(item.kind, item.control) for item in page.unseen]


def test_closed_parts_come_with_their_control() -> None:
    page = page_of(
        f"""<main>{P}<details><summary>Delivery</summary><p data-pf-c="details">closed words</p>
        <p data-pf-c="details">and more</p></details>
        <button role="tab" aria-controls="t2">Second</button>
        <div role="tabpanel" id="t2" data-pf-c="tab"><p>second words</p></div>
        <h3><button aria-expanded="false">More</button></h3><div data-pf-c="accordion">acc words</div></main>"""
    )
    assert found(page) == [("details", "Delivery"), ("tab", "Second"), ("accordion", "More")]
    assert all(item.ref and item.path for item in page.unseen)


def test_what_opens_a_part_that_is_not_there_is_told_apart() -> None:
    page = page_of(
        f"""<main>{P}<button role="tab" aria-selected="true" aria-controls="a">Here</button>
        <button role="tab" aria-controls="b">Reviews</button><div id="a"><p>shown</p></div>
        <button aria-expanded="false" aria-controls="gone">Returns</button>
        <button aria-expanded="false" aria-haspopup="menu" aria-controls="m">Account</button></main>"""
    )
    assert found(page) == [("tab", "Reviews"), ("accordion", "Returns")]


@pytest.mark.parametrize(
    "text",
    [
        "Load more", "Show 20 more", "Mehr anzeigen", "Voir plus", "Ver más", "Показать ещё",
        "加载更多", "もっと見る", "더보기", "عرض المزيد", "Toon meer", "View all 45 reviews",
    ],
)  # fmt: skip
def test_controls_that_bring_more_are_known_in_many_languages(text: str) -> None:
    page = page_of(f"<main>{P}<button>{text}</button></main>")
    assert found(page) == [("load_more", text)]


@pytest.mark.parametrize("text", ["More about us", "Load the ship", "Next", "Mehrwert", "Show"])
def test_other_controls_are_none_of_them(text: str) -> None:
    assert found(page_of(f"<main>{P}<button>{text}</button></main>")) == []


def test_pages_of_a_list_are_one_entry_with_the_way_on() -> None:
    links = "".join(f'<a href="?p={n}">{n}</a> ' for n in range(1, 6))
    page = page_of(
        f'<main>{P}</main><nav class="pagination">{links}<a href="?p=2">Next ›</a></nav>'
    )
    [item] = [item for item in page.unseen if item.kind == "pagination"]
    assert (item.control, item.count) == ("Next ›", 6)


def test_lists_that_draw_only_some_rows_say_how_many_there_are() -> None:
    rows = "".join(f"<div>row {n}</div>" for n in range(10))
    options = "".join(
        f'<div><div role="option" aria-setsize="3">o{n}</div></div>' for n in range(3)
    )
    page = page_of(
        f"""<main>{P}<div data-pf-more="5700 10/200">{rows}</div><div data-pf-more="90">{P}</div>
        <table aria-rowcount="80"><tr><td>one</td></tr><tr><td>two</td></tr></table>
        <ul><li aria-setsize="40">first</li><li aria-setsize="40">second</li></ul>
        <div role="listbox">{options}</div></main>"""
    )
    assert [(item.kind, item.count) for item in page.unseen] == [
        ("virtual_list", 190),
        ("scroller", 1),
        ("virtual_list", 78),
        ("virtual_list", 38),
    ]


def test_facts_of_the_whole_page_are_passed_on() -> None:
    page = page_of(P, PageFact("growth", "rows came", 3))
    assert [(item.kind, item.count) for item in page.unseen] == [("growth", 3)]


def test_long_lists_of_one_kind_are_cut_and_say_so() -> None:
    page = page_of(f"<main>{P}{'<button>Load more</button>' * 200}</main>")
    assert len(page.unseen) == 31
    assert page.unseen[-1].count == 170
