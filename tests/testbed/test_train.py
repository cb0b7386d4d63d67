"""Learning the region weights, on a few pages made for it."""

from __future__ import annotations

import json
from functools import cache

import numpy as np
import pytest

from extractor.regions.learned.columns import matrix_of, sequence_of
from extractor.regions.learned.decide import judge, kinds_of
from extractor.regions.learned.trees import trees_of
from extractor.regions.learned.weights import weights_of
from testbed.compare.held_out import site_of
from testbed.compare.metrics import agreement
from testbed.compare.pages import Gold, GoldPage
from testbed.train.labels import Overlap, labels, words_of
from testbed.train.samples import Sample, samples

try:
    import lightgbm

    from testbed.train.files import text_of
    from testbed.train.fit import fit, fold_of
    from testbed.train.grow import BLOCKS, grown
    from testbed.train.held_out import cross_validated, table_of
    from testbed.train.scores import WORDS, Table
except (ImportError, OSError) as error:  # LightGBM is not there, or the OpenMP library it needs
    pytest.skip(f"learning needs LightGBM: {error}", allow_module_level=True)

SITES = 12


def _page(site: int) -> GoldPage:
    told = [
        f"On day {line} of trip {site} the crew of the boat counted {line * 7 + site} gulls over the quay."
        for line in range(14)
    ]
    around = [f"Read trip {site + line} again" for line in range(1, 12)]
    body = "".join(f"<p>{line}</p>" for line in told)
    links = "".join(f"<li><a href='/{n}'>{line}</a></li>" for n, line in enumerate(around))
    html = (
        f"<html><head><title>Trip {site}</title></head><body><div class='top-menu'><ul>{links}</ul></div>"
        f"<div class='entry-content'><h1>Trip {site}</h1>{body}</div>"
        f"<div class='more-links'><h3>More trips</h3><ul>{links}</ul></div></body></html>"
    )
    return GoldPage(
        dataset="made",
        id=f"p{site}",
        body=html.encode(),
        gold=Gold(text="\n".join([f"Trip {site}", *told])),
        url=f"https://s{site}.example/trips/{site}",
        site=f"s{site}.example",
        kind="article" if site % 2 else "service",
    )


@cache
def _samples() -> tuple[Sample, ...]:
    return tuple(samples([_page(site) for site in range(SITES)]))


def test_labels_say_how_much_of_a_block_is_in_the_gold() -> None:
    gold = words_of("The ship came in. Nobody was on the quay, and it rained.")
    blocks = ["The ship came in", "Nobody was on time today", "It", "Sign up for news", "ship", ""]
    found = labels([words_of(block) for block in blocks], gold)
    # Rows of three words: all of the first are in the gold, one of three of the second, none of the fourth.
    # The short ones stand there too, and so do most words of their longer neighbours.
    assert found.tolist() == pytest.approx([1, 1 / 3, 1, 0, 1, 0])


def test_a_choice_is_scored_as_the_metrics_do() -> None:
    blocks, gold = ["The ship came in", "Sign up for news", "the quay"], "The ship and the quay"
    overlap = Overlap.of([words_of(block) for block in blocks], words_of(gold))
    for kept in ([True, False, True], [True, True, True], [False, True, False]):
        text = " ".join(block for block, keep in zip(blocks, kept, strict=True) if keep)
        expected = agreement(Gold(text=gold), text).f1
        assert overlap.f1(np.asarray(kept)) == pytest.approx(expected)
    assert overlap.f1(np.zeros(3, dtype=bool)) == 0


def test_a_page_without_gold_is_not_learned_from() -> None:
    page = GoldPage("made", "x", b"<p>Some text</p>", Gold())
    assert list(samples([page])) == []


def test_the_same_pages_give_the_same_bytes() -> None:
    first, again = (text_of(fit(_samples())) for _ in range(2))
    assert first == again
    assert weights_of(json.loads(first)).kinds == ("article", "service")


def test_weights_answer_as_lightgbm_does() -> None:
    rows = np.random.default_rng(5).normal(size=(400, 6)).astype(np.float32)
    wanted = ((rows[:, 0] > 0) ^ (rows[:, 3] > 0.5)).astype(np.float32)
    settings = {**BLOCKS, "min_data_in_leaf": 5}
    trees = grown(settings, 12, rows, wanted)
    names = [f"c{n}" for n in range(6)]
    ours = trees_of(names, trees).sums(matrix_of(dict(zip(names, rows.T, strict=True))))
    same = {"num_threads": 1, "deterministic": True, "force_row_wise": True, "seed": 7}
    booster = lightgbm.train(
        {**settings, **same, "verbosity": -1}, lightgbm.Dataset(rows, wanted), 12
    )
    theirs = booster.predict(rows, raw_score=True)
    assert ours.tolist() == pytest.approx(theirs.tolist(), abs=1e-2)


def test_a_site_says_nothing_of_its_own_words() -> None:
    shares = {f"s{n}": {"quay": 1.0, "menu": 0.0, "other": 0.5} for n in range(20)}
    shares["odd"] = {"quay": 0.0, "menu": 0.0}
    table = Table(shares, shares, WORDS)
    assert table.without("odd")["quay"] > table.scores["quay"] > 0 > table.scores["menu"]
    assert table.without("unknown") == table.scores


@pytest.mark.parametrize(
    ("url", "site"),
    [
        ("https://www.example.com/a", "example.com"),
        ("https://one.two.example.com", "example.com"),
        ("https://shop.example.co.uk/x", "example.co.uk"),
        ("http://localhost/", "localhost"),
        (None, ""),
    ],
)
def test_hosts_of_one_owner_are_one_site(url: str | None, site: str) -> None:
    assert site_of(url) == site


def test_folds_are_cut_by_site_and_scored_by_weights_that_never_saw_it() -> None:
    kept = []
    scores = cross_validated(_samples(), done=kept.append)
    assert len(scores) == SITES
    assert sorted(site for fold in kept for site in fold.sites) == sorted(
        sample.site for sample in _samples()
    )
    for fold in kept:
        assert len({fold_of(site) for site in fold.sites}) == 1
    assert "| mean of pages | 12 |" in table_of(scores)


def test_what_was_learned_tells_text_from_links() -> None:
    weights = weights_of(fit(_samples()))
    sample = _samples()[0]
    kinds = kinds_of(sample.measured.facts, weights.kinds, weights.pages)
    assert sum(kinds.values()) == pytest.approx(1)
    table = sample.measured.columns(weights.names, weights.words, kinds)
    assert set(sequence_of(table, weights.blocks.names)) == set(weights.blocks.names)
    judged = judge(sample.measured, weights)
    assert judged is not None
    told = sample.label > 0.5
    assert judged.likely[told].min() > judged.likely[~told].max()
