"""Which parts of a table may stand where, and what must be opened around the rest."""

from __future__ import annotations

from extractor.nesting.rules import CELLS, ROWS, RULES

#: White space between the parts of these says nothing.
STRUCTURE = frozenset({"table", "thead", "tbody", "tfoot", "tr", "select", "optgroup", "html"})


def is_legal_part(name: str, above: str) -> bool:
    """Whether a part of a table may stand right under ``above``."""
    if name in ("caption", "thead", "tbody", "tfoot"):
        return above == "table"
    if name == "tr":
        return above in ROWS
    return name in CELLS and above == "tr"


def suits(name: str, wrapper: str) -> bool:
    """Whether ``name`` goes on inside an implied wrapper that is still open."""
    if wrapper in ROWS:
        return name == "tr" or name in CELLS or name not in RULES.table_parts
    if wrapper == "tr":
        return name in CELLS or name not in RULES.table_parts
    return name not in RULES.table_parts


def wrappers(name: str, above: str) -> tuple[str, ...]:
    """The table parts that must be opened between ``above`` and ``name``."""
    if above == "table":
        if name in ("caption", "thead", "tbody", "tfoot"):
            return ()
        if name == "tr":
            return ("tbody",)
        return ("tbody", "tr") if name in CELLS else ("tbody", "tr", "td")
    if above in ROWS:
        if name == "tr":
            return ()
        return ("tr",) if name in CELLS else ("tr", "td")
    if above == "tr":
        return () if name in CELLS else ("td",)
    return ()
