"""What of markup no parser can bear is taken out before it is parsed; what was taken is counted."""

from __future__ import annotations

from dataclasses import dataclass

from extractor.static.depth import bounded_depth
from extractor.static.formatting import bounded_formatting
from extractor.static.wide import bounded_width

#: Elements that unclosed formatting may make, for each node that is read at most.
_COPIES = 2


@dataclass(frozen=True, slots=True)
class Limits:
    """Nodes of a page, and attributes of one element."""

    max_nodes: int
    max_attributes: int


@dataclass(frozen=True, slots=True)
class Taken:
    """Counts of attributes, of tags nested too deep, and of tags of formatting that never ends."""

    attributes: int
    deep: int
    formatting: int


def bounded(text: str, limits: Limits) -> tuple[str, Taken]:
    """Markup that parses in time and memory in proportion to its length, and what was taken out of it."""
    text, attributes = bounded_width(text, limits.max_attributes)
    text, deep = bounded_depth(text)
    text, formatting = bounded_formatting(text, _COPIES * limits.max_nodes)
    return text, Taken(attributes, deep, formatting)
