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

#: One word of a class name; an upper-case letter after a lower-case one begins the next. ``_END`` is a mark
#: between names; it stands in no attribute, since parsers replace it.
_END = "\0"
_PART = re.compile(r"[A-Z]*+[a-z]++|[A-Z]{3,}+|\0")
_LEAST_LETTERS = 3
#: A longer class name is cut: it lists states and sizes.
_NAME_CHARS = 200

Scores = Mapping[str, float]
#: Class name and id of an element.
Name = tuple[str | None, str | None]
Names = dict[Name, list[int]]


def parts_of(name: Name) -> list[str]:
    """The words of a class name and id: at least three letters, lower-cased."""
    words = _PART.findall(_written(name))
    return [word.lower() for word in words if len(word) >= _LEAST_LETTERS]


def _written(name: Name) -> str:
    return " ".join([each[:_NAME_CHARS] for each in name if each])


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
    values = [0.0] * size
    # All names are searched as one text.
    whole = "".join([_written(name).replace(_END, " ") + _END for name in names])
    words = _PART.findall(whole) if whole.islower() else map(str.lower, _PART.findall(whole))
    nodes, most = iter(names.values()), 0.0
    for word in words:
        if word == _END:
            held = next(nodes)
            if most:
                for node in held:
                    values[node] = most
                most = 0.0
        elif word in scores and abs(scores[word]) > abs(most):
            most = scores[word]
    return np.asarray(values, dtype=np.float32)


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
    values = [(0.0, 0.0, 0.0)] * len(first_words)
    for number, words in enumerate(first_words):
        known = [scores[word] for word in words if word in scores]
        if known:
            values[number] = sum(known) / len(known), min(known), max(known)
    found = np.asarray(values, dtype=np.float32).reshape(len(first_words), 3)
    return np.ascontiguousarray(found.T)
