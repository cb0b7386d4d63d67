"""Lists of like items: children of one parent that have the same shape."""

from __future__ import annotations

from extractor.tree import Attrs

_MASK = (1 << 61) - 1


class Shapes:
    """Counts like children, fed from the last node of a document to the first.

    Two children are alike when tag and class are the same; where there is no class, when the tags of
    their own children are (runs of one tag count once, so that a list of three items is like one of nine).
    """

    def __init__(self, size: int, repeat: list[int]) -> None:
        self._inside = [0] * size
        self._last = [""] * size
        self._groups: dict[tuple[int, str, str | int], int] = {}
        self._repeat = repeat

    def add(self, node: int, parent: int, tag: str, attrs: Attrs | None) -> None:
        """Count one element that holds text; its own children have been added before."""
        if self._last[parent] != tag:
            self._last[parent] = tag
            self._inside[parent] = (self._inside[parent] * 131 + hash_of(tag)) & _MASK
        alike = (parent, tag, attrs and attrs.get("class") or self._inside[node])
        count = self._groups[alike] = self._groups.get(alike, 0) + 1
        if count > self._repeat[parent]:
            self._repeat[parent] = count


def hash_of(tag: str) -> int:
    """A number for a tag name that is the same in every run."""
    return int.from_bytes(tag.encode()[:7], "big")
