"""The table in ``nesting.json``, and what follows from it for each tag."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import NamedTuple

_NAME = re.compile(r"[a-z][a-z0-9._-]*\Z")

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
_ALL = 127


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
ROWS = frozenset({"thead", "tbody", "tfoot"})
CELLS = frozenset({"td", "th"})
#: Under these an element may need a wrapper.
TABLE = ROWS | {"table", "tr"}


class Plan(NamedTuple):
    """How a tag that keeps its name is placed, unless one of the ``forbidden`` bits is open.

    ``under`` are the parents that it needs, ``None`` for any that is no part of a table. Inside it the
    bits are ``bits & keep | add``.
    """

    forbidden: int
    keep: int
    add: int
    under: frozenset[str] | None
    void: bool
    closes_p: bool


@lru_cache(maxsize=1_024)
def plan_of(tag: str) -> Plan | None:
    """The plan of a tag; ``None`` for one that needs a closer look wherever it stands."""
    if tag in RULES.drop or tag in RULES.rename or _NAME.match(tag) is None:
        return None
    if tag in RULES.select_parts or tag in RULES.ruby_parts:
        return None
    if tag in ("select", "textarea", "col", "colgroup"):
        return None
    under = None
    if tag in RULES.table_parts:
        under = ROWS if tag == "tr" else frozenset({"tr" if tag in CELLS else "table"})
    own = inner_bits(0, tag, tag)
    keep = inner_bits(_ALL, tag, tag)
    return Plan(own, keep, own, under, tag in RULES.void, tag in RULES.p_closers)


def inner_bits(bits: int, name: str, tag: str) -> int:
    """The bits inside an element that was ``tag`` and is written as ``name``."""
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


def name_under(bits: int, tag: str, above: str) -> str:
    """The name under which an element may stand where ``bits`` are open, selects and void ones aside."""
    name = RULES.rename.get(tag, tag)
    if _NAME.match(name) is None:
        return "span"
    if name in RULES.headings:
        return "div" if bits & IN_HEADING else name
    if name in RULES.select_parts:
        return name if above in ("select", "optgroup") else "span"
    if name in RULES.ruby_parts:
        return name if above == "ruby" else "span"
    if name == "a" and bits & IN_A or name == "button" and bits & IN_BUTTON:
        return "span"
    if (
        name == "form"
        and bits & IN_FORM
        or name == "li"
        and bits & IN_LI
        or name in RULES.definition_items
        and bits & IN_DEFINITION
    ):
        return "div"
    return name
