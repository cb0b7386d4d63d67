"""Cut a style sheet into rules, those that do not apply left out.

Only braces, strings and comments are read here, so that a large sheet costs little; what stands inside the
rules that matter is parsed by tinycss2 (``declarations``).

Source: CSS Syntax Level 3, CSS Nesting Level 1, CSS Cascade Level 5 (layers).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from extractor.styles.media import Viewport, media_matches, supports_matches

_STRING = re.compile(r"""\\.|"(?:[^"\\\n]|\\.)*"?|'(?:[^'\\\n]|\\.)*'?""", re.S)
_BRACES = re.compile(r"[{};]")
_BLOCK = re.compile(r"([{}])")
_AT = re.compile(r"@([a-z-]+)\s*(.*)\Z", re.I | re.S)
#: Longest selector that nesting may build.
_MAX_NESTED = 2_000
#: Rules that do not belong to any layer come after all layers.
UNLAYERED = 1 << 30


class Rule(NamedTuple):
    """One style rule that applies: selectors and declarations as written, and the rank of its layer."""

    selectors: str
    body: str
    layer: int


class _Frame(NamedTuple):
    """A block that is open: the selectors that its declarations belong to, and whether it applies."""

    selectors: str
    active: bool
    layer: int


@dataclass(slots=True)
class Scanner:
    """Reads the sheets of one document, one after the other; layers are shared by all of them."""

    viewport: Viewport
    layers: dict[str, int] = field(default_factory=dict)
    #: How many blocks were passed over because they are not understood here.
    skipped: int = 0

    def rules(self, sheet: str, media: str = "") -> Iterator[Rule]:
        """The rules of a sheet that apply, in order. Linear."""
        sheet = _plain(sheet)
        stack = [_Frame("", not media or media_matches(media, self.viewport), UNLAYERED)]
        pieces = _BLOCK.split(sheet)
        for text, brace in zip(pieces[::2], pieces[1::2], strict=False):
            top = stack[-1]
            if brace == "{":
                before, _, prelude = text.rpartition(";")
                if before and top.selectors and top.active:
                    yield Rule(top.selectors, before, top.layer)
                elif before and not top.selectors:
                    self._statements(before)
                stack.append(self._opened(prelude.strip(), top))
                continue
            if text and top.selectors and top.active and not text.isspace():
                yield Rule(top.selectors, text, top.layer)
            if len(stack) > 1:
                stack.pop()

    def _opened(self, prelude: str, above: _Frame) -> _Frame:
        if not prelude.startswith("@"):
            selectors = _nested(prelude, above.selectors)
            bearable = len(selectors) <= _MAX_NESTED or not above.selectors
            return _Frame(selectors if bearable else "*", above.active and bearable, above.layer)
        if not above.active:
            return above
        found = _AT.match(prelude)
        name, rest = (found[1].lower(), found[2].strip()) if found else ("", "")
        if name == "media":
            return _Frame(above.selectors, media_matches(rest, self.viewport), above.layer)
        if name == "supports":
            return _Frame(above.selectors, supports_matches(rest), above.layer)
        if name == "layer":
            return _Frame(above.selectors, True, self._layer(rest))
        self.skipped += name in ("container", "scope", "")
        return _Frame("", False, above.layer)

    def _layer(self, name: str) -> int:
        return self.layers.setdefault(name or f"#{len(self.layers)}", len(self.layers))

    def _statements(self, text: str) -> None:
        """``@layer a, b;`` sets the order of layers; other statements say nothing here."""
        for statement in text.split(";"):
            found = _AT.match(statement.strip())
            if found and found[1].lower() == "layer":
                for name in found[2].split(","):
                    self._layer(name.strip())


def _plain(sheet: str) -> str:
    """Without comments, and without the braces and semicolons that stand in strings."""
    if "/*" in sheet:
        sheet = _without_comments(sheet)
    if '"' in sheet or "'" in sheet or "\\" in sheet:
        sheet = _STRING.sub(lambda match: _BRACES.sub("_", match[0]), sheet)
    return sheet


def _without_comments(sheet: str) -> str:
    out, at = [], 0
    while (start := sheet.find("/*", at)) >= 0:
        out.append(sheet[at:start])
        stop = sheet.find("*/", start + 2)
        if stop < 0:
            return " ".join(out)
        at = stop + 2
    return " ".join([*out, sheet[at:]])


def _nested(prelude: str, around: str) -> str:
    if not around:
        return prelude
    if "&" in prelude:
        return prelude.replace("&", f":is({around})")
    return f":is({around}) {prelude}"
