"""What markers say about the units behind them, as far as there is room."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from extractor.markers import NOT_READ, Costs, Frame, Marker, shorten
from extractor.refs import ref_of
from extractor.tree import semantic
from extractor.units import Doc

#: Most characters of the words that a marker quotes.
WHAT_CHARS = 80
#: What is said of parts that the capture of a very large page did not read.
NOT_READ_WORDS = "not read"
_QUOTED_UNITS = 12
#: Like neighbours that share a marker, by the element that holds each.
_KINDS = {
    "li": "list items", "tr": "table rows", "dt": "definitions", "dd": "definitions",
    "option": "options", "pre": "lines of code",
}  # fmt: skip


class Descriptions:
    """Splits markers by region and rule, and adds role and words."""

    def __init__(self, doc: Doc, costs: Costs, frame: Frame) -> None:
        self.doc, self.costs, self.frame = doc, costs, frame
        self._richest: dict[tuple[int, int], list[Marker]] = {}

    def extra(self, markers: Sequence[Marker]) -> int:
        """Characters that describing all of them in full adds."""
        return sum(self._cost(self._rich(plain)) - self._cost([plain]) for plain in markers)

    def within(self, markers: Sequence[Marker], room: int | None) -> list[Marker]:
        """The markers, in order, each described as far as ``room`` characters reach (``None``: all).

        What a rule of the caller's left out comes first, then by size.
        """
        if room is None:
            return [marker for plain in markers for marker in map(self._honest, self._rich(plain))]
        chosen: dict[int, list[Marker]] = {}
        for plain in sorted(markers, key=self._urgency):
            spent = self._cost([plain])
            chosen[plain.first] = [plain]
            for choice in self._choices(plain):
                extra = self._cost(choice) - spent
                if extra <= room:
                    room -= extra
                    chosen[plain.first] = choice
                    break
        return [self._honest(marker) for plain in markers for marker in chosen[plain.first]]

    def _honest(self, marker: Marker) -> Marker:
        """A marker with what was not read among the rest says that it was not read."""
        unread = (
            marker.rule == "budget" and NOT_READ in self.frame.rule[marker.first : marker.last + 1]
        )
        return replace(marker, rule=NOT_READ) if unread else marker

    def _urgency(self, marker: Marker) -> tuple[bool, int, int]:
        ruled = any(self.frame.rule[unit] for unit in (marker.first, marker.last))
        return not ruled, -marker.chars, marker.first

    def _cost(self, markers: Sequence[Marker]) -> int:
        return sum(self.costs.marker(marker) for marker in markers)

    def _choices(self, plain: Marker) -> Iterator[list[Marker]]:
        yield self._rich(plain)
        named = self._named(plain)
        yield [self._named(marker) for marker in self._split(plain)]
        yield [self._worded(named)]
        yield [named]

    def _rich(self, plain: Marker) -> list[Marker]:
        key = plain.first, plain.last
        if key not in self._richest:
            parts = self._split(plain)
            self._richest[key] = [self._worded(self._named(part)) for part in parts]
        return self._richest[key]

    def _split(self, plain: Marker) -> list[Marker]:
        """One marker for each stretch that lies in one region and was left out for one reason."""
        frame, found, start = self.frame, list[Marker](), plain.first
        for unit in range(plain.first, plain.last + 1):
            same = unit < plain.last and (frame.part[unit], frame.rule[unit]) == (
                frame.part[unit + 1],
                frame.rule[unit + 1],
            )
            if not same:
                found.append(self._marker(start, unit))
                start = unit + 1
        if len(found) == 1:
            return [plain]
        edges = ["before", *["between"] * (len(found) - 2), "after"]
        return [replace(marker, edge=edge) for marker, edge in zip(found, edges, strict=True)]

    def _marker(self, first: int, last: int) -> Marker:
        doc = self.doc
        ref = ref_of(doc, doc.unit_start[first], doc.unit_start[last + 1] - 1)
        return Marker(first, last, ref, sum(doc.unit_chars[first : last + 1]), last - first + 1)

    def _named(self, marker: Marker) -> Marker:
        role, rule = self.frame.role[marker.first], self.frame.rule[marker.first] or "budget"
        region = "" if role == "other" else role
        if (marker.region, marker.rule) == (region, rule):
            return marker
        return replace(marker, region=region, rule=rule)

    def _worded(self, marker: Marker) -> Marker:
        if self.frame.rule[marker.first] == NOT_READ:
            return replace(marker, what=NOT_READ_WORDS)
        words = ""
        for unit in range(marker.first, min(marker.last + 1, marker.first + _QUOTED_UNITS)):
            text = " ".join(self.doc.text_of(unit).split())
            words = f"{words}, {text}" if words and text else words or text
            if len(words) > WHAT_CHARS:
                break
        kind = self._kind(marker) if marker.items > 1 else ""
        words = shorten(words, WHAT_CHARS)
        return replace(marker, what=f"{kind}: {words}" if kind and words else words)

    def _kind(self, marker: Marker) -> str:
        """What all units behind a marker are, where they are alike."""
        tree, owners = self.doc.tree, self.doc.unit_group
        kind = _KINDS.get(semantic(tree, owners[marker.first]), "")
        if not kind:
            return ""
        units = range(marker.first + 1, marker.last + 1)
        same = all(_KINDS.get(semantic(tree, owners[unit]), "") == kind for unit in units)
        return kind if same else ""
