"""Unfolding step by step always gets further, whatever a page is made of and however small the step."""

from __future__ import annotations

import re

import pytest

from extractor import filter_html
from extractor.pipeline import Judged, judged
from extractor.unfold import unfold_judged
from testbed.guarantees import is_fixpoint, put_back, text_of, visible_text_of
from tests.properties.guarantees import agrees_with_second_parser, at

STEPS = (500, 4_000)
LONG_URL = "https://example.org/" + "/".join(f"part{n}" for n in range(240))
PAGES = {
    "options": "<label>Place <select name=place>"
    + "".join(f"<option value=v{n}>place number {n}" for n in range(1_000))
    + "</select></label><p>after",
    "row": "<table><tr>"
    + "".join(f"<td><a href=/cell/{n}/{'x' * 60}>cell {n}</a>" for n in range(60))
    + "</table>",
    "address": f"<p>before <a href={LONG_URL}>one</a> and <a href={LONG_URL}>two</a> after",
    "attributes": f"<p><img alt='{'pier ' * 99}' src=/p.png title='{'tide ' * 99}'> words"
    f"<button aria-label='{'gate ' * 99}' title='{'lock ' * 99}'>press</button>",
    "word": f"<p>{'abcdefghi&amp;' * 500} end",
    "clusters": f"<p>{'a' + chr(0x301) * 600} end",
    "textarea": f"<textarea name=t>\n\nfirst {'words &amp; lines ' * 300}</textarea>",
    "code": f"<pre>\n\nhead\n{'x=1; ' * 1_500}{'<b>y</b>z ' * 50}\ntail</pre>",
    "title": f"<title>{'&amp;' * 90}</title><p>" + "A sentence of the ledger. " * 60,
    "deep": "<div>" * 60 + "<p title=x>deep words " * 90,
    "labels": "".join(f"<section aria-label='{'part ' * 60}{n}'><p>text {n}</p>" for n in range(9)),
}


def page_of(name: str) -> Judged:
    url = "https://example.org/" + "directory/" * 15
    return judged(filter_html(PAGES[name], url=url).snapshot)


@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize("name", PAGES)
def test_every_step_hands_out_something_until_all_is_there(name: str, step: int) -> None:
    page = page_of(name)

    def unfolded(ref: str) -> str:
        part = unfold_judged(page, ref, step, "html")
        assert len(part) <= step
        assert is_fixpoint(part)
        assert agrees_with_second_parser(part)
        return part

    whole = put_back(at(page, 500, "html").content["html"], unfolded)
    assert text_of(whole) == visible_text_of(page.snapshot.html)


@pytest.mark.parametrize("form", ["markdown", "text"])
@pytest.mark.parametrize("name", PAGES)
def test_other_formats_end_too(name: str, form: str) -> None:
    page, seen = page_of(name), set[str]()
    waiting = re.findall(r"\[folded ([^\s:]+):", at(page, 500, form).content[form])
    while waiting:
        ref = waiting.pop()
        assert ref not in seen
        seen.add(ref)
        part = unfold_judged(page, ref, 500, form)
        assert len(part) <= 500
        waiting += re.findall(r"\[folded (f[0-9a-z.~-]+): ", part)


def test_a_long_address_and_title_leave_room_for_a_marker() -> None:
    url = "https://example.org/?" + "&a" * 60 + "/" + "b" * 3
    html = f"<html lang=en dir=auto><title>{'&lt;' * 90}</title><p>" + "Words of a page. " * 99
    assert len(filter_html(html, url=url, budget=500).content["html"]) <= 500


def test_text_handed_out_without_its_markup_says_so() -> None:
    page = page_of("textarea")
    (fold,) = at(page, 500, "html").folds
    assert "text_alone" in unfold_judged(page, fold.ref, 500, "html")
