"""A page as arrays with one entry a node, and how values travel along its tree without a loop over nodes.

Nodes stand in document order, so a subtree is a range: sums over ranges and steps to parents are all
that is needed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from extractor.regions.features import Features
from extractor.regions.result import Regions
from extractor.tree import TEXT, Tree
from extractor.units.blocks import INLINE

Floats = npt.NDArray[np.float32]
Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]

#: Elements that columns ask for by name; the first stands for every other block.
TAGS = (
    "div", TEXT, "p", "li", "td", "dd", "dt", "h1", "h2", "h3", "h4", "h5", "h6", "pre", "figcaption",
    "article", "main", "section", "header", "footer", "nav", "aside", "form", "ul", "ol", "table",
    "figure", "blockquote", "details", "th", "a", "button", "label", "option", "summary", "title",
)  # fmt: skip
CODE = {tag: number for number, tag in enumerate(TAGS)}
#: Any other element that stands in a line.
_IN_LINE = len(TAGS)
_CODES = {**dict.fromkeys(INLINE, _IN_LINE), **CODE}
#: Which numbers are of texts and elements that stand in a line.
_IS_INLINE = np.zeros(_IN_LINE + 1, dtype=bool)
_IS_INLINE[[_IN_LINE, CODE[TEXT], *(CODE[tag] for tag in INLINE if tag in CODE)]] = True
#: Trees are at most this deep (the parser's bound): two to this power of steps reach the root.
_DOUBLINGS = 10


@dataclass(frozen=True, slots=True)
class Arrays:
    """``tag`` is a number out of ``TAGS``; ``holder`` the block element that each node stands in.

    ``chars`` are visible code points of the subtree, ``hand`` whether rules by hand call a node main.
    ``wide`` is the nearest ancestor that holds more text than the node itself.
    """

    tag: Ints
    parent: Ints
    end: Ints
    chars: Ints
    holder: Ints
    wide: Ints
    hand: Bools

    def __len__(self) -> int:
        return len(self.tag)

    def inside(self, *tags: str) -> Bools:
        """Whether each node is or stands in one of these elements."""
        asked = np.zeros(_IN_LINE + 1, dtype=bool)
        asked[[CODE[tag] for tag in tags]] = True
        nodes = np.flatnonzero(asked[self.tag])
        return self.along(nodes, np.ones(len(nodes))) > 0.5

    def along(self, nodes: Ints, values: npt.NDArray[np.float64]) -> Floats:
        """The sum of these nodes' values from the root down to each node."""
        size = len(self) + 1
        steps = np.bincount(nodes, weights=values, minlength=size)
        steps -= np.bincount(self.end[nodes], weights=values, minlength=size)
        return np.cumsum(steps)[:-1].astype(np.float32)

    def nearest(self, marked: Bools) -> Ints:
        """The nearest marked node that each node is or stands in; 0 where there is none."""
        jump = np.where(marked, np.arange(len(self)), self.parent)
        return settled(jump)


def settled(jump: Ints) -> Ints:
    """Where repeated jumps end."""
    for _ in range(_DOUBLINGS):
        further = jump[jump]
        if np.array_equal(further, jump):
            break
        jump = further
    return jump


def arrays_of(tree: Tree, features: Features, regions: Regions) -> Arrays:
    """The arrays of a page. Linear, but for the depth's logarithm."""
    size, codes = len(tree), _CODES
    tag = np.fromiter([codes.get(each, 0) for each in features.tag], np.int64, size)
    parent = np.fromiter(tree.parent, np.int64, size)
    parent[0] = 0
    chars = np.fromiter(features.chars, np.int64, size)
    numbers = np.arange(len(tag))
    in_line = _IS_INLINE[tag]
    in_line[0] = False
    same = chars == chars[parent]
    same[0] = False
    return Arrays(
        tag=tag,
        parent=parent,
        end=np.fromiter(tree.end, np.int64, size),
        chars=chars,
        holder=settled(np.where(in_line, parent, numbers)),
        wide=parent[settled(np.where(same, parent, numbers))],
        hand=np.fromiter(regions.main, bool, size),
    )


def as_floats(values: Sequence[int]) -> Floats:
    """A list of numbers, one a node, as an array."""
    return np.fromiter(values, dtype=np.float32, count=len(values))
