"""Declarations that say something of visibility, parsed by tinycss2 and brought to one spelling."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

import tinycss2

#: Longest declaration block that is read; longer ones hold pictures or are meant to cost time.
_MAX_BODY = 20_000
_SIDES = ("top", "right", "bottom", "left")


@dataclass(frozen=True, slots=True)
class Declaration:
    """One property with its value in lower case."""

    name: str
    value: str
    important: bool


#: What ``computed`` reads, after shorthands have been taken apart.
READ = frozenset(
    "display visibility opacity filter animation animation-name font-size text-indent position left top "
    "right bottom margin-left margin-top transform scale clip clip-path width height max-width max-height "
    "min-width min-height overflow-x overflow-y content-visibility color background-color background-image "
    "text-fill-color text-shadow text-stroke text-stroke-width background-clip white-space "
    "white-space-collapse".split()
)
#: What is taken apart, or renamed, into one of those.
_SHORTHANDS = frozenset(
    "inset margin overflow font background inset-inline-start margin-inline-start".split()
)
#: Blocks with none of these are cut at semicolons; the others need a tokeniser.
_TOKENS = re.compile(r"""["'\\{}\[\]@<]|/\*""")
_IMPORTANT = re.compile(r"!\s*important\s*\Z")


@lru_cache(maxsize=20_000)
def declarations_of(body: str) -> tuple[Declaration, ...]:
    """All declarations of a block, shorthands that matter taken apart; what does not parse is left out."""
    if "{" in body:
        return ()
    plain = None if _TOKENS.search(body) else _plain(body.lower())
    return _tokenised(body) if plain is None else plain


def _plain(body: str) -> tuple[Declaration, ...] | None:
    """The declarations of a block without strings, comments and blocks; ``None`` where brackets hold a
    semicolon."""
    found: list[Declaration] = []
    for part in body[:_MAX_BODY].split(";"):
        if part.count("(") != part.count(")"):
            return None
        name, colon, value = part.partition(":")
        name = name.strip()
        known = name.removeprefix("-webkit-")
        if not colon or known not in READ and known not in _SHORTHANDS:
            continue
        bang = _IMPORTANT.search(value) if "!" in value else None
        value = " ".join((value[: bang.start()] if bang else value).split())
        found += _taken_apart(Declaration(name, value, bang is not None))
    return tuple(item for item in found if item.name in READ)


def _tokenised(body: str) -> tuple[Declaration, ...]:
    found: list[Declaration] = []
    for item in tinycss2.parse_blocks_contents(
        body[:_MAX_BODY], skip_comments=True, skip_whitespace=True
    ):
        if item.type == "declaration":
            value = " ".join(tinycss2.serialize(item.value).lower().split())
            found += _taken_apart(Declaration(item.lower_name, value, item.important))
    return tuple(item for item in found if item.name in READ)


def _taken_apart(given: Declaration) -> list[Declaration]:
    name, value = given.name.removeprefix("-webkit-"), given.value
    if name in ("inset", "margin") and value:
        parts = value.split()
        if len(parts) <= 4:
            top = parts[0]
            right = parts[1] if len(parts) > 1 else top
            left = parts[3] if len(parts) > 3 else right
            bottom = parts[2] if len(parts) > 2 else top
            prefix = "margin-" if name == "margin" else ""
            values = zip(_SIDES, (top, right, bottom, left), strict=True)
            return [Declaration(prefix + side, part, given.important) for side, part in values]
    if name == "overflow":
        parts = value.split()
        return [
            Declaration("overflow-x", parts[0] if parts else "", given.important),
            Declaration("overflow-y", parts[-1] if parts else "", given.important),
        ]
    if name == "font":
        size = next((part for part in value.split() if part[:1].isdigit() or part[:1] == "."), "")
        size = size.split("/")[0]
        # A number alone is a weight; zero may be the size.
        if size.isdigit() and int(size) >= 100:
            rest = value.split()
            later = rest[rest.index(size) + 1 :] if size in rest else []
            size = next((part for part in later if part[:1].isdigit()), "").split("/")[0]
        return [Declaration("font-size", size, given.important)] if size else []
    if name == "background":
        return _background(value, given.important)
    if name in ("inset-inline-start", "margin-inline-start"):
        side = "left" if name.startswith("inset") else "margin-left"
        return [Declaration(side, value, given.important)]
    return [Declaration(name, value, given.important)]


def _background(value: str, important: bool) -> list[Declaration]:
    """Colour and picture of a ``background``; what is left out is set back, as the shorthand does."""
    picture = "url(" in value or "gradient(" in value or "image" in value
    colour = "" if picture else colour_word(value)
    return [
        Declaration("background-color", colour or ("?" if picture else "transparent"), important),
        Declaration("background-image", "?" if picture else "none", important),
    ]


_COLOUR = re.compile(
    r"#[0-9a-f]{3,8}(?![\w-])|(?:rgb|hsl|hwb|lab|lch|oklab|oklch|color)a?\([^()]*\)|var\([^()]*\)"
)
_NOT_COLOURS = frozenset(
    "none repeat no-repeat repeat-x repeat-y space round fixed local scroll center left right top bottom "
    "border-box padding-box content-box text cover contain auto initial inherit unset revert".split()
)


def colour_word(value: str) -> str:
    """The colour in a ``background``; empty where there is none."""
    match = _COLOUR.search(value)
    if match:
        return match[0]
    words = [word for word in value.replace("/", " ").split() if word.isalpha()]
    return next((word for word in words if word not in _NOT_COLOURS), "")
