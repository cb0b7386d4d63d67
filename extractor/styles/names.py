"""Ids and classes of a document, and the nodes of selectors that need nothing else.

Most parts of most selectors are ``.name``, ``tag.name`` or ``#name``: looked up here, they cost a few steps
each, where lexbor would walk the whole document.
"""

from __future__ import annotations

import re

from extractor.tree import Tree

_NAME = r"-?[a-zA-Z_][\w-]*"
_SIMPLE = re.compile(rf"([a-z][a-z0-9]*)?((?:[.#]{_NAME})*)((?:\[data-[a-z0-9-]+\])*)\Z", re.A)
_KEY = re.compile(r"([.#])([\w-]+)", re.A)
_PRESENT = re.compile(r"\[([^\]]+)\]")
_SPACE = re.compile(r"[ \t\n\f\r]+")


class NameIndex:
    """Nodes by id and by class, letter case told apart (as in every page that begins as HTML says)."""

    def __init__(self, tree: Tree) -> None:
        self._tree = tree
        self._ids: dict[str, list[int]] = {}
        #: By class, the nodes of each ``class`` attribute that names it.
        self._classes: dict[str, list[list[int]]] = {}
        alike: dict[str, list[int]] = {}
        for node, attrs in enumerate(tree.attrs):
            if attrs is None:
                continue
            if "class" in attrs:
                alike.setdefault(attrs["class"], []).append(node)
            if "id" in attrs:
                self._ids.setdefault(attrs["id"], []).append(node)
        classes = self._classes
        for value, nodes in alike.items():
            for name in value.split() if value.isascii() else _SPACE.split(value):
                if name in classes:
                    classes[name].append(nodes)
                else:
                    classes[name] = [nodes]

    def __contains__(self, key: tuple[str, str]) -> bool:
        kind, name = key
        return name in (self._ids if kind == "#" else self._classes)

    def nodes_of(self, part: str) -> list[int] | None:
        """The nodes for a part without combinators, in order; ``None`` for one that asks for more than a
        tag, ids, classes and the presence of data."""
        simple = _SIMPLE.match(part)
        if simple is None:
            return None
        tag, names, present = simple.groups()
        keys = _KEY.findall(names)
        if not keys:
            return None
        found = sorted(set.intersection(*(self._named(kind, name) for kind, name in keys)))
        if tag:
            found = [node for node in found if self._tree.tag[node].lower() == tag]
        for name in _PRESENT.findall(present):
            found = [node for node in found if name in (self._tree.attrs[node] or {})]
        return found

    def _named(self, kind: str, name: str) -> set[int]:
        if kind == "#":
            return set(self._ids.get(name, ()))
        return set().union(*self._classes.get(name, ()))
