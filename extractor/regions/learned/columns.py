"""What is known of each block, as a matrix: one row a block, one column a feature.

Everything is gathered from flat arrays at once; nothing here loops over blocks or nodes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from extractor.regions.features import Features
from extractor.regions.learned.arrays import CODE, Arrays, Floats, Ints, as_floats
from extractor.regions.learned.blocks import SAID, Blocks
from extractor.regions.result import Regions
from extractor.tree import TEXT, Tree

Columns = dict[str, npt.NDArray[np.generic]]

#: Roles with a column each.
ROLES = ("toc", "comments", "nav")
#: Elements with a column each that says whether the block is or stands in one.
AROUND = ("article", "main", "header", "footer", "figure", "ol")
OWN_TAGS = ("div", "pre", "figcaption", "li")
#: How many containers up from the block whose sums are looked at; 0 is the block itself.
LEVELS = (1, 2, 3, 4, 6)
NEIGHBOURS = (-3, -2, -1, 1, 2, 3)
#: From so many like children on, each is an item.
_ITEMS = 3
_HEADINGS = [CODE[f"h{level}"] for level in range(1, 7)]
_FAR = 999.0


@dataclass(frozen=True, slots=True)
class Matrix:
    """``values[j, i]``: feature ``names[j]`` of block ``i``."""

    names: tuple[str, ...]
    values: Floats

    def only(self, names: tuple[str, ...]) -> Matrix:
        """These columns, in this order."""
        place = {name: number for number, name in enumerate(self.names)}
        return Matrix(names, self.values[[place[name] for name in names]])


def matrix_of(table: Mapping[str, npt.NDArray[np.generic]]) -> Matrix:
    """The columns as one block of memory."""
    rows = len(next(iter(table.values()), ()))
    values = np.empty((len(table), rows), dtype=np.float32)
    for place, column in enumerate(table.values()):
        values[place] = column
    return Matrix(tuple(table), values)


def columns(
    tree: Tree, features: Features, arrays: Arrays, blocks: Blocks, regions: Regions
) -> Columns:
    """Every column that needs no learned word. Linear in nodes and in blocks times columns."""
    table: Columns = {}
    whole = max(float(blocks.chars.sum()), 1.0)
    _own(table, arrays, blocks)
    _places(table, features, arrays, blocks, whole)
    _regions(table, features, arrays, blocks, regions, whole)
    _above(table, features, arrays, blocks, whole)
    _alike(table, tree, blocks, whole)
    _beside(table, arrays, blocks)
    return table


def _own(table: Columns, arrays: Arrays, blocks: Blocks) -> None:
    chars = np.maximum(blocks.chars, 1)
    said = dict(zip(SAID, blocks.said.T, strict=True))
    words = np.maximum(said["words"], 1)
    table["chars"], table["words"] = blocks.chars, words
    table["link_share"] = blocks.links / chars
    table["ends"], table["price"], table["copies"] = said["ends"], said["price"], said["copies"]
    tags = arrays.tag[blocks.node]
    for tag in OWN_TAGS:
        table[f"is_{tag}"] = tags == CODE[tag]
    first, last = _HEADINGS[0], _HEADINGS[-1]
    table["heading"] = np.where((tags >= first) & (tags <= last), tags - first + 1, 0)


def _places(
    table: Columns, features: Features, arrays: Arrays, blocks: Blocks, whole: float
) -> None:
    number = np.arange(len(blocks))
    read = np.cumsum(blocks.chars) - blocks.chars
    heading = np.asarray(table["heading"], dtype=np.float32)
    table["read"] = read / whole
    titles = np.flatnonzero(heading == 1)
    table["after_title"] = number - titles[0] if len(titles) else np.full(len(number), -_FAR)
    table["from_title"] = (read - read[titles[0]]) / whole if len(titles) else read * 0 - 1
    last = np.maximum.accumulate(np.where(heading > 0, number, -1))
    table["after_heading"] = np.where(last >= 0, number - last, _FAR)
    body = features.body
    table["in_body"] = (blocks.node >= body) & (blocks.node < arrays.end[body])
    table["from_body"] = (blocks.node - body) / max(len(arrays), 1)


def _regions(
    table: Columns,
    features: Features,
    arrays: Arrays,
    blocks: Blocks,
    regions: Regions,
    whole: float,
) -> None:
    at = np.asarray(regions.role_of, dtype=np.int64)[blocks.node]
    items = regions.items
    roles = np.asarray([ROLES.index(item.role) if item.role in ROLES else -1 for item in items])
    roots = np.asarray([item.node for item in items], dtype=np.int64)
    for number, role in enumerate(ROLES):
        table[f"role_{role}"] = (roles == number)[at]
    table["by_hand"] = arrays.hand[blocks.node]
    size = arrays.chars[roots]
    links = np.asarray([features.links[item.node] for item in items], dtype=np.float32)
    table["region_share"] = (size / whole)[at]
    table["region_links"] = (links / np.maximum(size, 1))[at]
    for tag in AROUND:
        table[f"in_{tag}"] = arrays.inside(tag)[blocks.node]


def _above(
    table: Columns, features: Features, arrays: Arrays, blocks: Blocks, whole: float
) -> None:
    sums = {
        "links": as_floats(features.links),
        "count": as_floats(features.link_count),
        "headings": as_floats(features.headings),
        "images": as_floats(features.images),
    }
    table["up0_count"] = sums["count"][blocks.node] / np.maximum(arrays.chars[blocks.node], 1)
    at = blocks.node
    for level in range(1, LEVELS[-1] + 1):
        at = arrays.wide[at]
        if level not in LEVELS:
            continue
        size = np.maximum(arrays.chars[at], 1)
        table[f"up{level}_share"] = arrays.chars[at] / whole
        table[f"up{level}_chars"] = arrays.chars[at]
        for name, values in sums.items():
            table[f"up{level}_{name}"] = values[at] / size
    for name, counts in (("prose", features.prose), ("controls", features.controls)):
        table[f"up{LEVELS[-1]}_{name}"] = as_floats(counts)[at] / np.maximum(arrays.chars[at], 1)
    _items(table, arrays, blocks, as_floats(features.repeat), sums)


def _items(
    table: Columns, arrays: Arrays, blocks: Blocks, repeat: Floats, sums: Mapping[str, Floats]
) -> None:
    """The nearest of several like things that the block is or stands in, and the list of them."""
    is_item = repeat[arrays.parent] >= _ITEMS
    is_item &= arrays.tag != CODE[TEXT]
    is_item[0] = False
    item = arrays.nearest(is_item)[blocks.node]
    size, held = np.maximum(arrays.chars[item], 1), arrays.parent[item]
    table["item_many"] = np.where(item, repeat[held], 0)
    table["item_chars"] = np.where(item, size, -1)
    table["item_list_share"] = np.where(item, arrays.chars[held] / arrays.chars[0], 0)
    for name in ("links", "images"):
        table[f"item_{name}"] = np.where(item, sums[name][item] / size, -1)


def _alike(table: Columns, tree: Tree, blocks: Blocks, whole: float) -> None:
    """Blocks with the same tag and class below the same: how many, how long, how even, how linked."""
    keys: dict[tuple[object, ...], int] = {}
    attrs, parents, tags = tree.attrs, tree.parent, tree.tag
    group: list[int] = []
    for node in blocks.node.tolist():
        above = max(parents[node], 0)
        key = (
            tags[node],
            (attrs[node] or {}).get("class"),
            tags[above],
            (attrs[above] or {}).get("class"),
        )
        group.append(keys.setdefault(key, len(keys)))
    at = np.asarray(group, dtype=np.int64)
    many = np.maximum(_summed(at, np.ones(len(at)), len(keys)), 1)
    total = _summed(at, blocks.chars, len(keys))
    middle = total / many
    square = _summed(at, blocks.chars**2, len(keys)) / many
    spread = np.sqrt(np.maximum(square - middle**2, 0)) / np.maximum(middle, 1)
    table["alike"], table["alike_chars"] = many[at], middle[at]
    table["alike_spread"], table["alike_share"] = spread[at], (total / whole)[at]
    table["alike_links"] = (_summed(at, blocks.links, len(keys)) / np.maximum(total, 1))[at]
    ends = np.asarray(table["ends"], dtype=np.float64)
    table["alike_ends"] = (_summed(at, ends, len(keys)) / many)[at]
    hand = np.asarray(table["by_hand"], dtype=np.float64)
    table["alike_by_hand"] = (_summed(at, hand, len(keys)) / many)[at]


def _summed(group: Ints, values: npt.NDArray[np.floating], size: int) -> Floats:
    return np.bincount(group, weights=values, minlength=size).astype(np.float32)


def _beside(table: Columns, arrays: Arrays, blocks: Blocks) -> None:
    by_hand = arrays.hand[blocks.node].astype(np.float32)
    for step in NEIGHBOURS:
        name = f"next{step}" if step > 0 else f"prev{-step}"
        table[f"{name}_by_hand"] = _shifted(by_hand, step)
    table["next1_chars"] = _shifted(blocks.chars, 1)
    window = np.ones(9, dtype=np.float32)
    table["near_chars"] = _windowed(blocks.chars, window)
    table["near_hand"] = _windowed(by_hand, window)


def _windowed(values: Floats, window: Floats) -> Floats:
    half = len(window) // 2
    return np.convolve(values, window)[half : half + len(values)]


def _shifted(values: Floats, step: int) -> Floats:
    moved = np.full(len(values), -1, dtype=np.float32)
    if abs(step) >= len(values):
        return moved
    if step > 0:
        moved[:-step] = values[step:]
    else:
        moved[-step:] = values[:step]
    return moved


def with_words(table: Columns, path: Mapping[str, Floats], words: Floats, blocks: Blocks) -> None:
    """Add the columns of learned words: of names along the path, of first words, of the heading above."""
    for name, values in path.items():
        table[f"name_{name}"] = values[blocks.node]
    for name, row in zip(("mean", "low", "high"), words, strict=True):
        table[f"word_{name}"] = row
    number = np.arange(len(blocks))
    heading = np.asarray(table["heading"], dtype=np.float32) > 0
    last = np.maximum.accumulate(np.where(heading, number, -1))
    table["under_word"] = np.where(last >= 0, words[0][last], 0)


def with_page(table: Columns, values: Mapping[str, float], prefix: str) -> None:
    """Add numbers that are the same for all blocks."""
    count = len(table["chars"])
    for name, value in values.items():
        table[f"{prefix}_{name}"] = np.full(count, value, dtype=np.float32)


def sequence_of(table: Columns, names: Sequence[str]) -> Columns:
    """Only these columns, in this order."""
    return {name: table[name] for name in names}
