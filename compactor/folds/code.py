"""Program text: signatures and the lines in play stay, bodies fold."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from compactor.messages import Json

_NUMBERED = re.compile(r"^\s*(\d+)(?:→|\t|: |\| )(.*)$")
_SIGNATURE = re.compile(
    r"\s*(?:(?:export|default|public|private|protected|static|async|abstract"
    r"|final|pub(?:\([a-z]+\))?|inline|override)\s+)*"
    r"(?:def|class|function|func|fn|interface|struct|enum|trait|impl|type|module|defmodule|defp?|macro|namespace|"
    r"package|const fn|@\w+(?:\.\w+)*\(?|(?:const|let|var)\s+\w+\s*=\s*(?:async\s*)?(?:\(|function))\b"
)
_METHOD = re.compile(
    r"\s{0,8}(?:[\w<>\[\],*&:]+\s+){0,4}[A-Za-z_]\w*\s*\([^;{}]{0,200}\)\s*(?:\{|:|=>|->.*)\s*$"
)
_KEYWORD = re.compile(r"\s*(?:if|for|while|switch|return|else|elif|with|catch|match)\b")
_IMPORT = re.compile(r"\s*(?:import|from|use|using|require|alias|#include)\b")
_SUFFIXES = frozenset(
    "py js ts tsx jsx mjs c h cc cpp hpp rs go java kt rb php cs swift scala ex exs erl hs lua pl sh "
    "vue".split()
)
_LEAST_LINES = 25
_LEAST_SIGNATURES = 2
_LINE = 160


@dataclass(frozen=True, slots=True)
class Program:
    lines: int
    text: str


def code_of(text: str, given: Json, most: int, in_play: Collection[str] = ()) -> Program | None:
    """The program that a text is, as its signatures with their line numbers, in about ``most`` characters.

    ``in_play`` are names: lines that hold one stay, too. ``None`` if it is no program: it has neither a
    path with such an ending in the call, nor signatures all over. Linear.
    """
    lines = text.split("\n")
    if len(lines) < _LEAST_LINES:
        return None
    numbered = [_NUMBERED.match(line) for line in lines]
    share = sum(match is not None for match in numbered) / len(lines)
    if share > 0.8:
        rows = [(int(m[1]), m[2]) for m in numbered if m is not None]
    else:
        rows = list(enumerate(lines, 1))
    signs = [(number, line) for number, line in rows if is_signature(line)]
    named = path_of(given).rpartition(".")[2].lower() in _SUFFIXES
    if len(signs) < _LEAST_SIGNATURES or not named and len(signs) < 0.04 * len(rows):
        return None
    played = [(number, line) for number, line in rows if any(name in line for name in in_play)]
    kept = dict(sorted([*signs, *played]))
    imports = sum(_IMPORT.match(line) is not None for _, line in rows)
    return Program(len(rows), _shown(kept, rows, imports, most))


def is_signature(line: str) -> bool:
    """Whether a line opens a function, class or the like."""
    if _KEYWORD.match(line):
        return False
    return _SIGNATURE.match(line) is not None or _METHOD.match(line[:300]) is not None


def _shown(kept: dict[int, str], rows: Sequence[tuple[int, str]], imports: int, most: int) -> str:
    out = [f"lines {rows[0][0]} to {rows[-1][0]}, {imports} imports; signatures, bodies folded:"]
    room = most - len(out[0])
    left = 0
    for number, line in kept.items():
        said = f"{number}: {line.rstrip()[:_LINE]}"
        if len(said) + 1 > room:
            left += 1
            continue
        out.append(said)
        room -= len(said) + 1
    if left:
        out.append(f"… and {left} more signatures")
    return "\n".join(out)


def path_of(given: Json) -> str:
    """The file that a call names; empty if it names none."""
    if isinstance(given, dict):
        for key in ("file_path", "path", "filename", "file", "p"):
            value = given.get(key)
            if isinstance(value, str) and "." in value:
                return value
    return ""
