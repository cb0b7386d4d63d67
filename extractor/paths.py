"""Where nodes stand: paths of tags and frames, each step worked out once."""

from __future__ import annotations

from collections import Counter

from extractor.tree import Tree


class Paths:
    """CSS-like paths of tags, as ``tree.path_of`` writes them, for many nodes of one tree."""

    def __init__(self, tree: Tree) -> None:
        self.tree = tree
        self._steps: dict[int, str] = {}
        self._numbered: set[int] = set()

    def of(self, node: int) -> str:
        """The path from the root to ``node``. O(depth), and each parent's children once."""
        steps: list[str] = []
        while node > 0:
            parent = self.tree.parent[node]
            if parent not in self._numbered:
                self._number(parent)
            steps.append(self._steps[node])
            node = parent
        return " > ".join(["html", *reversed(steps)])

    def _number(self, parent: int) -> None:
        tree = self.tree
        children, child = list[int](), parent + 1
        while child < tree.end[parent]:
            children.append(child)
            child = tree.end[child]
        total, seen = Counter(tree.tag[child] for child in children), Counter[str]()
        for child in children:
            tag = tree.tag[child]
            seen[tag] += 1
            self._steps[child] = tag if total[tag] == 1 else f"{tag}:nth-of-type({seen[tag]})"
        self._numbered.add(parent)

    def frame_of(self, node: int) -> str | None:
        """The address of the innermost frame around ``node``; ``None`` in the page itself."""
        while node > 0:
            if self.tree.tag[node] == "pf-frame":
                return (self.tree.attrs[node] or {}).get("data-pf-url", "")
            node = self.tree.parent[node]
        return None

    def hosts_of(self, node: int) -> list[int]:
        """The shadow hosts around a node, outermost first."""
        found: list[int] = []
        node = self.tree.parent[node]
        while node > 0:
            if "data-pf-shadow" in (self.tree.attrs[node] or {}):
                found.append(node)
            node = self.tree.parent[node]
        return found[::-1]
