"""One line of inline content: pieces written with their markup, balanced whatever they are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from extractor.render.delimiters import CLOSE, IN, OPEN, OUT, TEXT, Token
from extractor.render.emphasis import settle
from extractor.render.escape import escape_line_start, longest_run
from extractor.render.wraps import MARKS, Wrap

HARD_BREAK = "\\\n"


@dataclass(frozen=True, slots=True)
class Place:
    """Where inline text stands: a table cell, a heading, the term of a definition (each one line)."""

    cell: bool = False
    heading: bool = False
    term: bool = False

    @property
    def one_line(self) -> bool:
        return self.cell or self.heading or self.term


class Piece(NamedTuple):
    """Text to be written: ``body`` where markup is read, ``raw`` inside code; ``fixed`` is not to be cut."""

    body: str
    raw: str
    fixed: bool = False


def break_of(markdown: bool) -> str:
    """What breaks a line inside a block."""
    return HARD_BREAK if markdown else "\n"


def guarded(text: str, place: Place) -> str:
    """Markdown no line of which reads as the beginning of another kind of block."""
    if place.cell or place.heading:
        return text
    return HARD_BREAK.join(map(escape_line_start, text.split(HARD_BREAK)))


class Line:
    """Writes pieces, opening and closing markup between them.

    ``exact=False`` keeps all emphasis and a spare character for each, so that the result is never
    shorter than what the same pieces take beside others.
    """

    def __init__(self, place: Place, *, markdown: bool, exact: bool) -> None:
        self.place, self.markdown, self.exact = place, markdown, exact
        self.line_break = break_of(markdown)
        self.tokens: list[Token] = []
        self.stack: list[tuple[Wrap, int]] = []
        self.pairs = 0
        self.code = ""
        self.glue = ""

    def add(self, glue: str, wraps: tuple[Wrap, ...], piece: Piece) -> None:
        self.glue = "<br>" if "<br>" in (glue, self.glue) or "\n" in glue else glue or self.glue
        if not piece.raw:
            return
        glue, self.glue = self.glue, ""
        kept = 0
        while kept < min(len(wraps), len(self.stack)) and self.stack[kept][0].joins(wraps[kept]):
            kept += 1
        in_code = bool(wraps) and wraps[-1].kind == "code"
        if in_code and self._goes_on(wraps, kept, glue):
            self.code += (" " if glue else "") + piece.raw
            return
        self._close_to(kept)
        if glue and self.tokens:
            self._put(" " if glue == " " or self.place.one_line else self.line_break)
        for wrap in wraps[kept:]:
            self._open(wrap)
        if in_code:
            self.code = piece.raw
        else:
            self._put(piece.body, fixed=piece.fixed)

    def _goes_on(self, wraps: tuple[Wrap, ...], kept: int, glue: str) -> bool:
        """Whether code is part of the span before it: two spans that touch would not be read as two."""
        if kept == len(wraps) == len(self.stack):
            return True
        last = bool(self.stack) and self.stack[-1][0].kind == "code"
        return last and not glue and kept == len(wraps) - 1 == len(self.stack) - 1

    def finish(self) -> str:
        self._close_to(0)
        if not self.markdown:
            return "".join(token.text for token in self.tokens)
        if not self.exact:
            marks = sum(token.kind == OPEN for token in self.tokens)
            return guarded("".join(token.text for token in self.tokens), self.place) + " " * marks
        return guarded("".join(self._joined(settle(self.tokens))), self.place)

    def _joined(self, tokens: list[Token]) -> list[str]:
        """The texts; code spans that touch once marks have gone are one, or they would be misread."""
        texts: list[str] = []
        code = ""
        for token in tokens:
            if not token.text:
                continue
            if code and token.code:
                code += token.code
                texts[-1] = self._span(code)
            else:
                code = token.code
                texts.append(token.text)
        return texts

    def _put(self, text: str, *, kind: str = TEXT, pair: int = -1, fixed: bool = False) -> None:
        self.tokens.append(Token(kind, text, pair, fixed))

    def _open(self, wrap: Wrap) -> None:
        self.pairs += 1
        self.stack.append((wrap, self.pairs))
        if wrap.kind in MARKS:
            self._put(wrap.open, kind=OPEN, pair=self.pairs)
        elif wrap.kind != "code":
            self._put(wrap.open, kind=IN if wrap.kind == "link" else TEXT, fixed=True)

    def _close_to(self, depth: int) -> None:
        while len(self.stack) > depth:
            wrap, pair = self.stack.pop()
            if wrap.kind == "code":
                self._put(self._span(self.code), fixed=True)
                self.tokens[-1].code, self.code = self.code, ""
            elif wrap.kind in MARKS:
                self._put(wrap.close, kind=CLOSE, pair=pair)
            else:
                self._put(wrap.close, kind=OUT if wrap.kind == "link" else TEXT, fixed=True)

    def _span(self, text: str) -> str:
        if not self.markdown:
            return text
        if self.place.cell:
            text = text.replace("|", "\\|")
        fence = "`" * (longest_run(text, "`") + 1)
        pad = " " if text.startswith("`") or text.endswith("`") else ""
        return f"{fence}{pad}{text}{pad}{fence}"
