"""What the page holds that the capture did not bring, or that a person has to open: with its control.

A new kind: name it in ``lookup.Kind``, write its finder in ``parts`` or ``lists`` and add it to ``_FINDERS``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from extractor.refs import ref_of
from extractor.regions import Regions
from extractor.snapshot import SnapshotMeta
from extractor.tree import path_of
from extractor.units import Doc
from extractor.unseen.lists import declared_lists, load_more, pagination, scrollers
from extractor.unseen.lookup import Found, Lookup
from extractor.unseen.parts import closed_parts, unbuilt_parts

__all__ = ["Unseen", "unseen_of"]

#: Entries of one kind; one more says how many were left out.
_MOST = 30

_FINDERS: Sequence[Callable[[Lookup], Iterator[Found]]] = (
    closed_parts,
    unbuilt_parts,
    load_more,
    pagination,
    scrollers,
    declared_lists,
)


@dataclass(frozen=True, slots=True)
class Unseen:
    """One thing that is not on the page as it stands, or not open."""

    kind: str
    """What it is: `details`, `tab`, `accordion`, `load_more`, `pagination`, `scroller`, `lazy_images`, …"""
    label: str
    """What is known of it, in a few words."""
    control: str = ""
    """Visible text of what brings it; empty where nothing does."""
    path: str = ""
    """Tags from the root to the control or the part, as a CSS selector."""
    ref: str = ""
    """Name of the control or the part in the snapshot; it can be unfolded."""
    count: int = 1
    """How many items are behind it: rows, images, pages; 1 where that is not known."""


def unseen_of(doc: Doc, regions: Regions, meta: SnapshotMeta) -> tuple[Unseen, ...]:
    """Everything of the kind on a page, in document order within each kind."""
    page = Lookup(doc, regions)
    seen: Counter[str] = Counter()
    items: list[Unseen] = []
    for finder in _FINDERS:
        for found in finder(page):
            seen[found.kind] += 1
            if seen[found.kind] <= _MOST:
                items.append(_item(page, found))
    items += [
        Unseen(kind, f"{number - _MOST} more of this kind", count=number - _MOST)
        for kind, number in seen.items()
        if number > _MOST
    ]
    return (*items, *(Unseen(fact.kind, fact.label, count=fact.count) for fact in meta.unseen))


def _item(page: Lookup, found: Found) -> Unseen:
    low, high = page.runs(found.node)
    ref = ref_of(page.doc, low, high - 1) if low < high else ""
    path = path_of(page.tree, found.node)
    return Unseen(found.kind, found.label, found.control, path, ref, found.count)
