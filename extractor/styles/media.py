"""Media and feature queries, answered for one window.

Source: Media Queries Level 4 (``and``, ``or``, ``not``, ranges), CSS Conditional Rules Level 3.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

_FEATURE = re.compile(r"(min-|max-)?([a-z-]+)\s*(?::\s*([^()]*?))?\s*\Z")
_RANGE = re.compile(
    r"(?:(?P<low>[\d.]+[a-z]*)\s*(?P<lop><=?)\s*)?(?P<name>width|height)\s*"
    r"(?:(?P<op><=?|>=?|=)\s*(?P<high>[\d.]+[a-z]*))?\s*\Z"
)
_LENGTH = re.compile(r"([\d.]+)\s*(px|em|rem|pt|in|cm|)\Z")
_PX = {"px": 1.0, "": 1.0, "em": 16.0, "rem": 16.0, "pt": 96 / 72, "in": 96.0, "cm": 96 / 2.54}
_INNERMOST = re.compile(r"\(([^()]*)\)")
_WORD = re.compile(r"[a-z01-]+")
#: What holds of a desktop browser in which nothing was set: by feature, the values that match.
_DISCRETE = {
    "orientation": {"landscape"},
    "hover": {"hover", ""},
    "any-hover": {"hover", ""},
    "pointer": {"fine", ""},
    "any-pointer": {"fine", ""},
    "prefers-color-scheme": {"light"},
    "prefers-reduced-motion": {"no-preference"},
    "prefers-contrast": {"no-preference"},
    "prefers-reduced-transparency": {"no-preference"},
    "forced-colors": {"none"},
    "inverted-colors": {"none"},
    "scripting": {"none"},
    "display-mode": {"browser"},
    "update": {"fast", ""},
    "color": {"", "8"},
    "grid": {"0"},
}


@dataclass(frozen=True, slots=True)
class Viewport:
    """The window in CSS pixels."""

    width: int = 1280
    height: int = 900


@lru_cache(maxsize=4096)
def media_matches(query: str, viewport: Viewport) -> bool:
    """Whether a media query list holds. What is not understood does not hold."""
    return any(_one(part.strip().lower(), viewport) for part in query.split(","))


def _one(query: str, viewport: Viewport) -> bool:
    if not query:
        return True
    while True:
        match = _INNERMOST.search(query)
        if match is None:
            break
        inside = match[1].strip()
        held = _condition(inside) if _is_condition(inside) else _feature(inside, viewport)
        query = f"{query[: match.start()]} {int(held)} {query[match.end() :]}"
    return _condition(query)


def _is_condition(text: str) -> bool:
    return all(word in ("and", "or", "not", "0", "1") for word in text.split())


def _condition(text: str) -> bool:
    """Words ``0``, ``1``, ``and``, ``or``, ``not`` and media types, from left to right."""
    words = [word for word in _WORD.findall(text) if word != "only"]
    whole_not = bool(words) and words[0] == "not"
    result: bool | None = None
    joined, negated = "and", False
    for word in words[1:] if whole_not else words:
        if word in ("and", "or"):
            joined = word
        elif word == "not":
            negated = True
        else:
            value = word in ("1", "all", "screen")
            value = value != negated
            negated = False
            result = value if result is None else _join(joined, result, value)
    return (result is not False) != whole_not


def _join(how: str, left: bool, right: bool) -> bool:
    return left and right if how == "and" else left or right


def _feature(text: str, viewport: Viewport) -> bool:
    size = {"width": viewport.width, "height": viewport.height}
    match = _FEATURE.match(text)
    if match is None:
        return _range(text, size)
    bound, name, value = match[1], match[2].removeprefix("device-"), (match[3] or "").strip()
    if name in size:
        limit = _px(value)
        if limit is None:
            return not value and bound is None
        actual = size[name]
        return actual >= limit if bound == "min-" else actual <= limit if bound else actual == limit
    if bound is None and name in _DISCRETE:
        return value in _DISCRETE[name]
    return False


def _range(text: str, size: dict[str, int]) -> bool:
    match = _RANGE.match(text)
    if match is None:
        return False
    actual = size[match["name"]]
    held = True
    if match["low"]:
        low = _px(match["low"])
        held = low is not None and (low < actual or match["lop"] == "<=" and low == actual)
    if match["high"]:
        high = _px(match["high"])
        sign = match["op"]
        equal = "=" in sign and actual == high
        held = (
            held
            and high is not None
            and (equal or sign[0] == "<" and actual < high or sign[0] == ">" and actual > high)
        )
    return held


def _px(value: str) -> float | None:
    match = _LENGTH.match(value)
    try:
        return float(match[1]) * _PX[match[2]] if match else None
    except ValueError:
        return None


def supports_matches(condition: str) -> bool:
    """Whether a browser of today would apply an ``@supports`` block: yes, unless it asks for a lack."""
    return not condition.lower().lstrip("( ").startswith("not")
