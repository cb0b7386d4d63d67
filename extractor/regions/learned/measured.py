"""Everything that is measured of a page before any learned number is looked at."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from extractor.regions.features import Features
from extractor.regions.learned.arrays import Arrays, arrays_of
from extractor.regions.learned.blocks import Blocks, blocks_of
from extractor.regions.learned.columns import Columns, columns, with_page, with_words
from extractor.regions.learned.page_facts import echoed, page_facts, told_by
from extractor.regions.learned.wording import Names, Scores, along_path, named, names_of, worded
from extractor.regions.result import Regions
from extractor.tree import Tree


@dataclass(frozen=True, slots=True)
class Measured:
    """A page's blocks; ``names`` maps class names with ids to the nodes that have them, ``table`` is by
    column and block, ``facts`` are numbers of the page as a whole.
    """

    arrays: Arrays
    blocks: Blocks
    names: Names
    table: Columns
    facts: Mapping[str, float]

    def columns(self, names: Scores, words: Scores, kinds: Mapping[str, float]) -> Columns:
        """All columns, with those that learned scores of words and likelihoods of kinds give."""
        table = dict(self.table)
        own = named(len(self.arrays), self.names, names)
        path = {"own": own, **along_path(self.arrays, own)}
        with_words(table, path, worded(self.blocks.first_words, words), self.blocks)
        with_page(table, kinds, "kind")
        return table


def measured(
    tree: Tree, features: Features, regions: Regions, *, url: str, json_ld: Sequence[str]
) -> Measured:
    """Measure a page in which the rules by hand have found their regions. Linear."""
    arrays = arrays_of(tree, features, regions)
    blocks = blocks_of(tree, arrays)
    if not len(blocks):
        return Measured(arrays, blocks, {}, {}, {})
    told = told_by(tree, json_ld)
    table = columns(tree, features, arrays, blocks, regions)
    table["echo_title"], table["echo_told"] = echoed(blocks, told)
    facts = page_facts(tree, features, blocks, url, told)
    return Measured(arrays, blocks, names_of(tree), table, facts)
