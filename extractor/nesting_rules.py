"""What of HTML may stand where: the table in ``nesting.json``, and what follows from it for one element.

Source of the parsing rules: WHATWG HTML, "Parsing HTML documents", tree construction.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from importlib.resources import files

from extractor.tree import Attrs

_ATTRIBUTE = re.compile(r"[a-z_][a-z0-9_.:-]*\Z")
_BAD_TEXT = re.compile("[\r\0\ud800-\udfff]")
_ROWS = frozenset({"thead", "tbody", "tfoot"})
_CELLS = frozenset({"td", "th"})

# What is open above the current element, as bits.
IN_A, IN_BUTTON, IN_FORM, IN_HEADING, IN_LI, IN_DEFINITION, IN_BAD_SELECT = (
    1,
    2,
    4,
    8,
    16,
    32,
    64,
)


@dataclass(frozen=True, slots=True)
class Rules:
    """The table in ``nesting.json``."""

    void: frozenset[str]
    drop: frozenset[str]
    rename: dict[str, str]
    headings: frozenset[str]
    p_closers: frozenset[str]
    list_scope: frozenset[str]
    definition_scope: frozenset[str]
    definition_items: frozenset[str]
    table_parts: frozenset[str]
    select_parts: frozenset[str]
    ruby_parts: frozenset[str]
    max_depth: int


def _load() -> Rules:
    raw = json.loads(files("extractor").joinpath("nesting.json").read_text("utf-8"))
    fields = {name: frozenset(raw[name]) for name in Rules.__slots__ if isinstance(raw[name], list)}
    return Rules(rename=raw["rename"], max_depth=raw["max_depth"], **fields)


RULES = _load()


def clean_text(data: str) -> str:
    """CR and CR LF become LF; NUL and lone surrogates become U+FFFD."""
    if _BAD_TEXT.search(data) is None:
        return data
    data = data.replace("\r\n", "\n").replace("\r", "\n")
    return _BAD_TEXT.sub("\ufffd", data)


def legal_part(name: str, above: str) -> bool:
    if name in ("caption", "thead", "tbody", "tfoot"):
        return above == "table"
    if name == "tr":
        return above in _ROWS
    return name in _CELLS and above == "tr"


def suits(name: str, wrapper: str) -> bool:
    """Whether ``name`` goes on inside an implied wrapper that is still open."""
    if wrapper in _ROWS:
        return name == "tr" or name in _CELLS or name not in RULES.table_parts
    if wrapper == "tr":
        return name in _CELLS or name not in RULES.table_parts
    return name not in RULES.table_parts


def wrappers(name: str, above: str) -> tuple[str, ...]:
    """The table parts that must be opened between ``above`` and ``name``."""
    if above == "table":
        if name in ("caption", "thead", "tbody", "tfoot"):
            return ()
        if name == "tr":
            return ("tbody",)
        return ("tbody", "tr") if name in _CELLS else ("tbody", "tr", "td")
    if above in _ROWS:
        if name == "tr":
            return ()
        return ("tr",) if name in _CELLS else ("tr", "td")
    if above == "tr":
        return () if name in _CELLS else ("td",)
    return ()


def inner_bits(bits: int, name: str, tag: str) -> int:
    if name == "a":
        return bits | IN_A
    if name == "button":
        return bits | IN_BUTTON
    if name == "form":
        return bits | IN_FORM
    if name in RULES.headings:
        return bits | IN_HEADING
    if name == "li":
        return bits | IN_LI
    if name in RULES.list_scope:
        return bits & ~IN_LI
    if name in RULES.definition_items:
        return bits | IN_DEFINITION
    if name in RULES.definition_scope:
        return bits & ~IN_DEFINITION
    if tag == "select":
        return bits | IN_BAD_SELECT
    return bits


def kept_attributes(raw: Attrs | None, renamed_from: str | None) -> Attrs | None:
    """Attributes that can be written and read back; ``data-pf-tag`` for a renamed element."""
    kept: Attrs = {}
    if renamed_from is not None and not (raw and "data-pf-tag" in raw):
        kept["data-pf-tag"] = clean_text(renamed_from)
    for name, value in (raw or {}).items():
        if _ATTRIBUTE.match(name) is not None and not name.startswith("on"):
            kept[name] = clean_text(value)
    return kept or None
