"""Emphasis that CommonMark reads as it was meant, whatever stands beside it.

``**「港」**は`` is no emphasis to a parser: the rules of flanking look at the characters on either side.
So the delimiters of a line are matched here as a parser would (CommonMark 0.31, "Process emphasis");
where the result is not what was meant, punctuation moves out of the marks, and if that does not help
the marks go. Text is never lost.
"""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

import regex

TEXT, OPEN, CLOSE, IN, OUT = "text", "open", "close", "in", "out"
#: After this many repairs of one line its emphasis is given up.
MAX_REPAIRS = 12
_MARKS = r"(?:(?:\\[!-/:-@\[-`{-~]|[\p{P}\p{Z}\p{Sm}\p{Sc}\s--[_\\]])(?![\p{M}\u200d]))+"
_LEADING = regex.compile(_MARKS, regex.V1)
_TRAILING = regex.compile(_MARKS + r"\Z", regex.V1)


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


def settle(tokens: list[Token]) -> list[Token]:
    """The tokens, with marks moved or taken out until a parser reads what was meant."""
    for _ in range(MAX_REPAIRS):
        if not any(token.kind == OPEN for token in tokens):
            return tokens
        bad = _misread(tokens, symbols=True)
        bad = _misread(tokens, symbols=False) if bad is None else bad
        if bad is None:
            return tokens
        tokens = _moved(tokens, bad) or _without(tokens, bad)
    return [token for token in tokens if token.kind not in (OPEN, CLOSE)]


def _misread(tokens: list[Token], *, symbols: bool) -> int | None:
    """A pair of marks that a parser would not read as meant; ``None`` when all is well.

    ``symbols``: whether symbols count as punctuation; parsers differ in that.
    """
    meant, read = Counter[str](), Counter[str]()
    starts, ends = _matches(tokens, symbols=symbols)
    open_pairs: list[int] = []
    for index, token in enumerate(tokens):
        read.update(starts.get(index, ()))
        read.subtract(ends.get(index, ()))
        if token.kind == OPEN:
            meant[token.text] += 1
            open_pairs.append(token.pair)
        elif token.kind == CLOSE:
            meant[token.text] -= 1
            open_pairs.remove(token.pair)
        elif token.kind == TEXT and token.text.strip():
            for mark in ("*", "**", "~~"):
                if bool(meant[mark]) != bool(read[mark]):
                    return open_pairs[-1] if open_pairs else _nearest(tokens, index)
    left = starts.get(-1)
    return int(left[0]) if left else None


def _nearest(tokens: list[Token], index: int) -> int:
    """The last pair that closed before a token, or the first one after it."""
    before = [token.pair for token in tokens[:index] if token.kind == CLOSE]
    return before[-1] if before else next(t.pair for t in tokens[index:] if t.kind == OPEN)


def _matches(
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


def _moved(tokens: list[Token], pair: int) -> list[Token] | None:
    """Punctuation and spaces at the inner edges of a pair moved out of it; ``None`` if there are none."""
    first, last = (index for index, token in enumerate(tokens) if token.pair == pair)
    out = list(tokens)
    inner, final = tokens[first + 1], tokens[last - 1]
    if inner.kind != TEXT or final.kind != TEXT or inner.fixed or final.fixed:
        return None
    tail = _TRAILING.search(final.text)
    if tail:
        out[last - 1] = Token(TEXT, final.text[: tail.start()])
        out.insert(last + 1, Token(TEXT, tail.group()))
    head = _LEADING.match(out[first + 1].text)
    if head:
        out[first + 1] = Token(TEXT, out[first + 1].text[head.end() :])
        out.insert(first, Token(TEXT, head.group()))
    if not head and not tail:
        return None
    return out if any(t.text.strip() for t in tokens[first + 1 : last] if t.kind == TEXT) else None


def _without(tokens: list[Token], pair: int) -> list[Token]:
    return [token for token in tokens if token.pair != pair]
