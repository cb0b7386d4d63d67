"""What single words speak for: of class names and ids, and of the texts that blocks begin with.

A word's score is the logarithm of odds: positive where main content is more likely than on average.
Which words count is learned (``testbed.train``); here they are looked up.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

import numpy as np

from extractor.regions.learned.arrays import Arrays, Floats
from extractor.tree import Tree

_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
_PART = re.compile(r"[a-z]{3,}")
#: A longer class name is cut: it lists states and sizes.
_NAME_CHARS = 200

Scores = Mapping[str, float]
#: Class name and id of an element.
Name = tuple[str | None, str | None]
Names = dict[Name, list[int]]


def parts_of(name: Name) -> list[str]:
    """The words of a class name and id: at least three letters, lower-cased."""
    whole = " ".join(each[:_NAME_CHARS] for each in name if each)
    low = whole.lower()
    return _PART.findall(low if low == whole else _CAMEL.sub("-", whole).lower())


def names_of(tree: Tree) -> Names:
    """The nodes of each class name with id."""
    found: Names = {}
    for node, attrs in enumerate(tree.attrs):
        if attrs and ("class" in attrs or "id" in attrs):
            name = attrs.get("class"), attrs.get("id")
            if name in found:
                found[name].append(node)
            else:
                found[name] = [node]
    return found


def named(size: int, names: Names, scores: Scores) -> Floats:
    """Per node, the score of its name's most telling word."""
    values = np.zeros(size, dtype=np.float32)
    for name, nodes in names.items():
        known = [scores[part] for part in parts_of(name) if part in scores]
        if known:
            values[nodes] = max(known, key=abs)
    return values


def along_path(arrays: Arrays, values: Floats) -> dict[str, Floats]:
    """Of each node's path from the root: sum, lowest and highest value, and the nearest that is not 0."""
    nodes = np.flatnonzero(values)
    total = arrays.along(nodes, values[nodes].astype(np.float64))
    near = values[arrays.nearest(values != 0)]
    low, high, jump = values.copy(), values.copy(), arrays.parent
    while True:
        low, high = np.minimum(low, low[jump]), np.maximum(high, high[jump])
        further = jump[jump]
        if np.array_equal(further, jump):
            break
        jump = further
    low, high = np.minimum(low, low[jump]), np.maximum(high, high[jump])
    return {"sum": total, "low": low, "high": high, "near": near}


def worded(first_words: Sequence[Sequence[str]], scores: Scores) -> Floats:
    """Per block, the mean, lowest and highest score of its first words; 0 where none is known."""
    values = np.zeros((3, len(first_words)), dtype=np.float32)
    for number, words in enumerate(first_words):
        known = [scores[word] for word in words if word in scores]
        if known:
            values[:, number] = sum(known) / len(known), min(known), max(known)
    return values
