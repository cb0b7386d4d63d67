"""What a session knows of what it took out: refs in a text, the originals behind them, what is in view."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

import regex

from compactor.archive import Archive
from compactor.books import Books
from compactor.cost import serialise
from compactor.errors import ArtifactCorrupt, NotFound, RefGone
from compactor.facts import Facts, listing, texts_of
from compactor.kit import Kit
from compactor.messages import CLEARED, Block, Json
from compactor.origins import Origin
from compactor.state import State
from compactor.survival import Survival, lasted

_REF = regex.compile(r"\bref=(a:[0-9a-f]{8,64})\b")


class Lookup:
    """The reading half of a session; it changes nothing."""

    archive: Archive
    _state: State
    _books: Books
    _kit: Kit

    def refs(self, text: str) -> tuple[str, ...]:
        """Refs in a text that this session can expand; look-alikes are left out."""
        found = dict.fromkeys(match.group(1) for match in _REF.finditer(text))
        return tuple(ref for ref in found if ref in self._books.refs)

    def expand(self, ref: str) -> Json:
        """The exact original behind a ref: a text, or a message or block as a JSON value; behind that of a
        span the list of all its messages.

        Raises:
            NotFound: this session has no such ref.
            RefGone: the archive has it no more, or its bytes do not match their hash; the error says
                when and why it was taken out, and the call that brings it again.
        """
        if ref not in self._books.refs:
            raise NotFound(f"This session has no ref {ref!r}.", field="ref")
        if ref not in self._books.spans:
            return self._original(ref)
        found, waiting = [], [ref]
        while waiting:
            newest = waiting.pop()
            value = self._original(newest)
            if newest in self._books.spans:
                waiting += reversed(value)
            else:
                found.append(value)
        return found

    def _original(self, ref: str) -> Json:
        try:
            return self.archive.get(ref)
        except (NotFound, ArtifactCorrupt) as error:
            origin = self._books.origins.get(ref)
            said = f" Of {ref}: {origin}." if origin is not None else ""
            raise RefGone(f"{error.message}{said}", detail=error.detail, origin=origin) from error

    def origin(self, ref: str) -> Origin | None:
        """Where a ref came from: when and why it was taken out, and the call that brought it."""
        return self._books.origins.get(ref)

    def survival(self) -> Survival:
        """What lasted of what the newest compaction worked on, by class of fact."""
        newest = self._state.newest
        counted, lost = lasted(
            newest.before,
            newest.after,
            names=self._books.names,
            refs=self.refs,
            expand=self.expand_text,
        )
        total = self._kit.meter.total
        sizes = (total(newest.before), total(newest.after))
        total(self._state.history)
        return Survival(newest.version, *sizes, counted, lost)

    def expand_text(self, ref: str) -> str:
        """As ``expand``; what is not a text comes as its JSON."""
        value = self.expand(ref)
        return value if isinstance(value, str) else serialise(value)

    @property
    def facts(self) -> Facts:
        """What the entries said that a later turn may need word for word."""
        return self._state.facts

    def facts_listing(self, most_chars: int = 4_000) -> str:
        """The best facts that stand in the context no more, each with the ref of its entry; in at most
        ``most_chars`` characters. Empty if there are none.
        """
        return listing(
            self.facts, self._books.originals.get, texts_of(self._state.history), most_chars
        )

    def peek(self, ref: str, start: int = 0, count: int = 2_000) -> str:
        """``count`` characters of the original from ``start`` on."""
        return self.expand_text(ref)[max(0, start) : max(0, start) + max(0, count)]

    def grep(self, ref: str, pattern: str, *, most: int = 100) -> list[tuple[int, str]]:
        """Line numbers (from 1) and lines that hold ``pattern`` literally, case-insensitively.

        Of what is not a text, such as messages, each value begins a line, and the lines of its texts are
        lines: as JSON all of it would be one.
        """
        wanted = pattern.casefold()
        found = []
        for number, line in enumerate(lines_of(self.expand(ref)), 1):
            if wanted in line.casefold():
                found.append((number, line))
                if len(found) >= most:
                    break
        return found

    def visible(self, call_id: str) -> Literal["whole", "partly", "ref", "unknown"]:
        """Whether a call's result stands in the context whole, partly, or only in the archive."""
        for message in reversed(self._state.history):  # an id that came again means the newest
            for result in message.results:
                if call_id in (result.id, result.alias):
                    if result.name == CLEARED:
                        return "ref"
                    return "partly" if result.origin or _has_origin(result) else "whole"
        return "ref" if call_id in self._books.names else "unknown"


def lines_of(value: Json) -> Iterator[str]:
    """A value as lines to search: those of its texts, each value behind the names that lead to it."""
    if isinstance(value, str):
        yield from value.splitlines()
    elif isinstance(value, dict):
        for name, inner in value.items():
            lines = lines_of(inner)
            yield f"{name}: {next(lines, '')}"
            yield from lines
    elif isinstance(value, list):
        for inner in value:
            yield from lines_of(inner)
    else:
        yield serialise(value)


def _has_origin(result: Block) -> bool:
    return any(part.origin for part in result.parts or ())
