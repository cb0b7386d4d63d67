"""Where what was kept, folded and hidden stands on the page's picture."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal

from extractor.judged import Judged
from extractor.page import Page
from extractor.refs import resolve
from extractor.tree import Tree
from extractor.units import ICON

State = Literal["kept", "folded", "collapsed", "hidden"]
Box = tuple[int, int, int, int]

#: Boxes whose edges are no further apart than this are columns of the same text, in CSS pixels.
_ALIGNED = 4
#: A gap between two parts under each other that is no border between them, in CSS pixels.
_GAP = 48


@dataclass(frozen=True, slots=True)
class Part:
    """A box of the page and what became of the text in it."""

    state: State
    """`kept`, `folded`, `collapsed` (closed on the page) or `hidden` (nobody can see it)."""
    box: Box
    """x, y, width, height in CSS pixels from the top left corner of the page."""
    ref: str
    """Of the fold that it is behind; empty for the others."""
    region: str
    """Role of the region that it stands in."""
    chars: int
    """Code points of its text."""
    reason: str
    """Why it is folded (`budget`, `main_only`, `excluded`) or hidden (`opacity`, …); empty for kept text."""


@dataclass(frozen=True, slots=True)
class Places:
    """All parts in reading order; ``left_out`` counts the smallest ones, past the most asked for."""

    parts: tuple[Part, ...]
    left_out: int


def places_of(judged: Judged, page: Page, *, most: int) -> Places:
    """The parts of a page that was made from ``judged``. Linear in the page.

    Only a capture by a browser has boxes; where a screenshot was taken with it, small elements have, too.
    """
    parts = [*_merged(_texts(judged, page)), *_hidden(judged)]
    if len(parts) <= most:
        return Places(tuple(parts), 0)
    by_area = sorted(range(len(parts)), key=lambda at: parts[at].box[2] * parts[at].box[3])
    small = set(by_area[: len(parts) - most])
    return Places(tuple(p for at, p in enumerate(parts) if at not in small), len(small))


def _texts(judged: Judged, page: Page) -> Iterator[Part]:
    """One part for each run of visible text that has a box."""
    doc, regions, boxes = judged.doc, judged.regions, _Boxes(judged)
    folds = [""] * len(doc.run_node)
    rules = {fold.ref: fold.rule for fold in page.folds}
    for fold in page.folds:
        first, last = resolve(doc, fold.ref)
        folds[first : last + 1] = [fold.ref] * (last + 1 - first)
    for run, node in enumerate(doc.run_node):
        box = boxes.around(doc.run_block[run])
        if box is None:
            continue
        ref, state = folds[run], doc.state[node]
        kind: State = "folded" if ref else "collapsed" if state == 1 else "kept"
        role = regions.items[regions.role_of[node]].role
        yield Part(kind, box, ref, role, len(doc.run_text[run]), rules.get(ref, ""))


def _merged(parts: Iterator[Part]) -> Iterator[Part]:
    """Neighbours of one fate as one, where they are in the same box or under each other in one column."""
    last: Part | None = None
    for part in parts:
        if last is not None and _alike(last, part) and _adjoin(last.box, part.box):
            last = replace(last, box=_around(last.box, part.box), chars=last.chars + part.chars)
            continue
        if last is not None:
            yield last
        last = part
    if last is not None:
        yield last


def _alike(one: Part, other: Part) -> bool:
    return (one.state, one.ref, one.region) == (other.state, other.ref, other.region)


def _adjoin(one: Box, other: Box) -> bool:
    if one == other:
        return True
    aligned = abs(one[0] - other[0]) <= _ALIGNED and abs(one[2] - other[2]) <= _ALIGNED
    below = other[1] - (one[1] + one[3])
    return aligned and -one[3] <= below <= _GAP


def _around(one: Box, other: Box) -> Box:
    left, top = min(one[0], other[0]), min(one[1], other[1])
    right = max(one[0] + one[2], other[0] + other[2])
    return left, top, right - left, max(one[1] + one[3], other[1] + other[3]) - top


def _hidden(judged: Judged) -> Iterator[Part]:
    """What nobody can see and has a box all the same; icons are pictures, nothing is hidden in them."""
    boxes, regions = _Boxes(judged), judged.regions
    for item in judged.doc.hidden:
        tree = judged.doc.tree
        own = item.node if tree.tag[item.node] != "#text" else tree.parent[item.node]
        box = boxes.own(own)
        if box is not None and item.reason != ICON:
            role = regions.items[regions.role_of[item.node]].role
            yield Part("hidden", box, "", role, item.chars, item.reason)


class _Boxes:
    """Boxes of elements on the page, as the capture wrote them down.

    Those in a frame are measured from its document's corner, which is taken to be in view.
    """

    def __init__(self, judged: Judged) -> None:
        self._tree = judged.doc.tree
        self._known: dict[int, Box | None] = {0: None}
        self._frame = _frames(self._tree)

    def own(self, node: int) -> Box | None:
        """The element's own box, if it takes room on the page; what a frame cuts off takes none."""
        box, frame = self._said(node), self._frame[node] if self._frame else 0
        while box is not None and frame:
            window = self._said(frame)
            box = _within(window, box) if window is not None else None
            frame = self._frame[frame]
        return box

    def _said(self, node: int) -> Box | None:
        attrs = self._tree.attrs[node] or {}
        raw = attrs.get("data-pf-box") or attrs.get("data-pf-at") or ""
        parts = raw.split(",")
        if len(parts) != 4:
            return None
        try:
            x, y, width, height = (int(part) for part in parts)
        except ValueError:
            return None
        return (x, y, width, height) if width > 0 and height > 0 else None

    def around(self, node: int) -> Box | None:
        """The box of the nearest element that has one."""
        way = list[int]()
        while node not in self._known:
            way.append(node)
            found = self.own(node)
            if found is not None:
                self._known[node] = found
                break
            node = self._tree.parent[node]
        box = self._known[node]
        self._known.update(dict.fromkeys(way, box))
        return box


def _frames(tree: Tree) -> list[int]:
    """For each node the frame around it, 0 for the page; empty where there are no frames."""
    if "pf-frame" not in tree.tag:
        return []
    around = [0] * len(tree)
    for node in range(1, len(tree)):
        above = tree.parent[node]
        around[node] = above if tree.tag[above] == "pf-frame" else around[above]
    return around


def _within(window: Box, box: Box) -> Box | None:
    """A box in a frame as it stands around the frame, as far as the frame shows it."""
    left, top = max(0, box[0]), max(0, box[1])
    right, bottom = min(window[2], box[0] + box[2]), min(window[3], box[1] + box[3])
    if right <= left or bottom <= top:
        return None
    return window[0] + left, window[1] + top, right - left, bottom - top
