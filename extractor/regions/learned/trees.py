"""Boosted regression trees over a matrix of features, evaluated for all rows and trees at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from extractor.regions.learned.arrays import Floats, Ints
from extractor.regions.learned.columns import Matrix


@dataclass(frozen=True, slots=True)
class Trees:
    """Trees laid out flat. Node ``k`` asks whether feature ``feature[k]`` is over ``over[k]``; it goes to
    ``child[k]`` if not, and to the one after it if so. A leaf asks for more than infinity and leads to
    itself. ``root`` is where each tree begins; ``value`` is a leaf's addition to the sum, and for a node
    the mean of what lies below it. ``steps`` is how deep the deepest tree is.
    """

    names: tuple[str, ...]
    root: Ints
    feature: Ints
    over: Floats
    child: Ints
    value: Floats
    steps: int

    def sums(self, matrix: Matrix) -> Floats:
        """Per row, the sum over all trees.

        Raises:
            ValueError: the matrix has other columns than the trees were grown on.
        """
        found: Floats = self.each(matrix).sum(axis=0, dtype=np.float32)
        return found

    def each(self, matrix: Matrix) -> Floats:
        """What each tree adds to each row.

        Raises:
            ValueError: the matrix has other columns than the trees were grown on.
        """
        walk = _Walk(self, matrix)
        for _ in range(self.steps):
            walk.step()
        return self.value.take(walk.at)

    def moved(self, matrix: Matrix) -> npt.NDArray[np.float64]:
        """By feature and row, how far the answers along each tree's path moved the sum."""
        walk = _Walk(self, matrix)
        found = np.zeros((len(self.names), walk.rows))
        number = np.broadcast_to(np.arange(walk.rows), walk.at.shape)
        for _ in range(self.steps):
            before = walk.at.copy()
            walk.step()
            gain = self.value[walk.at] - self.value[before]
            np.add.at(found, (self.feature[before], number), gain)
        return found


class _Walk:
    """All rows on their way down all trees: ``at[tree, row]`` is the node that has been reached."""

    def __init__(self, trees: Trees, matrix: Matrix) -> None:
        if matrix.names != trees.names:
            raise ValueError("the columns are not those that the trees were grown on")
        self.rows = matrix.values.shape[1]
        self.at = np.repeat(trees.root[:, None], self.rows, axis=1)
        self._trees, self._flat = trees, np.ascontiguousarray(matrix.values).ravel()
        #: Where each node's column begins in the flat matrix.
        self._column = trees.feature * self.rows
        self._row = np.arange(self.rows)
        self._place = np.empty_like(self.at)
        self._seen, self._over = (np.empty(self.at.shape, dtype=np.float32) for _ in range(2))

    def step(self) -> None:
        """One question further. No index can be out of bounds: checks of that are left out."""
        self._column.take(self.at, out=self._place, mode="clip")
        self._place += self._row
        self._flat.take(self._place, out=self._seen, mode="clip")
        self._trees.over.take(self.at, out=self._over, mode="clip")
        self._trees.child.take(self.at, out=self._place, mode="clip")
        np.add(self._place, self._seen > self._over, out=self.at)


def trees_of(names: Sequence[str], data: Sequence[Mapping[str, Sequence[float]]]) -> Trees:
    """Trees from their file: each has a row ``[feature, over, left child, value]`` a node, as columns."""
    root: list[int] = []
    feature: list[float] = []
    over: list[float] = []
    child: list[float] = []
    value: list[float] = []
    steps = 0
    for tree in data:
        start = len(feature)
        root.append(start)
        feature += tree["feature"]
        over += [
            each if to else np.inf for each, to in zip(tree["over"], tree["child"], strict=True)
        ]
        child += [start + (to or here) for here, to in enumerate(tree["child"])]
        value += tree["value"]
        steps = max(steps, _depth(tree["child"]))
    return Trees(
        tuple(names),
        np.asarray(root, dtype=np.int64),
        np.asarray(feature, dtype=np.int64),
        np.asarray(over, dtype=np.float32),
        np.asarray(child, dtype=np.int64),
        np.asarray(value, dtype=np.float32),
        steps,
    )


def _depth(child: Sequence[float]) -> int:
    depth = [0] * len(child)
    for node, left in enumerate(child):
        if left:
            depth[int(left)] = depth[int(left) + 1] = depth[node] + 1
    return max(depth)
