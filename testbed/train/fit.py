"""From samples to weights: scores of words, kinds of pages, then blocks, none told by its own site."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from extractor.regions.learned.arrays import Floats
from extractor.regions.learned.choice import choices_of
from extractor.regions.learned.columns import Columns, matrix_of
from extractor.regions.learned.decide import kinds_of, likelihoods
from extractor.regions.learned.trees import trees_of
from extractor.regions.learned.weights import LAYOUT
from testbed.train.grow import BLOCKS, CHOICES, PAGES, Tree, grown
from testbed.train.samples import Sample
from testbed.train.scores import NAMES, WORDS, Table, shares_of

#: Rounds of boosting.
PAGE_ROUNDS, BLOCK_ROUNDS, CHOICE_ROUNDS = 40, 120, 100
#: Blocks of one page that are learned from.
MOST_BLOCKS = 250
#: Folds that weights are tried on, and folds within for likelihoods that choices are learned from.
FOLDS, INNER_FOLDS = 5, 3

Data = dict[str, Any]


def fold_of(site: str, folds: int = FOLDS, salt: str = "") -> int:
    """Which fold a site is in: always the same, whatever else is there."""
    return int(hashlib.sha256((salt + site).encode()).hexdigest()[:8], 16) % folds


def fit(samples: Sequence[Sample]) -> Data:
    """The content of a file of weights."""
    sites = [sample.site for sample in samples]
    names = Table(shares_of(samples, NAMES), sites, NAMES)
    words = Table(shares_of(samples, WORDS), sites, WORDS)
    page_trees, kinds = _kinds(samples)
    tables = [
        sample.measured.columns(names.without(sample.site), words.without(sample.site), likely)
        for sample, likely in zip(samples, kinds, strict=True)
    ]
    rows = [matrix_of(table).values.T for table in tables]
    block_trees = _blocks(samples, rows)
    block_columns, block_trees = _used(list(tables[0]), block_trees)
    choice_columns, choice_trees = _choices(samples, tables, rows, kinds)
    return {
        "layout": LAYOUT,
        "kinds": _kind_names(samples),
        "names": names.scores,
        "words": words.scores,
        "page_columns": list(samples[0].measured.facts),
        "page_trees": page_trees,
        "block_columns": block_columns,
        "block_trees": block_trees,
        "choice_columns": choice_columns,
        "choice_trees": choice_trees,
    }


def _blocks(samples: Sequence[Sample], rows: Sequence[Floats]) -> list[Tree]:
    """Trees that tell how likely a block is main. Of large pages some blocks stand for all."""
    label, weight, seen = [], [], []
    for sample, values in zip(samples, rows, strict=True):
        count = len(values)
        some = np.unique(np.linspace(0, count - 1, min(count, MOST_BLOCKS)).astype(np.int64))
        label.append(sample.label[some])
        weight.append(_weight(sample)[some] * (count / len(some)))
        seen.append(values[some])
    weights = np.concatenate(weight)
    return grown(
        BLOCKS,
        BLOCK_ROUNDS,
        np.concatenate(seen),
        np.concatenate(label),
        weights / float(weights.mean()),
    )


def _choices(
    samples: Sequence[Sample],
    tables: Sequence[Columns],
    rows: Sequence[Floats],
    kinds: Sequence[dict[str, float]],
) -> tuple[list[str], list[Tree]]:
    """Trees that tell how good a choice of blocks is, by likelihoods that never saw the page's site."""
    seen: dict[int, Floats] = {}
    wanted: dict[int, list[float]] = {}
    columns: list[str] = []
    fold = [fold_of(each.site, INNER_FOLDS, salt="blocks ") for each in samples]
    for number in range(INNER_FOLDS):
        own = [place for place, each in enumerate(fold) if each == number]
        rest = [place for place, each in enumerate(fold) if each != number]
        if not own or not rest:
            continue
        grown_trees = _blocks([samples[place] for place in rest], [rows[place] for place in rest])
        trees = trees_of(list(tables[0]), grown_trees)
        for place in own:
            likely = likelihoods(matrix_of(tables[place]), trees)
            found = choices_of(likely, tables[place], kinds[place])
            columns, seen[place] = list(found.matrix.names), found.matrix.values.T
            wanted[place] = [samples[place].overlap.f1(kept) for kept in found.kept]
    order = sorted(seen)
    trees_found = grown(
        CHOICES,
        CHOICE_ROUNDS,
        np.concatenate([seen[place] for place in order]),
        np.concatenate([wanted[place] for place in order]),
    )
    return _used(columns, trees_found)


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
