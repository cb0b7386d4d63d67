"""What an element hands down to its children, and why text that stands there cannot be read."""

from __future__ import annotations

from dataclasses import dataclass, replace

from extractor.styles.groups import FAINT
from extractor.styles.media import Viewport
from extractor.styles.values import (
    BLACK,
    WHITE,
    Colour,
    colour,
    contrast,
    font_px,
    length,
    over,
    scale_of,
)

#: Past this no scrolling leads: left of the page or above it.
FAR_PX = -900.0

#: Declared properties of one element, in lower case.
Own = dict[str, str]


@dataclass(frozen=True, slots=True)
class Handed:
    """What an element hands down to its children."""

    visible: bool = True
    font_px: float = 16.0
    indent: float = 0.0
    colour: Colour | None = BLACK
    ground: Colour | None = WHITE
    shadow: bool = False
    opacity: float = 1.0
    scale: float = 1.0
    keeps_space: bool = False
    #: Whether all sheets are known. Where some are not, only an element that declares both its colours is
    #: known to blend.
    complete: bool = True
    #: Why text that stands here cannot be read.
    unread: str = ""

    @property
    def colours(self) -> tuple[Colour | None, Colour | None]:
        """Of text and of the ground behind it."""
        return (self.colour, self.ground) if self.complete else (None, None)


def handed_by(own: Own, above: Handed, viewport: Viewport) -> Handed:
    """What an element with declarations of its own hands down."""
    font = (
        font_px(own["font-size"], above.font_px, viewport) if "font-size" in own else above.font_px
    )
    indent = above.indent
    if "text-indent" in own:
        words = own["text-indent"].split()
        value = (
            length(words[0], em=font, viewport=viewport, whole=viewport.width) if words else None
        )
        indent = above.indent if value is None else value
    visible = own.get("visibility", "")
    transform = own.get("transform", "none")
    scale = above.scale * scale_of(transform) * scale_of(f"scale({own.get('scale', '1')})")
    space = own.get("white-space-collapse") or own.get("white-space", "")
    here = replace(
        above,
        visible=visible == "visible" or above.visible and visible not in ("hidden", "collapse"),
        font_px=font,
        indent=indent,
        opacity=above.opacity * _opacity(own),
        scale=scale,
        keeps_space=space.startswith(("pre", "break")) and space != "pre-line"
        if space
        else above.keeps_space,
        shadow=own["text-shadow"] != "none" if "text-shadow" in own else above.shadow,
    )
    here = _painted(here, own)
    return replace(here, unread=_unread(here, own))


def _painted(here: Handed, own: Own) -> Handed:
    fill = own.get("text-fill-color") or own.get("color", "inherit")
    ink, ground = here.colours
    if fill not in ("inherit", "currentcolor", "unset"):
        ink = colour(fill)
    if own.get("position", "static") not in ("static", "relative") or "transform" in own:
        ground = None
    if own.get("background-image", "none") != "none":
        ground = None
    elif "background-color" in own:
        behind = colour(own["background-color"])
        if behind is None or behind[3] > 0.99:
            ground = behind
        elif ground is not None:
            ground = over(behind, ground)
    return replace(here, colour=ink, ground=ground)


def _opacity(own: Own) -> float:
    value = own.get("opacity", "1")
    if "animation" in own or "animation-name" in own:
        # Fades in by itself.
        return 1.0
    try:
        product = float(value[:-1]) / 100 if value.endswith("%") else float(value)
    except ValueError:
        product = 1.0
    blur = own.get("filter", "")
    if "opacity(0)" in blur or "opacity(0%)" in blur:
        product = 0.0
    return min(max(product, 0.0), 1.0)


def _unread(here: Handed, own: Own) -> str:
    if not here.visible:
        return "visibility"
    if here.font_px * min(here.scale, 1.0) <= 2:
        return "transform" if here.scale < 0.1 else "font_size"
    if here.indent <= FAR_PX:
        return "text_indent"
    ink, ground = here.colour, here.ground
    if ink is None or here.shadow or "text-stroke" in own or own.get("background-clip") == "text":
        return ""
    if ink[3] < 0.05:
        return "contrast"
    if ground is not None and contrast(over(ink, ground), ground) < FAINT:
        return "contrast"
    return ""
