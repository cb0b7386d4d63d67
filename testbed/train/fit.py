"""From samples to weights: scores of words, kinds of pages, then blocks, none told by its own site."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from extractor.regions.learned.columns import matrix_of
from extractor.regions.learned.decide import kinds_of
from extractor.regions.learned.trees import trees_of
from extractor.regions.learned.weights import LAYOUT
from testbed.train.grow import BLOCKS, PAGES, Tree, grown
from testbed.train.samples import Sample
from testbed.train.scores import NAMES, WORDS, Table, shares_of

#: Rounds of boosting.
PAGE_ROUNDS, BLOCK_ROUNDS = 40, 120
#: The cut, as shares of certainty and of expected F1 (``extractor.regions.learned.cut``).
CUT_BASE, CUT_SHARE = 0.05, 0.45
FOLDS = 5

Data = dict[str, Any]


def fold_of(site: str, folds: int = FOLDS, salt: str = "") -> int:
    """Which fold a site is in: always the same, whatever else is there."""
    return int(hashlib.sha256((salt + site).encode()).hexdigest()[:8], 16) % folds


def fit(samples: Sequence[Sample]) -> Data:
    """The content of a file of weights."""
    sites = [sample.site for sample in samples]
    names = Table(shares_of(samples, NAMES), sites, NAMES)
    words = Table(shares_of(samples, WORDS), sites, WORDS)
    page_trees, likely = _kinds(samples)
    rows, columns = [], list[str]()
    for sample, kinds in zip(samples, likely, strict=True):
        table = sample.measured.columns(
            names.without(sample.site), words.without(sample.site), kinds
        )
        matrix = matrix_of(table)
        columns = list(matrix.names)
        rows.append(matrix.values.T)
    label = np.concatenate([sample.label for sample in samples])
    weight = np.concatenate([_weight(sample) for sample in samples])
    block_trees = grown(
        BLOCKS, BLOCK_ROUNDS, np.concatenate(rows), label, weight / float(weight.mean())
    )
    columns, block_trees = _used(columns, block_trees)
    return {
        "layout": LAYOUT,
        "cut": {"base": CUT_BASE, "share": CUT_SHARE},
        "kinds": _kind_names(samples),
        "names": names.scores,
        "words": words.scores,
        "page_columns": list(samples[0].measured.facts),
        "page_trees": page_trees,
        "block_columns": columns,
        "block_trees": block_trees,
    }


def _weight(sample: Sample) -> npt.NDArray[np.float64]:
    """Longer blocks count more, but less than by their words; larger pages more, by the root of blocks."""
    size = np.sqrt(sample.size.astype(np.float64) + 1)
    found: npt.NDArray[np.float64] = size / size.sum() * np.sqrt(len(size))
    return found


def _kind_names(samples: Sequence[Sample]) -> list[str]:
    return sorted({sample.kind for sample in samples})


def _kinds(samples: Sequence[Sample]) -> tuple[list[Tree], list[dict[str, float]]]:
    """Trees that tell kinds of pages apart, and for each sample what trees that never saw its site say."""
    names = _kind_names(samples)
    rows = np.asarray([list(each.measured.facts.values()) for each in samples], dtype=np.float32)
    wanted = np.asarray([names.index(each.kind) for each in samples])
    settings = {**PAGES, "num_class": len(names)}
    fold = np.asarray([fold_of(each.site, salt="kinds ") for each in samples])
    found: list[dict[str, float]] = [{} for _ in samples]
    for number in range(FOLDS):
        own = np.flatnonzero(fold == number)
        if not len(own):
            continue
        rest = fold != number
        trees = grown(settings, PAGE_ROUNDS, rows[rest], wanted[rest])
        pages = trees_of(list(samples[0].measured.facts), trees)
        for place in own.tolist():
            found[place] = kinds_of(samples[place].measured.facts, names, pages)
    return grown(settings, PAGE_ROUNDS, rows, wanted), found


def _used(columns: list[str], trees: list[Tree]) -> tuple[list[str], list[Tree]]:
    """The columns that any tree asks for, and the trees with their numbers."""
    asked = sorted(
        {
            int(feature)
            for tree in trees
            for feature, child in zip(tree["feature"], tree["child"], strict=True)
            if child
        }
    )
    place = {feature: number for number, feature in enumerate(asked)}
    renamed = [
        {**tree, "feature": [place.get(int(feature), 0) for feature in tree["feature"]]}
        for tree in trees
    ]
    return [columns[feature] for feature in asked], renamed  # type: ignore[return-value]
