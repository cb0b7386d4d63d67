"""What people cannot see reaches no reader in silence: hidden text, labels, comments, invisible characters."""

from __future__ import annotations

import re
import unicodedata
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from api.pages_json import page_bytes
from extractor import Page, Snapshot, filter_html, filter_snapshot
from extractor.nesting import normalise
from extractor.serialise import serialise
from extractor.tree import parse
from extractor.unhide import unhidden
from extractor.visibility import judge
from tests.properties.pages import snapshots

FORMATS = ("html", "markdown", "text", "outline", "links", "metadata")


def spread(*ranges: tuple[int, int]) -> frozenset[str]:
    return frozenset(chr(code) for low, high in ranges for code in range(low, high + 1))


#: The invisible characters of Unicode that smuggle, stand in for others or turn text round.
SMUGGLERS = spread(
    (0x34F, 0x34F), (0x61C, 0x61C), (0x115F, 0x1160), (0x17B4, 0x17B5), (0x180B, 0x180F), (0x200B, 0x200F),
    (0x202A, 0x202E), (0x2060, 0x206F), (0x3164, 0x3164), (0xFE00, 0xFE0F), (0xFEFF, 0xFEFF), (0xFFA0, 0xFFA0),
    (0xFFF9, 0xFFFB), (0x1D173, 0x1D17A), (0xE0000, 0xE0FFF),
)  # fmt: skip
PRIVATE = spread((0xE000, 0xE0FF), (0xF8FF, 0xF8FF), (0xF0000, 0xF00FF), (0x10FF00, 0x10FFFD))


def tags(word: str) -> str:
    return "".join(chr(0xE0000 + ord(letter)) for letter in word)


ENGLAND = "🏴" + tags("gbeng") + "\U000e007f"
KEPT_AS_THEY_ARE = {
    "Persian": "او می\u200cخواهد برود",
    "Hindi with a joiner": "क्\u200dष",
    "Hindi with a non-joiner": "क्\u200cष",
    "family": "👨\u200d👩\u200d👧\u200d👦",
    "scientist": "👩\u200d🔬",
    "flag of England": ENGLAND,
    "keycap": "1\ufe0f\u20e3",
    "heart": "❤\ufe0f",
    "Arabic with marks": "النص \u200fABC-12\u200e في الدفتر",
    "Arabic isolate": "قال \u2067سعيد\u2069 نعم",
    "Hebrew with a mark": "שלום!\u200f",
    "Mongolian with a variant": "ᠠ\u180bᠢ",
    "old Korean without a vowel": "ᄀ\u1160",
}


def page_of(body: str, **wish: object) -> Page:
    return filter_html(
        f"<title>Pier</title><main><h1>Pier</h1>{body}</main>", format=FORMATS, **wish
    )  # type: ignore[arg-type]


def handed_out(page: Page) -> str:
    return page_bytes(page).decode() + "".join(page.content.values()) + page.title


@settings(max_examples=80, deadline=None)
@given(
    st.lists(
        st.tuples(
            st.sampled_from(["pass", "word", "слово", "δείγμα", "pier"]),
            st.text(st.sampled_from(sorted(SMUGGLERS)), min_size=1, max_size=5),
        ),
        min_size=1,
        max_size=6,
    )
)
def test_nothing_smuggled_into_words_comes_out_anywhere(parts: list[tuple[str, str]]) -> None:
    """Latin, Cyrillic and Greek words need none of these characters inside them, so none may be left."""
    trick = "".join(word + smuggled for word, smuggled in parts) + "end"
    plain = "".join(word for word, _ in parts) + "end"
    page = filter_html(
        f"<title>{trick}</title><meta name=author content='{trick}'><main><h1>{trick}</h1>"
        f"<p>{trick}</p><a href=/x title='{trick}'>link {trick}</a><img src=/a.png alt='{trick}'>"
        f"<input placeholder='{trick}'></main>",
        format=FORMATS,
    )
    everything = handed_out(page)
    assert not SMUGGLERS & set(everything)
    assert page.content["text"].splitlines()[0] == plain
    assert page.title == plain
    removed = sum(len(smuggled) for _, smuggled in parts)
    # Title, author, heading, paragraph, link and its title, picture, field.
    assert sum(item.chars for item in page.hidden if item.reason == "unicode") == 8 * removed
    assert page.stats.hidden_chars == 8 * removed
    assert "unicode_tricks" in {notice.code for notice in page.warnings}


@settings(max_examples=150, deadline=None)
@given(st.text(st.sampled_from(["a", "б", "漢", "م", "क", "👩", "🏴", "1", " ", ".", *sorted(SMUGGLERS)[::3], *tags("gbeng"), "\U000e007f"]), max_size=30))  # fmt: skip
def test_in_any_writing_no_message_can_be_carried(text: str) -> None:
    """Whatever stands around: no tag but in a flag, no filler, no override, no more than three in a row."""
    page = filter_html(f"<main><p>x {text} x", format="text")
    said = page.content["text"].replace(ENGLAND, "")
    assert not spread((0xE0000, 0xE00FF), (0xE01F0, 0xE0FFF)) & set(said)
    never = spread((0x17B4, 0x17B5), (0x3164, 0x3164), (0xFFA0, 0xFFA0), (0xFFF9, 0xFFFB), (0x202D, 0x202E),
                   (0x206A, 0x206F), (0xFEFF, 0xFEFF), (0x2065, 0x2065), (0x1D173, 0x1D17A))  # fmt: skip
    assert not never & set(said)
    opened = sum(said.count(char) for char in "\u202a\u202b\u2066\u2067\u2068")
    assert opened == sum(said.count(char) for char in "\u202c\u2069")
    assert not re.search("[{}]{{4}}".format("".join(sorted(SMUGGLERS))), said)


@pytest.mark.parametrize("text", KEPT_AS_THEY_ARE.values(), ids=list(KEPT_AS_THEY_ARE))
def test_what_writing_and_emoji_need_is_unchanged_in_every_format(text: str) -> None:
    page = page_of(f"<p>{text}</p><a href=/x title='t {text}'>link {text}</a>")
    for name in ("html", "markdown", "text"):
        assert page.content[name].count(text) >= 2
    assert page.hidden == ()
    assert unicodedata.normalize("NFC", text) in unicodedata.normalize("NFC", page.links[0].text)


@given(st.text(st.sampled_from(sorted(PRIVATE)), min_size=1, max_size=9))
@settings(max_examples=30, deadline=None)
def test_icons_are_taken_out_and_counted_but_are_no_hidden_text(icons: str) -> None:
    page = page_of(f"<button>{icons}</button><p>menu {icons} open</p>")
    assert not PRIVATE & set(handed_out(page))
    assert (page.hidden, page.warnings) == ((), ())
    counted = [entry for entry in page.ledger if entry.reason == "icon"]
    assert sum(entry.chars for entry in counted) == 2 * len(icons)
    assert {entry.rule for entry in counted} == {"element"}


HIDDEN = {
    "display": "<div style='display:none'>obey the ledger</div>",
    "visibility": "<p style='visibility:hidden'>obey the ledger</p>",
    "opacity": "<p style='opacity:.01'>obey the ledger</p>",
    "font_size": "<p style='font-size:1px'>obey the ledger</p>",
    "text_indent": "<p style='text-indent:-9999px'>obey the ledger</p>",
    "transform": "<p style='transform:scale(0)'>obey the ledger</p>",
    "clip": "<p style='position:absolute;clip-path:inset(100%)'>obey the ledger</p>",
}


@pytest.mark.parametrize("reason", HIDDEN)
def test_hidden_text_is_out_of_every_format_and_listed_with_its_reason(reason: str) -> None:
    page = page_of("<p>Seen words.</p>" + HIDDEN[reason])
    assert "obey" not in handed_out(page)
    assert {item.reason for item in page.hidden} == {reason}
    assert sum(item.chars for item in page.hidden) == len("obey the ledger")
    assert [(e.rule, e.reason) for e in page.ledger if e.rule == "hidden"] == [("hidden", reason)]
    assert "hidden_text" in {notice.code for notice in page.warnings}


@pytest.mark.parametrize("reason", HIDDEN)
def test_hidden_text_that_is_asked_for_comes_labelled_with_its_reason(reason: str) -> None:
    seen = page_of("<p>Seen words.</p>" + HIDDEN[reason]).snapshot
    page = filter_snapshot(seen, format=FORMATS, include_hidden=True)
    assert f'data-pf-label="hidden_{reason}">obey the ledger<' in page.content["html"]
    for name in ("markdown", "text"):
        assert f"(hidden, {reason}: obey the ledger)" in page.content[name].replace("\\", "")
    assert {item.reason for item in page.hidden} == {reason}
    assert {"hidden_text", "not_kept"} <= {notice.code for notice in page.warnings}
    assert not [entry for entry in page.ledger if entry.rule == "hidden"]


def test_text_hidden_by_itself_is_labelled_by_itself() -> None:
    body = "<p style='font-size:0'>obey <b style='font-size:16px'>seen</b> tail</p>"
    page = filter_snapshot(page_of(body).snapshot, format="text", include_hidden=True)
    assert "(hidden, font_size: obey) seen (hidden, font_size: tail)" in page.content["text"]


@settings(
    max_examples=40,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
@given(snapshots())
def test_a_document_with_labelled_hidden_text_is_still_well_formed(snapshot: Snapshot) -> None:
    tree = parse(snapshot.html)
    shown, verdicts, _ = unhidden(tree, judge(tree))
    again = parse(serialise(shown))
    assert (again.tag, again.end, again.text) == (shown.tag, shown.end, shown.text)
    assert serialise(normalise(again)) == serialise(shown)
    assert len(verdicts.state) == len(shown)
    assert "".join(shown.text) == "".join(tree.text)


UNSEEN = {
    "comment": "<!-- obey the comment -->",
    "template": "<template><p>obey the template</p></template>",
    "script": "<script>var a='obey the script'</script>",
    "style": "<style>p{--x:'obey the style'}</style>",
    "JSON": "<script type=application/json>{\"a\":\"obey the data\"}</script>",
    "linked data": "<script type=application/ld+json>{\"@type\":\"Thing\",\"name\":\"obey the ld\"}</script>",
    "description": "<meta name=description content='obey the description'>",
    "data attribute": "<p data-note='obey the note' data-pf-before='obey ours'>x</p>",
    "value of a hidden field": "<input type=hidden name=n value='obey the field'>",
    "password": "<input type=password value='obey the password'>",
    "noembed": "<noembed>obey the noembed</noembed>",
    "object": "<object data=x.swf><param name=n value='obey the parameter'></object>",
}  # fmt: skip


@pytest.mark.parametrize("name", UNSEEN)
def test_what_is_no_text_of_the_page_is_in_none(name: str) -> None:
    page = page_of(f"<p>Seen words.</p>{UNSEEN[name]}")
    for form in ("html", "markdown", "text", "outline"):
        assert "obey" not in page.content[form], form
    assert not [link for link in page.links if "obey" in link.text]


def test_data_for_machines_is_given_only_where_it_is_asked_for() -> None:
    body = UNSEEN["linked data"] + UNSEEN["description"]
    assert "obey" in str(page_of(body).metadata)
    plain = filter_html(f"<main><p>x</p>{body}</main>")
    assert plain.metadata == {}
    assert b"obey" not in page_bytes(plain)


def test_words_of_attributes_are_told_from_text() -> None:
    page = page_of(
        "<p>Seen.</p><img src=/a.png alt='H12 words'><a href=/ title='H13 words' aria-label='H14 words'>x</a>"
        "<a href=/y aria-label='H15 words'></a><button aria-label='H16 words'></button>"
    )
    html, markdown, text = (page.content[name] for name in ("html", "markdown", "text"))
    outside = re.sub(r"<[^>]*>", "", html)
    for words in ("H12", "H13", "H14", "H15", "H16"):
        assert words in html
        assert words not in outside
    assert "[image: H12 words]" in text
    assert "![H12 words]" in markdown
    for written in (markdown, text):
        assert "(label: H15 words)" in written
        assert "[H16 words]" in written
    assert "H13" not in text
    assert "H14" not in text


def test_aria_hidden_text_that_people_see_is_text_with_a_label() -> None:
    page = page_of("<p aria-hidden=true>seen by eyes alone</p><p inert>seen, not usable</p>")
    assert '<p data-pf-label="aria_hidden">seen by eyes alone</p>' in page.content["html"]
    assert '<p data-pf-label="inert">seen, not usable</p>' in page.content["html"]
    assert page.hidden == ()


def test_the_page_of_fifty_tricks_hides_nothing_from_the_report() -> None:
    """Each file of the fixture: what its labels call hidden is in no format; see the pixel oracle for how."""
    folder = Path(__file__).parents[2] / "fixtures_html" / "visibility"
    assert len(list(folder.glob("*.html"))) > 40
    page = filter_html((folder / "unicode.html").read_bytes(), format="text", budget=0)
    assert not spread((0xE0100, 0xE01EF)) & set(page.content["text"].replace("葛\U000e0100", ""))
    assert "unicode" in {item.reason for item in page.hidden}
