"""From how likely each block is to which blocks are main: of several choices, the one that promises most.

One cut for all pages would be wrong for most: a page of cards is never as sure as an article. So the page is
cut at every one of ``CUTS``, the choice of the rules by hand and mixtures stand beside, and what each choice
looks like as a whole tells how good it may be.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from extractor.regions.learned.arrays import Bools, Floats
from extractor.regions.learned.columns import Columns, Matrix, matrix_of

#: Likelihoods at which the page is cut.
CUTS = (
    0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9,
)  # fmt: skip
#: What the rules chose, without blocks less likely than this, and with those that are as likely as that.
WITHOUT, WITH = (0.0, 0.1, 0.2), (0.5, 0.7)
#: Blocks as likely as this share of the likeliest are kept at any cut.
_BEST = 0.95
_ALIKE, _LONG = 4, 20
#: Likelihoods by fifths: how sure the page is.
_FIFTHS = np.asarray([0.0, 0.2, 0.4, 0.6, 0.8])


@dataclass(frozen=True, slots=True)
class Choices:
    """``kept[c, i]`` says whether choice ``c`` keeps block ``i``; ``matrix`` has a row a choice."""

    kept: Bools
    matrix: Matrix


def choices_of(likely: Floats, table: Columns, kinds: Mapping[str, float]) -> Choices:
    """Every choice there is, with what is known of each. Linear in blocks."""
    by_hand = _floats(table, "by_hand") > 0
    kept = _kept(likely, by_hand)
    columns = _looks(kept, likely, table, by_hand)
    for name, value in (_page(likely, table, by_hand) | dict(kinds)).items():
        columns[f"page_{name}"] = np.full(len(kept), value)
    return Choices(kept, matrix_of(columns))


def expected_f1(likely: Floats, words: Floats) -> float:
    """The best F1 by words that any choice of blocks may be expected to have, likelihoods taken at their
    word (Lipton, Elkan and Naryanaswamy, 2014).
    """
    order = np.argsort(-likely, kind="stable")
    right = np.cumsum((likely * words)[order], dtype=np.float64)
    given = np.cumsum(words[order], dtype=np.float64)
    return float((2 * right / np.maximum(given + right[-1], 1e-9)).max())


def _kept(likely: Floats, by_hand: Bools) -> Bools:
    cuts = np.minimum(np.asarray(CUTS, dtype=np.float32), likely.max() * _BEST)
    return np.concatenate(
        [
            likely >= cuts[:, None],
            by_hand & (likely >= np.asarray(WITHOUT)[:, None]),
            by_hand | (likely >= np.asarray(WITH)[:, None]),
        ]
    )


def _looks(kept: Bools, likely: Floats, table: Columns, by_hand: Bools) -> Columns:
    words = _floats(table, "words")
    parts = {
        "words": words,
        "right": words * likely,
        "blocks": np.ones(len(words), dtype=np.float32),
        "link": words * _floats(table, "link_share"),
        "ends": _floats(table, "ends"),
        "hand": words * by_hand,
        "alike": words * (_floats(table, "alike") >= _ALIKE),
        "head": words * (_floats(table, "heading") > 0),
        "price": words * _floats(table, "price"),
        "body": words * _floats(table, "in_body"),
        "item": words * (_floats(table, "item_many") > 0),
        "long": words * (words > _LONG),
    }
    values = np.stack(list(parts.values()))
    inner = values @ kept.T.astype(np.float32)
    outer = values.sum(axis=1)[:, None] - inner
    ins, outs = (dict(zip(parts, rows, strict=True)) for rows in (inner, outer))
    size, left = np.maximum(ins["words"], 1e-6), np.maximum(outs["words"], 1e-6)
    whole, sure = max(float(words.sum()), 1e-6), max(float(parts["right"].sum()), 1e-6)
    hand = max(float(parts["hand"].sum()), 1e-6)
    promised = 2 * ins["right"] / (size + sure)
    best = max(expected_f1(likely, words), 1e-6)
    read = _floats(table, "read")
    return {
        "share": size / whole,
        "size": np.log1p(size),
        "blocks": ins["blocks"],
        "precision": ins["right"] / size,
        "recall": ins["right"] / sure,
        "promised": promised,
        "of_best": promised / best,
        "length": size / (ins["blocks"] + 1),
        "hand_recall": ins["hand"] / hand,
        "hand_f1": 2 * ins["hand"] / (size + hand),
        "gap": np.where(kept, likely, 1).min(axis=1) - np.where(kept, 0, likely).max(axis=1),
        "runs": (kept[:, 1:] & ~kept[:, :-1]).sum(axis=1),
        "first": read[kept.argmax(axis=1)],
        "last": read[kept.shape[1] - 1 - kept[:, ::-1].argmax(axis=1)],
        "left_link": outs["link"] / left,
        "left_ends": outs["ends"] / left,
        "left_long": outs["long"] / whole,
        **{
            name: ins[name] / size
            for name in ("link", "ends", "alike", "head", "price", "body", "item")
        },
    }


def _page(likely: Floats, table: Columns, by_hand: Bools) -> dict[str, float]:
    words = _floats(table, "words")
    whole = max(float(words.sum()), 1e-6)
    fifth = np.searchsorted(_FIFTHS, likely, side="right") - 1
    sure = np.bincount(fifth, weights=words, minlength=len(_FIFTHS)) / whole
    chars = _floats(table, "chars")
    links = float((chars * _floats(table, "link_share")).sum() / max(float(chars.sum()), 1.0))
    return {
        "words": float(np.log1p(whole)),
        "blocks": float(len(words)),
        "hand": float(words[by_hand].sum() / whole),
        "link": links,
        "best": expected_f1(likely, words),
        **{f"fifth{number}": value for number, value in enumerate(sure.tolist())},
    }


def _floats(table: Columns, name: str) -> npt.NDArray[np.float32]:
    return np.asarray(table[name], dtype=np.float32)
