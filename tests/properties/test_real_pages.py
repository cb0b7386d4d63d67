"""The guarantees over pages that others wrote, through the static path."""

from __future__ import annotations

import gzip
import os
from pathlib import Path

import pytest

from extractor.pipeline import judged
from extractor.static import snapshot_from_bytes
from tests.properties.guarantees import (
    FORMATS,
    assert_bounded_and_well_formed,
    assert_nested,
    assert_nothing_lost,
    at,
)

SHARED = Path(os.environ.get("PAGEFOLD_SHARED", Path(__file__).parents[3] / "shared"))
BUDGETS = (500, 2_000, 10_000)
PAGES = 110
#: Larger pages are for ``python -m testbed.conservation``, which takes all of them.
MOST_BYTES = 9_000
#: Parts are unfolded within this.
STEPS = (4_000,)


def sample() -> list[Path]:
    """Pages of every set, spread evenly."""
    found = sorted(SHARED.glob("data/extraction/*/pages/*.html.gz"))
    small = [path for path in found if 1_000 < path.stat().st_size <= MOST_BYTES]
    return [small[i * len(small) // PAGES] for i in range(PAGES)] if len(small) >= PAGES else small


SAMPLE = sample()


@pytest.mark.skipif(not SAMPLE, reason=f"no pages under {SHARED}; set PAGEFOLD_SHARED")
@pytest.mark.parametrize("part", range(10))
def test_real_pages_keep_every_guarantee(part: int) -> None:
    for number, path in enumerate(SAMPLE[part::10]):
        body = gzip.decompress(path.read_bytes())
        page = judged(snapshot_from_bytes(body, url="https://example.org/x", render="given"))
        results = {(n, b): at(page, b, n) for n in FORMATS for b in BUDGETS}
        for (name, budget), result in results.items():
            if name != "html" or budget == BUDGETS[number % len(BUDGETS)]:
                assert_bounded_and_well_formed(result, budget)
        assert_nothing_lost(page, results["html", BUDGETS[number % len(BUDGETS)]], STEPS)
        assert_nested(page, FORMATS[number % len(FORMATS)], BUDGETS, None)
        assert at(page, 2_000, "html").content == results["html", 2_000].content
