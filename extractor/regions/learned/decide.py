"""Which nodes are main content by what was learned, unless the rules by hand are the better judge."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from extractor.regions.features import Features
from extractor.regions.learned.arrays import Arrays, Bools, Floats
from extractor.regions.learned.choice import choices_of
from extractor.regions.learned.columns import Columns, Matrix, matrix_of, sequence_of
from extractor.regions.learned.measured import Measured, measured
from extractor.regions.learned.trees import Trees
from extractor.regions.learned.weights import Weights
from extractor.regions.result import Regions
from extractor.tree import Tree

#: Pages of fewer words or blocks are too small to be like those that were learned from.
LEAST_WORDS, LEAST_BLOCKS = 250, 6
_SIZE = "words"


@dataclass(frozen=True, slots=True)
class Judgement:
    """What the model said of each block, and on what grounds."""

    measured: Measured
    matrix: Matrix
    likely: Floats
    kept: Bools
    weights: Weights


def judgement(
    tree: Tree,
    features: Features,
    hand: Regions,
    weights: Weights,
    *,
    url: str = "",
    json_ld: Sequence[str] = (),
) -> Judgement | None:
    """What the model makes of a page; ``None`` where the rules by hand are to be believed."""
    return judge(measured(tree, features, hand, url=url, json_ld=json_ld), weights)


def judge(found: Measured, weights: Weights) -> Judgement | None:
    """What the model makes of a page that was measured."""
    if len(found.blocks) < LEAST_BLOCKS or found.table[_SIZE].sum() < LEAST_WORDS:
        return None
    kinds = kinds_of(found.facts, weights.kinds, weights.pages)
    table = found.columns(weights.names, weights.words, kinds)
    matrix = matrix_of(sequence_of(table, weights.blocks.names))
    likely = likelihoods(matrix, weights.blocks)
    choices = choices_of(likely, table, kinds)
    promising = weights.choices.sums(choices.matrix.only(weights.choices.names))
    return Judgement(found, matrix, likely, choices.kept[int(promising.argmax())], weights)


def kinds_of(facts: Mapping[str, float], kinds: Sequence[str], trees: Trees) -> dict[str, float]:
    """How likely a page is of each kind; they sum up to 1. The trees are of each kind in turn."""
    row: Columns = {name: np.asarray([facts[name]]) for name in trees.names}
    sums = trees.each(matrix_of(row))[:, 0].reshape(-1, len(kinds)).sum(axis=0)
    odds = np.exp(sums - sums.max())
    return dict(zip(kinds, (odds / odds.sum()).tolist(), strict=True))


def likelihoods(matrix: Matrix, trees: Trees) -> Floats:
    """How likely each block is main content."""
    odds = np.exp(-trees.sums(matrix))
    found: Floats = np.reciprocal(1 + odds)
    return found


def main_nodes(judged: Judgement) -> list[bool]:
    """Per node, whether it is main: texts by their block, elements if anything in them is. What holds no
    text goes with the element around it, if most of that one's text is main.
    """
    arrays, blocks = judged.measured.arrays, judged.measured.blocks
    main = np.zeros(len(arrays), dtype=bool)
    main[blocks.texts] = judged.kept[blocks.of]
    held = _held(arrays, main)
    with_text = arrays.nearest(arrays.chars > 0)
    mostly = held > 0.5 * arrays.chars
    found: list[bool] = np.where(arrays.chars > 0, held > 0, mostly[with_text]).tolist()
    return found


def _held(arrays: Arrays, texts: Bools) -> npt.NDArray[np.int64]:
    """Characters of these texts in each subtree."""
    sums = np.concatenate([[0], np.cumsum(np.where(texts, arrays.chars, 0))])
    held: npt.NDArray[np.int64] = sums[arrays.end] - sums[:-1]
    return held
