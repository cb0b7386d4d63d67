"""Where nodes stand: paths of tags and frames, each step worked out once."""

from __future__ import annotations

from extractor.tree import Tree


class Paths:
    """CSS-like paths of tags, as ``tree.path_of`` writes them, for many nodes of one tree."""

    def __init__(self, tree: Tree) -> None:
        self.tree = tree
        self._steps: dict[int, str] = {}
        self._numbered: set[int] = set()
        #: Paths of parents of nodes that were asked for.
        self._above: dict[int, str] = {}

    def of(self, node: int) -> str:
        """The path from the root to ``node``. O(depth), and each parent's children once."""
        if node <= 0:
            return "html"
        parent = self.tree.parent[node]
        if parent not in self._above:
            self._above[parent] = self._whole(parent)
        if parent not in self._numbered:
            self._number(parent)
        return f"{self._above[parent]} > {self._steps[node]}"

    def _whole(self, node: int) -> str:
        steps: list[str] = []
        while node > 0:
            parent = self.tree.parent[node]
            if parent not in self._numbered:
                self._number(parent)
            steps.append(self._steps[node])
            node = parent
        return " > ".join(["html", *reversed(steps)])

    def _number(self, parent: int) -> None:
        tags, ends, steps = self.tree.tag, self.tree.end, self._steps
        alike: dict[str, list[int]] = {}
        child, stop = parent + 1, ends[parent]
        while child < stop:
            tag = tags[child]
            if tag in alike:
                alike[tag].append(child)
            else:
                alike[tag] = [child]
            child = ends[child]
        for tag, children in alike.items():
            if len(children) == 1:
                steps[children[0]] = tag
                continue
            for number, child in enumerate(children, 1):
                steps[child] = f"{tag}:nth-of-type({number})"
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
