"""Values of properties as numbers: lengths, colours, what a clip or a transform leaves.

Source of contrast: WCAG 2.2, relative luminance and contrast ratio.
"""

from __future__ import annotations

import re
from functools import lru_cache

import tinycss2.color4

from extractor.styles.media import Viewport

_LENGTH = re.compile(
    r"([+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?)\s*(px|em|rem|ex|ch|pt|pc|in|cm|mm|vw|vh|%|)\Z"
)
_ABSOLUTE = {
    "px": 1.0,
    "": 1.0,
    "pt": 96 / 72,
    "pc": 16.0,
    "in": 96.0,
    "cm": 96 / 2.54,
    "mm": 9.6 / 2.54,
}
_FONT_WORDS = {
    "xx-small": 9.0, "x-small": 10.0, "small": 13.0, "medium": 16.0, "large": 18.0, "x-large": 24.0,
    "xx-large": 32.0, "xxx-large": 48.0, "initial": 16.0,
}  # fmt: skip
_FUNCTION = re.compile(r"([a-z0-9-]+)\(([^()]*)\)")
#: Red, green, blue from 0 to 255, and alpha.
Colour = tuple[float, float, float, float]
ROOT_FONT_PX = 16.0
WHITE: Colour = (255.0, 255.0, 255.0, 1.0)
BLACK: Colour = (0.0, 0.0, 0.0, 1.0)


def length(
    value: str, *, em: float, viewport: Viewport, whole: float | None = None
) -> float | None:
    """CSS pixels; ``whole`` is what 100 % stands for. ``None`` for what is no plain length."""
    match = _LENGTH.match(value)
    if match is None:
        return None
    number, unit = float(match[1]), match[2]
    if unit in _ABSOLUTE:
        return number * _ABSOLUTE[unit]
    if unit in ("em", "rem", "ex", "ch"):
        size = ROOT_FONT_PX if unit == "rem" else em
        return number * size * (0.5 if unit in ("ex", "ch") else 1.0)
    if unit == "%":
        return None if whole is None else number / 100 * whole
    return number / 100 * (viewport.width if unit == "vw" else viewport.height)


def font_px(value: str, above: float, viewport: Viewport) -> float:
    """A font size in pixels; ``above`` is the parent's, kept where the value is not understood."""
    if value in _FONT_WORDS:
        return _FONT_WORDS[value]
    if value in ("smaller", "larger"):
        return above / 1.2 if value == "smaller" else above * 1.2
    found = length(value, em=above, viewport=viewport, whole=above)
    return above if found is None or found < 0 else found


@lru_cache(maxsize=4096)
def colour(value: str) -> Colour | None:
    """``None`` for what depends on more than the value itself (``currentcolor``, ``var()``)."""
    if value == "transparent":
        return (0, 0, 0, 0)
    parsed = tinycss2.color4.parse_color(value)
    if parsed is None or isinstance(parsed, str):
        return None
    try:
        red, green, blue, alpha = (part or 0.0 for part in parsed.to("srgb"))
    except NotImplementedError:
        return None
    return (red * 255.0, green * 255.0, blue * 255.0, alpha)


def over(top: Colour, below: Colour) -> Colour:
    """``top`` painted on an opaque ``below``."""
    alpha = top[3]
    red, green, blue = (top[i] * alpha + below[i] * (1 - alpha) for i in range(3))
    return (red, green, blue, 1.0)


def contrast(one: Colour, other: Colour) -> float:
    """From 1 (the same) to 21."""
    light, dark = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def _luminance(of: Colour) -> float:
    parts = [channel / 255 for channel in of[:3]]
    linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def scale_of(transform: str) -> float:
    """The factor by which areas shrink, as one side: 0 for what is turned or scaled away."""
    product = 1.0
    for name, inside in _FUNCTION.findall(transform):
        numbers = [_number(part) for part in re.split(r"[,\s]+", inside.strip()) if part]
        if not numbers:
            continue
        if name in ("scale", "scale3d"):
            product *= abs(numbers[0] * (numbers[1] if len(numbers) > 1 else numbers[0])) ** 0.5
        elif name in ("scalex", "scaley"):
            product *= abs(numbers[0]) ** 0.5
        elif name == "matrix" and len(numbers) == 6:
            product *= abs(numbers[0] * numbers[3] - numbers[1] * numbers[2]) ** 0.5
        elif name in ("rotatex", "rotatey") and abs(numbers[0]) % 180 == 90:
            product = 0.0
    return product


def _number(text: str) -> float:
    match = re.match(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?", text)
    value = float(match[0]) if match else 1.0
    return value / 100 if text.endswith("%") else value


def moved_by(transform: str, viewport: Viewport) -> tuple[float, float]:
    """Pixels to the right and down; shares of the element's own size count as none."""
    right = down = 0.0
    for name, inside in _FUNCTION.findall(transform):
        parts = [part for part in re.split(r"[,\s]+", inside.strip()) if part]
        pixels = [length(part, em=ROOT_FONT_PX, viewport=viewport) or 0.0 for part in parts]
        if name in ("translate", "translate3d", "translatex") and pixels:
            right += pixels[0]
        if name in ("translate", "translate3d") and len(pixels) > 1:
            down += pixels[1]
        elif name == "translatey" and pixels:
            down += pixels[0]
    return right, down


def clips_all(clip_path: str) -> bool:
    """Whether a ``clip-path`` leaves nothing of any box."""
    match = _FUNCTION.match(clip_path)
    if match is None:
        return False
    shape, inside = match[1], match[2].strip()
    if shape in ("circle", "ellipse"):
        return re.match(r"0(?:px|%)?(?:\s|$)", inside) is not None
    if shape == "polygon":
        return len({" ".join(point.split()) for point in inside.split(",")}) < 3
    if shape != "inset":
        return False
    edges = inside.split(" round ")[0].split()
    shares = [_number(edge) if edge.endswith("%") else 0.0 for edge in edges]
    if not shares:
        return False
    top = shares[0]
    right = shares[1] if len(shares) > 1 else top
    bottom = shares[2] if len(shares) > 2 else top
    left = shares[3] if len(shares) > 3 else right
    return top + bottom >= 1 or left + right >= 1


def clips_rect(clip: str) -> bool:
    """Whether ``clip`` leaves at most one pixel."""
    match = re.match(r"rect\(([^()]*)\)", clip)
    if match is None:
        return False
    edges = [_number(part) for part in re.split(r"[,\s]+", match[1].strip()) if part]
    if len(edges) != 4 or "auto" in match[1]:
        return False
    top, right, bottom, left = edges
    return right - left <= 1 or bottom - top <= 1
