"""What was learned, as it is shipped: one file of numbers that ``make train`` writes."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

from extractor.regions.learned.trees import Trees, trees_of
from extractor.regions.learned.wording import Scores

FILE = "weights.json"
#: The layout of the file.
LAYOUT = 2


@dataclass(frozen=True, slots=True)
class Weights:
    """``names`` and ``words`` score words of class names and of texts; ``kinds`` are kinds of page, with
    trees that tell them apart (in turn, one a kind); ``blocks`` are trees that tell main content, and
    ``choices`` those that tell how good a choice of blocks is.
    """

    names: Scores
    words: Scores
    kinds: tuple[str, ...]
    pages: Trees
    blocks: Trees
    choices: Trees


@cache
def shipped() -> Weights:
    """The weights that are a part of the package."""
    return weights_of(json.loads(resources.files(__package__).joinpath(FILE).read_bytes()))


@cache
def weights_at(file: Path) -> Weights:
    """Weights from another file of the same layout.

    Raises:
        ValueError: the file has another layout.
    """
    return weights_of(json.loads(file.read_bytes()))


def weights_of(data: dict[str, Any]) -> Weights:
    """Weights from the file's content.

    Raises:
        ValueError: it has another layout.
    """
    if data.get("layout") != LAYOUT:
        raise ValueError(
            f"weights of layout {data.get('layout')}, not {LAYOUT}; run make train again"
        )
    return Weights(
        names=data["names"],
        words=data["words"],
        kinds=tuple(data["kinds"]),
        pages=trees_of(data["page_columns"], data["page_trees"]),
        blocks=trees_of(data["block_columns"], data["block_trees"]),
        choices=trees_of(data["choice_columns"], data["choice_trees"]),
    )
