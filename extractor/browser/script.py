"""The page scripts as expressions for ``Runtime.evaluate``."""

from __future__ import annotations

import json
import re
import secrets
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from extractor.browser.reach import Reach

#: Name of the isolated world: the init script and the capture share it.
WORLD = "pagefold"

#: In this order in one function scope: what a part uses stands before it.
_PARTS = (
    *("dom", "nesting"),
    *("colour", "gradients", "geometry", "shapes", "rare"),
    *("level", "flow", "space", "canvas", "paint"),
    *("stacking", "grid", "covers", "overlay", "ground", "occlusion", "rules", "verdict"),
    *("collapsed", "runs", "atoms", "drawings", "replaced", "hidden", "slots", "unseen"),
    *("annotate", "generated", "rings", "columns"),
    *("trim", "walk", "shares", "elsewhere", "bounded", "kept"),
)
_CAPTURE_PARTS = (*_PARTS, "driver")
_STEER_PARTS = (*_PARTS, "steer", "opening")
_CHANGES_PARTS = ("dom", "shown", "appearing", "changes")
_CONTROLS_PARTS = ("dom", "naming", "controls", "framed", "hands")
#: What a frame says to the document around it; pages are not to know the word.
_FRAME_SIGN = "pagefold-frame"

#: Comments that have lines of their own, and the white space that lines begin with.
_FOR_READERS = re.compile(
    r"^[ \t]*/\*\*(?:(?!\*/).)*\*/[ \t]*\n|^[ \t]*//[^\n]*\n|^[ \t]+", re.M | re.S
)


def _read(name: str) -> str:
    """A file without what only readers need: the browser parses it anew for every page."""
    text = files("extractor").joinpath("js", f"{name}.js").read_text("utf-8")
    return _FOR_READERS.sub("", text)


@cache
def ready_source() -> str:
    """What runs before the page's own scripts, in the isolated world."""
    return _read("ready")


@cache
def settle_source() -> str:
    """An expression that is the waiting function."""
    return _read("settle")


@cache
def capture_source() -> str:
    """An expression that installs the capture in its world and is the object to call."""
    return _joined(_CAPTURE_PARTS)


@cache
def steer_source() -> str:
    """An expression that installs what scrolls and opens, as ``__pagefoldSteer``."""
    return _joined(_STEER_PARTS)


@cache
def changes_source() -> str:
    """What notes the changes in a tab's document, as ``__pagefoldChanges``; it may run again."""
    return _joined(_CHANGES_PARTS).replace(_FRAME_SIGN, f"pf-{secrets.token_hex(8)}")


@cache
def controls_source() -> str:
    """What lists a tab's controls and finds them again, as ``__pagefoldControls``; it may run again."""
    return _joined(_CONTROLS_PARTS)


@cache
def value_source() -> str:
    """A function that writes a value of the page's as text."""
    return _read("value")


def _joined(names: tuple[str, ...]) -> str:
    body = "\n".join(_read(name) for name in names)
    return f'(() => {{ "use strict";\n{body}\n}})()'


@cache
def _rules() -> str:
    return files("extractor").joinpath("nesting.json").read_text("utf-8")


@dataclass(frozen=True, slots=True)
class CaptureLimits:
    """Of one document: nodes, attributes of one element, and characters of the result.

    ``places``: every element that is shown says where it stands, not only large ones. ``reach``: how far a
    very large document is read; as a whole where it is ``None``.
    """

    max_nodes: int
    max_attributes: int
    max_chars: int
    places: bool = False
    reach: Reach | None = None


def capture_options(limits: CaptureLimits, *, frame_key: str, scripts: bool) -> str:
    """The argument of the capture, as a JSON expression."""
    bounds = {
        "maxNodes": limits.max_nodes,
        "maxAttributes": limits.max_attributes,
        "maxChars": limits.max_chars,
    }
    reach = limits.reach and {
        "elements": limits.reach.elements,
        "room": limits.reach.chars,
        "query": limits.reach.query,
    }
    wishes = {"frameKey": frame_key, "scripts": scripts, "places": limits.places, "reach": reach}
    head = json.dumps({**bounds, **wishes})
    return f'{head[:-1]},"rules":{_rules()}}}'
