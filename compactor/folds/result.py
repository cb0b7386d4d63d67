"""A tool's result as its shape: a table, a list, a log, a program, or an outline of any text."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from compactor.cost import serialise
from compactor.folds.code import code_of, path_of
from compactor.folds.files import FOLD_FROM_BYTES, fold_file
from compactor.folds.log import log_of
from compactor.folds.noise import quieted
from compactor.folds.outline import outline
from compactor.folds.rows import table_of
from compactor.folds.stats import described
from compactor.htmlkind import looks_like_html
from compactor.messages import Json
from compactor.trust import one_line

Kind = Literal["file", "table", "log", "code", "noise", "outline"]
#: Characters of a fold, about 200 tokens; of code somewhat more, since its lines are what is looked for.
FOLD_CHARS = 700
CODE_CHARS = 1_600
_CALL_CHARS = 120
#: A text is quieted in place of a fold where that alone takes so much of it away.
_QUIET_SHARE = 0.5


@dataclass(frozen=True, slots=True)
class Fold:
    """A shorter form; ``text`` makes it for the ref of the original."""

    kind: Kind
    text: Callable[[str], str]


def fold_result(text: str, tool: str, given: Json = None, *, always: bool = False) -> Fold | None:
    """The result as its structure; ``None`` if it has none, and ``always`` does not ask for an outline.

    The form says which call made it. HTML is folded as a tree elsewhere, never here. Linear.
    """
    if looks_like_html(text):
        return None
    made = call_line(tool, given)
    path = path_of(given)
    if path and len(text) * 4 >= FOLD_FROM_BYTES and fold_file(path, text, "") != text:
        return Fold("file", lambda ref: fold_file(path, text, ref))
    table = table_of(text)
    if table is not None:
        head = (
            f"[{table.kind} of {len(table.rows):,} rows × {len(table.columns)} columns from {made}"
        )
        return _fold("table", head, described(table, FOLD_CHARS), len(text))
    program = code_of(text, given, CODE_CHARS)
    if program is not None:
        return _fold(
            "code", f"[program text, {program.lines:,} lines, from {made}", program.text, len(text)
        )
    log = log_of(text, FOLD_CHARS)
    if log is not None:
        return _fold("log", f"[log of {log.lines:,} lines from {made}", log.text, len(text))
    quiet = quieted(text)
    if len(quiet) < len(text) * (1 - _QUIET_SHARE):
        return _fold("noise", f"[noise taken out of {made}", quiet, len(text))
    if not always:
        return None
    return _fold("outline", f"[outline of {made}", outline(text, FOLD_CHARS), len(text))


def call_line(tool: str, given: Json) -> str:
    """The call that made a result, on one line."""
    said = given if isinstance(given, str) else "" if not given else serialise(given)
    line = one_line(said)
    if len(line) > _CALL_CHARS:
        line = f"{line[: _CALL_CHARS - 1]}…"
    return f"{tool or 'a tool'}({line})"


def _fold(kind: Kind, head: str, body: str, size: int) -> Fold:
    return Fold(kind, lambda ref: f"{head}, {size:,} characters, ref={ref}]\n{body}")
