"""Verdicts on hidden text against the pixel oracle, whose answers are kept and checked here by sample."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterator

import pytest

from testbed.oracle.labels import Target, load_targets
from testbed.oracle.pixels import look
from testbed.oracle.product import ask
from testbed.oracle.record import mislabelled, recorded
from testbed.oracle.score import load_pending, score
from testbed.oracle.site import browser, served

#: Pages that are looked at afresh, each for a thing of its own: clips, frames, scrolling, dialogs.
SAMPLE = ("clip.html", "frames.html", "rtl.html", "fixedhead.html", "modal.html")
EACH = 4


@pytest.fixture
def host() -> Iterator[str]:
    with served() as address:
        yield address


def test_the_set_is_large_enough_and_every_kind_has_both_sides() -> None:
    targets = load_targets()
    labels = Counter(target.label for target in targets)
    assert labels["hidden"] >= 80
    assert labels["visible"] >= 60
    sides = {(target.family, target.label) for target in targets}
    for family in {family for family, _ in sides}:
        assert {(family, "hidden"), (family, "visible")} <= sides, family


def test_hand_labels_are_what_the_pixels_show() -> None:
    targets = load_targets()
    assert mislabelled(targets, recorded(targets)) == []


async def test_the_oracle_sees_again_what_it_saw(host: str) -> None:
    targets = load_targets()
    kept = recorded(targets)
    async with browser() as chromium:
        for file in SAMPLE:
            some = _spread([target for target in targets if target.file == file])
            seen = await look(chromium, f"http://{host}/{file}", some)
            again = {words: now.visible for words, now in seen.items()}
            assert again == {words: kept[words].visible for words in again}, file


async def test_verdicts_are_right_but_for_the_known_misses(host: str) -> None:
    targets = load_targets()
    report = score(targets, recorded(targets), await ask(f"http://{host}", host, targets))
    known = {words: entry.miss for words, entry in load_pending().items()}
    # A known miss that is mended must leave the list, so the two are the same.
    assert report.misses() == known, report.text()


async def test_a_text_that_nobody_wrote_is_not_seen(host: str) -> None:
    absent = Target("words of no page", "clip.html", 1280, "clip", "hidden")
    async with asyncio.timeout(30), browser() as chromium:
        seen = await look(chromium, f"http://{host}/clip.html", [absent])
    assert not seen[absent.words].visible


def _spread(targets: list[Target]) -> list[Target]:
    step = max(1, len(targets) // EACH)
    return targets[::step]
