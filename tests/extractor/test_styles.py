"""The small cascade: which rules apply, which one wins, and what the winner says of visibility."""

from __future__ import annotations

import pytest

from extractor.static import snapshot_from_bytes
from extractor.static.answer import StaticOptions
from extractor.styles import Viewport
from extractor.styles.media import media_matches
from extractor.styles.selectors import specificity_of, split_list
from extractor.tree import parse

P = "<p>" + "The clerk writes each ship and cargo into the ledger in blue ink. " * 4 + "</p>"


def marks(
    page: str, words: str = "words", viewport: tuple[int, int] = (1280, 900)
) -> dict[str, str]:
    """The ``data-pf-*`` attributes around the text that holds ``words``, innermost first winning."""
    html = snapshot_from_bytes(
        page.encode(),
        url="https://a.test/",
        content_type="text/html; charset=utf-8",
        options=StaticOptions(viewport=Viewport(*viewport)),
    ).html
    tree = parse(html)
    node = next(
        n for n in range(len(tree)) if words in tree.text[n] and tree.tag[tree.parent[n]] != "title"
    )
    found: dict[str, str] = {}
    above = tree.parent[node]
    own = True
    while above >= 0:
        for name, value in (tree.attrs[above] or {}).items():
            if name in ("data-pf-h", "data-pf-c", "data-pf-l") or name == "data-pf-t" and own:
                found.setdefault(name[-1], value)
        own = False
        above = tree.parent[above]
    return found


def styled(sheet: str, body: str = "<div class=x id=i>words</div>") -> dict[str, str]:
    return marks(f"<style>{sheet}</style><main>{P}{body}</main>")


@pytest.mark.parametrize(
    ("rule", "reason"),
    [
        ("display:none", {"h": "display"}),
        ("visibility:hidden", {"h": "visibility"}),
        ("visibility:collapse", {"h": "visibility"}),
        ("opacity:0", {"h": "opacity"}),
        ("opacity:5%", {"h": "opacity"}),
        ("filter:opacity(0)", {"h": "opacity"}),
        ("font-size:0", {"t": "font_size"}),
        ("font:0/0 a", {"t": "font_size"}),
        ("font-size:.1em", {"t": "font_size"}),
        ("text-indent:-9999px", {"t": "text_indent"}),
        ("position:absolute;left:-9999px", {"h": "offscreen"}),
        ("position:fixed;inset:-2000px auto auto 0", {"h": "offscreen"}),
        ("transform:translateX(-5000px)", {"h": "offscreen"}),
        ("clip-path:inset(50%)", {"h": "clip"}),
        ("clip-path:circle(0)", {"h": "clip"}),
        ("position:absolute;clip:rect(0,0,0,0)", {"h": "clip"}),
        ("height:0;overflow:hidden", {"h": "zero_box"}),
        ("max-height:0;overflow-y:clip", {"h": "zero_box"}),
        ("transform:scale(0)", {"h": "transform"}),
        ("transform:scaleY(0)", {"h": "transform"}),
        ("scale:0", {"h": "transform"}),
        ("transform:rotateY(90deg)", {"h": "transform"}),
        ("content-visibility:hidden", {"h": "content_visibility"}),
        ("color:#fff;background:#fff", {"t": "contrast"}),
        ("color:white", {"t": "contrast"}),
        ("color:#fefefe;background-color:rgb(255 255 255)", {"t": "contrast"}),
        ("color:transparent", {"t": "contrast"}),
        (
            "position:absolute;width:1px;height:1px;overflow:hidden;clip:rect(0,0,0,0)",
            {"l": "sr_only"},
        ),
    ],
)
def test_a_rule_hides_for_its_reason(rule: str, reason: dict[str, str]) -> None:
    assert styled(f".x{{{rule}}}") == reason
    if "l" not in reason:
        assert marks(f'<main>{P}<div style="{rule}">words</div></main>') == reason


@pytest.mark.parametrize(
    "rule",
    [
        "opacity:.5",
        "font-size:1.2em",
        "font-size:12px",
        "text-indent:-1em",
        "position:absolute;left:-20px",
        "left:-9999px",
        "height:0",
        "overflow:hidden",
        "max-height:0",
        "height:0;overflow:hidden;min-height:20px",
        "clip-path:inset(10%)",
        "clip:rect(0,0,0,0)",
        "transform:scale(.9)",
        "color:#fff;background:#000",
        "color:#fff;background:url(a.png)",
        "color:#fff;text-shadow:0 0 2px #000",
        "opacity:0;animation:in 1s forwards",
        "backface-visibility:hidden",
        "color:var(--ink)",
        "display:contents",
    ],
)
def test_an_ordinary_rule_hides_nothing(rule: str) -> None:
    assert styled(f".x{{{rule}}}") == {}


@pytest.mark.parametrize(
    ("sheet", "shown"),
    [
        (".x{display:none}.x{display:block}", True),
        (".x{display:block}.x{display:none}", False),
        ("#i{display:block}.x{display:none}", True),
        (".x{display:none!important}#i{display:block}", False),
        ("div{display:none}div.x{display:block}", True),
        (":where(#i){display:none}.x{display:block}", True),
        (".x{display:none;display:block}", True),
        ("@layer a{#i{display:none}}.x{display:block}", True),
        ("@layer a,b;@layer b{.x{display:block}}@layer a{#i{display:none}}", True),
        ("@layer a{.x{display:none!important}}.x{display:block!important}", False),
        ("main{.x{display:none}}", False),
        ("main{color:red;& > .x{display:none}}", False),
        ("@media print{.x{display:none}}", True),
        ("@media screen{.x{display:none}}", False),
        ("@media (max-width:600px){.x{display:none}}", True),
        ("@media (min-width:600px){.x{display:none}}", False),
        ("@media screen and (min-width:600px) and (max-width:2000px){.x{display:none}}", False),
        ("@supports (display:grid){.x{display:none}}", False),
        ("@supports not (display:grid){.x{display:none}}", True),
        ("@container (width > 1px){.x{display:none}}", True),
        ("@keyframes k{from{display:none}}.y{}", True),
        (".x:hover{display:none}", True),
        (".x::before{display:none}", True),
        (".x:not(:hover){display:none}", False),
        (".nope .x,.x{display:none}", False),
        (".x:frobnicate,.x{visibility:visible}.x{display:none}", False),
        ("/* .x{display:none} */", True),
        (".y{content:'}'}.x{display:none}", False),
        ("@import url(a.css);.x{display:none}", False),
    ],
)
def test_the_winner_is_the_browsers(sheet: str, shown: bool) -> None:
    assert (styled(sheet) == {}) is shown


@pytest.mark.parametrize(
    ("sheet", "names"),
    [
        (r".lg\:block{display:block}.hidden{display:none}", "hidden lg:block"),
        (r".hidden{display:none}.w-\[1\,2\]{display:block}", "hidden w-[1,2]"),
        (
            r".hidden{display:none}.after\:content-\[\'\'\]{display:block}",
            "hidden after:content-['']",
        ),
        (r".hidden{display:none}.\31 0{display:block}", "hidden 10"),
        (r".hidden{display:none}.focus\:hover{display:block}", "hidden focus:hover"),
    ],
)
def test_escaped_names_are_names(sheet: str, names: str) -> None:
    shown = styled(sheet, f'<div class="{names}">words</div>')
    assert (shown == {}) is sheet.startswith(".hidden")
    assert specificity_of(".a") == (0, 1, 0)


def test_a_style_attribute_beats_a_rule_and_important_beats_it() -> None:
    body = '<div class=x style="display:block">words</div>'
    assert styled(".x{display:none}", body) == {}
    assert styled(".x{display:none!important}", body) == {"h": "display"}


def test_display_of_the_page_beats_the_hidden_attribute() -> None:
    assert styled("", "<div hidden class=x>words</div>") == {"h": "display"}
    assert (
        styled(".y{display:none}.x{display:block}", "<div hidden class=x>words</div><p class=y>")
        == {}
    )


def test_what_is_visible_again_inside_the_hidden_is_shown() -> None:
    body = "<div class=x>gone <b style='visibility:visible'>words</b></div>"
    assert styled(".x{visibility:hidden}", body) == {}
    assert marks(f"<style>.x{{visibility:hidden}}</style><main>{P}{body}</main>", "gone") == {
        "t": "visibility"
    }
    body = "<div class=x>gone <b style='font-size:16px'>words</b></div>"
    assert styled(".x{font-size:0}", body) == {}


def test_opacity_of_ancestors_is_not_undone() -> None:
    assert styled(".x{opacity:0}", "<div class=x><b style='opacity:1'>words</b></div>") == {
        "h": "opacity"
    }


def test_width_of_the_window_decides_between_copies() -> None:
    page = (
        "<style>.m{display:none}@media(max-width:600px){.m{display:block}.d{display:none}}</style>"
        f"<main>{P}<p class=d>desk words</p><p class=m>phone words</p></main>"
    )
    assert (marks(page, "desk"), marks(page, "phone")) == ({}, {"h": "display"})
    narrow = (400, 800)
    assert (marks(page, "desk", narrow), marks(page, "phone", narrow)) == ({"h": "display"}, {})


def test_colours_of_an_unknown_sheet_are_not_guessed() -> None:
    link = "<link rel=stylesheet href=a.css>"
    page = f"{link}<style>.x{{color:#fff}}</style><main>{P}<div class=x>words</div></main>"
    assert marks(page) == {}
    page = f"{link}<main>{P}<div style='color:#fff;background:#fff'>words</div></main>"
    assert marks(page) == {"t": "contrast"}


def test_text_that_may_stand_on_a_picture_is_not_called_unreadable() -> None:
    card = "<div style='position:relative'><img src=a.png><p class=x>words</p></div>"
    assert styled(".x{color:#fff}", card) == {}
    assert styled(".x{color:#fff}", f"<img src=a.png>{card.replace('<img src=a.png>', '')}") == {
        "t": "contrast"
    }


def test_linked_sheets_that_are_given_apply() -> None:
    page = f"<link rel=stylesheet href=/s/a.css><main>{P}<div class=x>words</div></main>"
    options = StaticOptions(sheets={"https://a.test/s/a.css": ".x{display:none}"})
    snapshot = snapshot_from_bytes(
        page.encode(), url="https://a.test/p", content_type="text/html", options=options
    )
    assert 'data-pf-h="display"' in snapshot.html
    assert not [notice for notice in snapshot.meta.notices if notice.code == "sheets"]


def test_rules_that_hide_most_of_the_page_wait_for_a_script() -> None:
    page = f"<style>.app{{opacity:0}}</style><main class=app>{P}words</main>"
    assert marks(page) == {}
    assert marks(f'<main style="opacity:0">{P}words</main><p>seen</p>') == {"h": "opacity"}
    assert marks(f"<style>body{{visibility:hidden}}</style><main>{P}words</main>") == {}


@pytest.mark.parametrize(
    ("query", "held"),
    [
        ("", True),
        ("all", True),
        ("screen", True),
        ("print", False),
        ("not print", True),
        ("only screen and (max-width: 1279px)", False),
        ("(min-width: 80em)", True),
        ("(min-width: 80.1em)", False),
        ("print, screen", True),
        ("(400px <= width <= 1280px)", True),
        ("(width < 1280px)", False),
        ("(width >= 1280px)", True),
        ("(orientation: portrait)", False),
        ("(prefers-color-scheme: dark)", False),
        ("(prefers-reduced-motion: no-preference)", True),
        ("(hover: hover) and (pointer: fine)", True),
        ("(min-width: 1px) or (max-width: 1px)", True),
        ("not (min-width: 1px)", False),
        ("((min-width: 1px) and (not (max-width: 1px)))", True),
        ("(-webkit-min-device-pixel-ratio: 2)", False),
    ],
)
def test_media_queries_are_those_of_a_desktop_window(query: str, held: bool) -> None:
    assert media_matches(query, Viewport(1280, 900)) is held


def test_specificity_counts_ids_classes_and_types() -> None:
    assert specificity_of("#a .b.c > p::before") == (1, 2, 2)
    assert specificity_of("a[href='.x#y']:hover") == (0, 2, 1)
    assert specificity_of(":where(#a) :is(.b)") == (0, 1, 0)
    assert split_list("a:is(b, c), [d='e,f'] g") == ["a:is(b, c)", " [d='e,f'] g"]
