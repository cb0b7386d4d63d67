"""Which rules are worth looking at: properties that are judged together, and what may hide text by them."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from extractor.styles.declarations import colour_word
from extractor.styles.values import WHITE, Colour, colour, contrast, over

_INK = re.compile(r"(?<![\w-])(?:-webkit-text-fill-)?color\s*:\s*([^;!]+)", re.I)
_GROUND = re.compile(r"(?<![\w-])background(?:-color)?\s*:\s*([^;!]+)", re.I)
#: Contrast under which text cannot be read.
FAINT = 1.2


@dataclass(frozen=True, slots=True)
class Group:
    """Properties that are judged together.

    ``may_hide`` tells whether a block may hide text: only where one does are the other blocks that
    ``mention`` the properties looked at, which is what makes large sheets that hide nothing cost nothing.
    ``hint`` finds a place in all that hides, in lower case, and perhaps more, in many blocks at once:
    written to begin with plain letters, which are looked for fastest. Where none of the ``words`` stands
    it finds nothing.
    """

    may_hide: Callable[[str], object]
    hint: re.Pattern[str]
    words: tuple[str, ...]
    properties: frozenset[str]
    mention: re.Pattern[str]


def _pattern(choices: str, after: str = "") -> re.Pattern[str]:
    return re.compile(rf"(?<![\w-])(?:{choices}){after}", re.I)


def _group(trigger: str, properties: str, words: str, hint: str = "") -> Group:
    """``words`` are those of which each choice of ``trigger`` has one, ``hint`` what each has in it."""
    names = frozenset(properties.split())
    mention = _pattern("|".join(names), r"\s*:")
    found = re.compile(hint or trigger)
    return Group(_pattern(trigger).search, found, tuple(words.split()), names, mention)


def _blends(body: str, ground_unsaid: Colour | None) -> bool:
    """Whether a block declares text in the colour of its ground. Only its first few colours are read."""
    grounds = [colour(colour_word(value.strip().lower())) for value in _GROUND.findall(body)[-2:]]
    for value in _INK.findall(body)[-2:]:
        ink = colour(value.strip().lower())
        if ink is not None and (
            ink[3] < 0.05 or any(map(partial(_alike, ink), grounds or [ground_unsaid]))
        ):
            return True
    return False


def _alike(ink: Colour, ground: Colour | None) -> bool:
    return ground is not None and contrast(over(ink, ground), ground) < FAINT


def _colours(ground_unsaid: Colour | None) -> Group:
    names = frozenset(
        "color background background-color background-image -webkit-text-fill-color text-shadow "
        "-webkit-text-stroke -webkit-text-stroke-width background-clip -webkit-background-clip "
        "position".split()
    )
    mention = _pattern("|".join(names), r"\s*:")
    blends = partial(_blends, ground_unsaid=ground_unsaid)
    return Group(blends, re.compile(r"color\s*:"), ("color",), names, mention)


GROUPS = (
    _group(r"display\s*:\s*none", "display", "none"),
    _group(r"visibility\s*:\s*(?:hidden|collapse)", "visibility", "visibility"),
    _group(
        r"opacity\s*:\s*(?:0|\.0|-|\d%)|filter\s*:[^;]*opacity\(",
        "opacity filter animation animation-name transition",
        "opacity",
        r"opacity(?:\(|\s*:\s*(?:0|\.0|-|\d%))",
    ),
    _group(
        r"font-size\s*:\s*[0-2.]|font\s*:[^;]*?(?<![\w.-])[0-2](?:\.\d+)?(?:px|/|\s)",
        "font-size font",
        "font",
        r"font(?:-size\s*:\s*[0-2.]|\s*:[^;]*?[0-2])",
    ),
    _group(r"text-indent\s*:\s*-", "text-indent", "text-indent"),
    _group(
        r"(?:left|top|inset|margin|margin-left|margin-top|margin-inline-start)\s*:[^;]*-\d{3}"
        r"|transform\s*:[^;]*translate[^;]*-\d{3,}|inset-inline-start\s*:\s*-",
        "position left top inset inset-inline-start margin margin-left "
        "margin-top margin-inline-start transform",
        "left top inset margin transform",
        r"-(?:\d{3}|start\s*:\s*-)",
    ),
    _group(
        r"clip\s*:\s*rect|(?:-webkit-)?clip-path\s*:\s*(?:inset|circle|ellipse|polygon|rect)",
        "clip clip-path -webkit-clip-path position width height overflow overflow-x overflow-y",
        "clip",
        r"clip(?:\s*:\s*rect|-path\s*:\s*[icepr])",
    ),
    _group(
        r"(?:max-)?(?:height|width)\s*:\s*(?:0|1px)(?![\d.])",
        "overflow overflow-x overflow-y height width max-height max-width min-height min-width position",
        "height width",
        r":\s*(?:0|1px)(?![\d.])",
    ),
    _group(r"content-visibility\s*:\s*hidden", "content-visibility", "content-visibility"),
    _group(
        r"transform\s*:[^;]*(?:scale|matrix|rotate)|scale\s*:\s*0",
        "transform scale animation animation-name transition",
        "transform scale",
        r"scale|matrix|rotate",
    ),
    _group(
        r"white-space(?:-collapse)?\s*:\s*(?:pre|break|preserve)",
        "white-space white-space-collapse",
        "white-space",
    ),
)
#: For a page of which all sheets are known, and for one with sheets that were not fetched: there the ground
#: of a text is known only where one block declares both.
GROUPS_OF_WHOLE = (*GROUPS, _colours(WHITE))
GROUPS_OF_PART = (*GROUPS, _colours(None))
