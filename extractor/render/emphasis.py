"""Emphasis that CommonMark reads as it was meant, whatever stands beside it.

``**「港」**は`` is no emphasis to a parser: the rules of flanking look at the characters on either side.
So the delimiters of a line are matched here as a parser would (CommonMark 0.31, "Process emphasis");
where the result is not what was meant, punctuation moves out of the marks, and if that does not help
the marks go. Text is never lost.
"""

from __future__ import annotations

from collections import Counter

import regex

from extractor.render.delimiters import CLOSE, OPEN, TEXT, Token, matches

#: After this many repairs of one line its emphasis is given up.
MAX_REPAIRS = 12
_MARKS = r"(?:(?:\\[!-/:-@\[-`{-~]|[\p{P}\p{Z}\p{Sm}\p{Sc}\s--[_\\]])(?![\p{M}\u200d]))+"
_LEADING = regex.compile(_MARKS, regex.V1)
_TRAILING = regex.compile(_MARKS + r"\Z", regex.V1)


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
    starts, ends = matches(tokens, symbols=symbols)
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
