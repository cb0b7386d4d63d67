"""Where blocks stand: columns, bars, overlays. Without boxes (static path) nothing is said."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from extractor.regions.semantics import Evidence
from extractor.tree import Attrs, Tree

#: A fixed box over this share of the viewport covers the page; a bar is this thin.
COVERS, BAR = 0.5, 0.35
#: A column is this narrow against the page and this tall against its own width.
COLUMN_WIDTH, COLUMN_SHAPE = 0.34, 1.2


@dataclass(frozen=True, slots=True)
class Box:
    """CSS pixels from the top left corner of the document."""

    x: int
    y: int
    width: int
    height: int


def box_of(attrs: Attrs | None) -> Box | None:
    """The box that the capture wrote down, or ``None``."""
    raw = attrs.get("data-pf-box") if attrs else None
    if not raw:
        return None
    try:
        x, y, width, height = (int(part) for part in raw.split(","))
    except ValueError:
        return None
    return Box(x, y, width, height) if width > 0 and height > 0 else None


@dataclass(frozen=True, slots=True)
class Page:
    """The sizes that boxes are measured against: viewport and document, in CSS pixels."""

    viewport: tuple[int, int]
    width: int

    @property
    def known(self) -> bool:
        """Whether the capture has boxes at all."""
        return self.width > 0


def page_of(tree: Tree, body: int, viewport: tuple[int, int] | None) -> Page:
    """Sizes from the body's box; where the viewport is unknown, a screen as wide as the page."""
    box = box_of(tree.attrs[body]) if len(tree) else None
    if box is None:
        return Page(viewport or (1280, 800), 0)
    return Page(viewport or (box.width, 800), max(box.width, viewport[0] if viewport else 0))


def placed(attrs: Attrs, page: Page, chars: Sequence[int], node: int, whole: int) -> list[Evidence]:
    """Evidence from a block's place. ``whole`` is the number of visible characters of the page."""
    position, box = attrs.get("data-pf-pos"), box_of(attrs)
    if position not in ("fixed", "sticky") or chars[node] > 0.5 * whole:
        # What holds most of the page's text is its shell, however it is placed.
        return _column(box, page)
    if box is None or not page.known:
        return [Evidence("overlay", 0.3, f"position:{position}")]
    wide = box.width >= 0.9 * page.viewport[0]
    thin = box.height <= BAR * page.viewport[1]
    area = box.width * min(box.height, page.viewport[1])
    share = area / max(page.viewport[0] * page.viewport[1], 1)
    if position == "sticky":
        return [Evidence("header", 0.3, "box:sticky_bar")] if wide and thin else _column(box, page)
    if wide and thin:
        return [Evidence("overlay", 0.4, "box:bar"), Evidence("header", 0.3, "box:bar")]
    if share >= COVERS:
        return [Evidence("overlay", 0.7, f"box:covers_{share:.2f}")]
    return [Evidence("overlay", 0.6, "box:floating")]


def _column(box: Box | None, page: Page) -> list[Evidence]:
    """A narrow column at either side of a wide page: left and right count alike (RTL)."""
    if box is None or not page.known or page.width < 700:
        return []
    narrow = box.width <= COLUMN_WIDTH * page.width and box.height >= COLUMN_SHAPE * box.width
    middle = box.x + box.width / 2
    off = abs(middle - page.width / 2) > 0.18 * page.width
    return [Evidence("aside", 0.25, "box:side_column")] if narrow and off else []
