"""Links inside the documentation lead to files and headings that are there, and the index leads to every page."""

from __future__ import annotations

import re
from collections import Counter
from functools import cache
from pathlib import Path

import pytest

from tests.docs.fences import ROOT, pages, prose

_LINK = re.compile(r"\]\(([^)\s]+)\)")


@cache
def anchors(page: str) -> set[str]:
    """What GitHub makes of the headings of a page."""
    found: Counter[str] = Counter()
    for heading in re.findall(r"^#+ (.+)$", prose(page), re.MULTILINE):
        shown = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).lower()
        found[re.sub(r"[^\w\- ]", "", shown).replace(" ", "-")] += 1
    # One that comes again has its number behind it.
    return {f"{each}-{at}" if at else each for each, times in found.items() for at in range(times)}


def links(page: str) -> list[str]:
    """Links to what the project holds."""
    found = _LINK.findall(re.sub(r"`[^`\n]*`", "", prose(page)))
    return [link for link in found if not re.match(r"[a-z]+:", link)]


def led_to(page: str, link: str) -> Path:
    path = link.partition("#")[0]
    return (ROOT / page).parent.joinpath(path).resolve() if path else ROOT / page


@pytest.mark.parametrize("page", pages())
def test_links_lead_somewhere(page: str) -> None:
    for link in links(page):
        target = led_to(page, link)
        assert target.exists(), link
        _, mark, anchor = link.partition("#")
        if mark:
            assert anchor in anchors(str(target.relative_to(ROOT))), link


def test_the_index_leads_to_every_page() -> None:
    index = "docs/index.md"
    led = {str(led_to(index, link).relative_to(ROOT)) for link in links(index)}
    assert set(pages()) - led == {index}


@pytest.mark.parametrize("page", pages())
def test_pictures_say_what_they_show(page: str) -> None:
    for alt, target in re.findall(r"!\[([^\]]*)\]\(([^)\s]+)\)", prose(page)):
        assert len(alt.split()) >= 3, target
        assert led_to(page, target).stat().st_size < 1_000_000


def test_the_readme_shows_the_inspector() -> None:
    assert re.search(
        r"!\[[^\]]*[Ii]nspector[^\]]*\]\(docs/design/inspector\.png\)", prose("README.md")
    )
