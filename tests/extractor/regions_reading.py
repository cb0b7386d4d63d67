"""Regions of a piece of markup, by the words that stand in them."""

from __future__ import annotations

from dataclasses import dataclass

from extractor.regions import RegionNode, Regions, find_regions
from extractor.tree import Tree, parse
from extractor.units import visible_chars
from extractor.visibility import judge

SENTENCE = "The clerk writes each ship and cargo into the ledger in blue ink. "
PARAGRAPH = f"<p>{SENTENCE * 4}</p>"


@dataclass(frozen=True, slots=True)
class Reading:
    """A judged piece of markup."""

    tree: Tree
    regions: Regions

    def roles(self, words: str) -> list[str]:
        """Roles of all regions that hold the first text with ``words``, outermost first."""
        return [region.role for region in self._around(words)]

    def evidence(self, words: str, role: str) -> tuple[str, ...]:
        """Evidence of the innermost region of a role around ``words``."""
        return [region for region in self._around(words) if region.role == role][-1].evidence

    def in_main(self, words: str) -> bool:
        """Whether the first text with ``words`` is main content."""
        return self.regions.is_main(self._node(words))

    def _node(self, words: str) -> int:
        return next(node for node, text in enumerate(self.tree.text) if words in text)

    def _around(self, words: str) -> list[RegionNode]:
        node = self._node(words)
        return [r for r in self.regions.items[1:] if r.node <= node < self.tree.end[r.node]]


def read(body: str, *, viewport: tuple[int, int] | None = None, url: str = "") -> Reading:
    """Regions of a body; boxes and positions are given as snapshots carry them."""
    size = f' data-pf-box="0,0,{viewport[0]},3000"' if viewport else ""
    tree = parse(f"<html><body{size}>{body}</body></html>")
    verdicts = judge(tree)
    chars = visible_chars(tree, verdicts.state)
    return Reading(tree, find_regions(tree, verdicts, chars, viewport=viewport, url=url))
