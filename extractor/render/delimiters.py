"""Which emphasis a CommonMark parser would read in a line (CommonMark 0.31, "Process emphasis")."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass

TEXT, OPEN, CLOSE, IN, OUT = "text", "open", "close", "in", "out"


@dataclass(slots=True)
class Token:
    """A piece of a line. ``kind`` is text, a mark that opens or closes (``pair`` joins the two), or the
    edge (in, out) of a link, whose inside is matched by itself. ``fixed`` text is not to be cut;
    ``code`` is what a code span holds."""

    kind: str
    text: str
    pair: int = -1
    fixed: bool = False
    code: str = ""


@dataclass(slots=True)
class _Run:
    """A delimiter run: ``at`` is the index of the token of each of its characters."""

    char: str
    at: list[int]
    opens: bool
    closes: bool
    length: int


def matches(
    tokens: list[Token], *, symbols: bool
) -> tuple[dict[int, list[str]], dict[int, list[str]]]:
    """Marks that a parser starts and ends at each token; under -1 the pairs whose marks stay text."""
    starts: dict[int, list[str]] = {}
    ends: dict[int, list[str]] = {}
    for runs in _contexts(tokens, symbols=symbols):
        for opener, closer, size in _pairs(runs):
            mark = opener.char * size
            first, last = opener.at[-1], closer.at[0]
            del opener.at[-size:], closer.at[:size]
            starts.setdefault(first, []).append(mark)
            ends.setdefault(last, []).append(mark)
        for run in runs:
            starts.setdefault(-1, []).extend(str(tokens[index].pair) for index in run.at)
    return starts, ends


def _pairs(runs: list[_Run]) -> Iterator[tuple[_Run, _Run, int]]:
    """Openers with their closers, innermost first; the caller takes the characters out."""
    bottom: dict[tuple[str, bool, int], int] = {}
    for position, closer in enumerate(runs):
        kind = (closer.char, closer.opens, closer.length % 3)
        while closer.closes and closer.at:
            opener = _opener(runs, position, bottom.get(kind, 0))
            if opener is None:
                bottom[kind] = position
                break
            size = 2 if len(runs[opener].at) >= 2 and len(closer.at) >= 2 else 1
            if closer.char == "~" and size == 1:
                break
            for skipped in runs[opener + 1 : position]:
                skipped.opens = skipped.closes = False
            yield runs[opener], closer, size


def _opener(runs: list[_Run], position: int, bottom: int) -> int | None:
    closer = runs[position]
    for index in range(position - 1, bottom - 1, -1):
        run = runs[index]
        if run.char != closer.char or not run.opens or not run.at:
            continue
        both = run.closes or closer.opens
        odd = (run.length + closer.length) % 3 == 0 and (run.length % 3 or closer.length % 3)
        if not (both and odd):
            return index
    return None


def _contexts(tokens: list[Token], *, symbols: bool) -> Iterator[list[_Run]]:
    """The delimiter runs outside links, and inside each."""
    outer: list[_Run] = []
    current, touching = outer, False
    edges = _edges(tokens)
    for index, token in enumerate(tokens):
        if token.kind in (OPEN, CLOSE):
            if touching and current and current[-1].char == token.text[0]:
                current[-1].at += [index] * len(token.text)
            else:
                current.append(_Run(token.text[0], [index] * len(token.text), False, False, 0))
            touching = True
            continue
        if token.text:
            touching = False
        if token.kind == IN:
            current = []
        elif token.kind == OUT:
            yield _flanked(current, edges, symbols=symbols)
            current = outer
    yield _flanked(outer, edges, symbols=symbols)


def _edges(tokens: list[Token]) -> list[tuple[str, str]]:
    """For each token the character that stands before it and the one after it."""
    before, after = [" "] * len(tokens), [" "] * len(tokens)
    last = " "
    for index, token in enumerate(tokens):
        before[index] = last
        last = token.text[-1:] or last
    last = " "
    for index in range(len(tokens) - 1, -1, -1):
        after[index] = last
        last = tokens[index].text[:1] or last
    return list(zip(before, after, strict=True))


def _flanked(runs: list[_Run], edges: list[tuple[str, str]], *, symbols: bool) -> list[_Run]:
    for run in runs:
        before, after = edges[run.at[0]][0], edges[run.at[-1]][1]
        space, space_after = before.isspace(), after.isspace()
        mark, mark_after = _is_mark(before, symbols), _is_mark(after, symbols)
        run.opens = not space_after and (not mark_after or space or mark)
        run.closes = not space and (not mark or space_after or mark_after)
        run.length = len(run.at)
    return runs


def _is_mark(char: str, symbols: bool) -> bool:
    if char.isascii():
        return not char.isalnum() and not char.isspace()
    return unicodedata.category(char)[0] in ("PS" if symbols else "P")
