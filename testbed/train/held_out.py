"""Cross-validation by site: each page judged by weights that never saw its site."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import fmean

import numpy as np

from extractor.regions.learned.decide import judge
from extractor.regions.learned.weights import Weights, weights_of
from testbed.train.fit import FOLDS, Data, fit, fold_of
from testbed.train.samples import Sample


@dataclass(frozen=True, slots=True)
class Fold:
    """Weights, and the sites that they were not made from."""

    sites: tuple[str, ...]
    data: Data


@dataclass(frozen=True, slots=True)
class Score:
    """Word F1 of one page: of the rules by hand, of the model, and of the best choice of whole blocks."""

    kind: str
    by_hand: float
    learned: float
    ceiling: float


def cross_validated(
    samples: Sequence[Sample], *, done: Callable[[Fold], None] = lambda fold: None
) -> list[Score]:
    """A score for each page, whose fold's weights come from the other folds' sites alone."""
    scores: dict[str, Score] = {}
    for number in range(FOLDS):
        own = [each for each in samples if fold_of(each.site) == number]
        rest = [each for each in samples if fold_of(each.site) != number]
        if not own or not rest:
            continue
        data = fit(rest)
        weights = weights_of(data)
        scores |= {each.id: _score(each, weights) for each in own}
        done(Fold(tuple(sorted({each.site for each in own})), data))
    return [scores[sample.id] for sample in samples]


def table_of(scores: Sequence[Score]) -> str:
    """Means by kind and over all, as Markdown."""
    by_kind: dict[str, list[Score]] = defaultdict(list)
    for score in scores:
        by_kind[score.kind].append(score)
    lines = [
        "| kind | pages | rules by hand | learned | whole blocks at best |",
        "|---|---|---|---|---|",
    ]
    means = []
    for kind, own in sorted(by_kind.items()):
        means.append(_means(own))
        lines.append(_line(kind, len(own), means[-1]))
    macro = tuple(fmean(column) for column in zip(*means, strict=True))
    lines.append(_line("mean of kinds", len(means), macro))
    lines.append(_line("mean of pages", len(scores), _means(scores)))
    return "\n".join(lines)


def _means(scores: Sequence[Score]) -> tuple[float, ...]:
    return tuple(
        fmean(column)
        for column in zip(*((s.by_hand, s.learned, s.ceiling) for s in scores), strict=True)
    )


def _line(name: str, count: int, values: Sequence[float]) -> str:
    return f"| {name} | {count} | {' | '.join(f'{each:.4f}' for each in values)} |"


def _score(sample: Sample, weights: Weights) -> Score:
    by_hand = np.asarray(sample.measured.table["by_hand"], dtype=bool)
    judged = judge(sample.measured, weights)
    return Score(
        kind=sample.kind,
        by_hand=sample.overlap.f1(by_hand),
        learned=sample.overlap.f1(by_hand if judged is None else judged.kept),
        ceiling=sample.overlap.f1(sample.label > 0.5),
    )
