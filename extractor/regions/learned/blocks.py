"""The blocks that are kept or left out as a whole, and what each says itself.

A block is a block-level element with visible text of its own; inline elements in it are part of it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from extractor.regions.learned.arrays import CODE, Arrays, Floats, Ints
from extractor.tree import TEXT, Tree

_WORD, _ASCII_WORD = re.compile(r"[^\W\d_]+"), re.compile(r"[a-z]+")
_DATE = re.compile(
    r"(?:19|20)\d\d[-/.]\d{1,2}[-/.]\d{1,2}|\d{1,2}[-/.]\d{1,2}[-/.](?:19|20)?\d\d\b"
    r"|(?:jan|feb|mar|apr|may|mai|jun|jul|aug|sep|oct|okt|nov|dec|dez)[a-z\u00e4]*\.? \d{1,2}\b"
    r"|\b\d{1,2}\.? (?:jan|feb|mar|apr|may|mai|jun|jul|aug|sep|oct|okt|nov|dec|dez)|\d \w+ ago\b"
)
#: Words at the beginning of a block that are looked at one by one, and in how many characters.
FIRST_WORDS, FIRST_CHARS = 12, 120
#: Longer texts are not searched for dates: they are no dateline.
_DATELINE = 200
#: What is counted in each block's text.
SAID = ("words", "ends", "ends_last", "commas", "digits", "price", "date", "copies")

_SPACE, _STOP, _FULL_STOP, _COMMA, _DIGIT, _MONEY = range(1, 7)
#: Characters that are counted, each with its class; a full stop ends a sentence whatever follows it.
_CLASSES = {
    _SPACE: " \n",
    _STOP: ".!?\u2026\u061f\u0964",
    _FULL_STOP: "\u3002\uff01\uff1f",
    _COMMA: ",;:\u3001\uff0c\u060c",
    _DIGIT: "0123456789",
    _MONEY: "$\u20ac\u00a3\u00a5\u20b9",
}
_TABLE = np.zeros(0x10000, dtype=np.uint8)
for _number, _chars in _CLASSES.items():
    for _char in _chars:
        _TABLE[ord(_char)] = _number


@dataclass(frozen=True, slots=True)
class Blocks:
    """One entry a block, in document order.

    ``of`` has one entry a visible text node (``texts``): the number of its block. ``first_words`` are the
    lower-cased words that a block begins with. The columns of ``said`` are named by ``SAID``.
    """

    node: Ints
    texts: Ints
    of: Ints
    chars: Floats
    links: Floats
    first_words: list[list[str]]
    said: Floats

    def __len__(self) -> int:
        return len(self.node)


def blocks_of(tree: Tree, arrays: Arrays) -> Blocks:
    """Every block with visible text. Linear."""
    is_text = (arrays.tag == CODE[TEXT]) & (arrays.chars > 0)
    # What stands in the head names the page and is no part of it.
    texts = np.flatnonzero(is_text & (arrays.tag[arrays.parent] != CODE["title"]))
    node, of = np.unique(arrays.holder[texts], return_inverse=True)
    parts: list[list[str]] = [[] for _ in node]
    for at, block in zip(texts.tolist(), of.tolist(), strict=True):
        parts[block].append(tree.text[at])
    said = [" ".join("".join(each).split()) for each in parts]
    chars = np.bincount(of, weights=arrays.chars[texts], minlength=len(node))
    linked = arrays.chars * arrays.inside("a", "button", "label", "option", "summary")
    links = np.bincount(of, weights=linked[texts], minlength=len(node))
    return Blocks(
        node=node,
        texts=texts,
        of=of,
        chars=chars.astype(np.float32),
        links=links.astype(np.float32),
        first_words=[_first_words(text[:FIRST_CHARS].lower()) for text in said],
        said=_counted(said),
    )


def _first_words(text: str) -> list[str]:
    pattern = _ASCII_WORD if text.isascii() else _WORD
    return pattern.findall(text)[:FIRST_WORDS]


def _counted(texts: list[str]) -> Floats:
    """One row a text, its columns named by ``SAID``: all characters of a page are looked up at once."""
    found = np.zeros((len(texts), len(SAID)), dtype=np.float32)
    if not texts:
        return found
    sizes = np.asarray([len(text) for text in texts])
    # One line feed after each text: white space after its last word, and after its last sentence.
    starts = np.concatenate([[0], np.cumsum(sizes + 1)[:-1]])
    points = np.frombuffer(("\n".join(texts) + "\n").encode("utf-32-le", "surrogatepass"), "<u4")
    kind = _TABLE[np.minimum(points, len(_TABLE) - 1)]
    ends = kind == _FULL_STOP
    ends[:-1] |= (kind[:-1] == _STOP) & (kind[1:] == _SPACE)
    digits = _sums(kind == _DIGIT, starts)
    found[:, 0] = _sums(kind == _SPACE, starts)
    found[:, 1] = _sums(ends, starts)
    found[:, 2] = ends[starts + sizes - 1]
    found[:, 3] = _sums(kind == _COMMA, starts)
    found[:, 4] = digits
    found[:, 5] = (digits > 0) & (_sums(kind == _MONEY, starts) > 0)
    for number in np.flatnonzero((digits > 0) & (sizes < _DATELINE)).tolist():
        found[number, 6] = _DATE.search(texts[number].lower()) is not None
    seen: dict[str, int] = {}
    for text in texts:
        seen[text] = seen.get(text, 0) + 1
    found[:, 7] = [seen[text] for text in texts]
    return found


def _sums(marked: npt.NDArray[np.bool_], starts: Ints) -> Ints:
    found: Ints = np.add.reduceat(marked, starts, dtype=np.int64)
    return found
