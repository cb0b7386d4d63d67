"""Why a box hides all that is in it, as far as declarations alone can prove it."""

from __future__ import annotations

from extractor.styles.cascade import Styles
from extractor.styles.handed import FAR_PX, Handed, Own
from extractor.styles.media import Viewport
from extractor.styles.values import clips_all, clips_rect, length, moved_by


def box_reason(own: Own, here: Handed, viewport: Viewport) -> str:
    """Why the whole subtree is hidden; ``sr_only`` for a label that is meant for screen readers."""
    if own.get("display") == "none":
        return "display"
    if own.get("content-visibility") == "hidden":
        return "content_visibility"
    if here.opacity < 0.1:
        return "opacity"
    if here.scale < 0.01:
        return "" if "animation" in own or "animation-name" in own else "transform"
    out = own.get("position") in ("absolute", "fixed")
    sides = {
        name: _px(own, name, here, viewport)
        for name in ("width", "height", "max-width", "max-height")
    }
    small = (sides["width"] == 1 or sides["height"] == 1) and all(
        value is None or value <= 2 for value in (sides["width"], sides["height"])
    )
    shut = any(
        own.get(name, "visible") in ("hidden", "clip") for name in ("overflow-x", "overflow-y")
    )
    if out and small and shut:
        return "sr_only"
    clipped = out and clips_rect(own.get("clip", "")) or clips_all(own.get("clip-path", ""))
    if clipped:
        return "sr_only" if out and small else "clip"
    if shut and own.get("display") != "inline":
        for name in ("width", "height"):
            floor = _px(own, f"min-{name}", here, viewport)
            if 0 in (sides[name], sides[f"max-{name}"]) and not floor:
                return "zero_box"
    return "offscreen" if _is_away(own, out, here, viewport) else ""


def _is_away(own: Own, out: bool, here: Handed, viewport: Viewport) -> bool:
    """Whether the box lies far to the left of the page or above it, where no scrolling leads."""
    right, down = moved_by(own.get("transform", ""), viewport)
    if right <= FAR_PX or down <= FAR_PX:
        return True
    placed = ("left", "top") if out else ()
    if own.get("position") == "relative":
        placed = ("left", "top")
    edges = (*placed, "margin-left", "margin-top") if out else placed
    return any((_px(own, name, here, viewport) or 0.0) <= FAR_PX for name in edges)


def _px(own: Own, name: str, here: Handed, viewport: Viewport) -> float | None:
    value = own.get(name)
    return None if value is None else length(value, em=here.font_px, viewport=viewport)


def may_escape(styles: Styles, node: int, end: int, own: Own) -> bool:
    """Whether something inside may be laid out against a box further out, and so be seen."""
    if own.get("position", "static") != "static" or "transform" in own:
        return False
    if len(styles.of) < end - node:
        inside = [style for inner, style in styles.of.items() if node < inner < end]
    else:
        inside = [styles.of[inner] for inner in range(node + 1, end) if inner in styles.of]
    return any(style.get("position") in ("absolute", "fixed") for style in inside)
