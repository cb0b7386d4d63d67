"""Everything that was taken out of a page, and the report of what people cannot see."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from extractor.markers import Marker
from extractor.page import HiddenText, LedgerEntry
from extractor.paths import Paths
from extractor.regions import Regions
from extractor.snapshot import Notice
from extractor.units import ICON, Doc

#: Counted by the capture like dropped elements, but written by someone for someone to read.
COMMENT = "comment"
#: What is taken out although people can see it, or open it, with the rule that it goes under.
_NOT_HIDDEN = {"collapsed": "collapsed", ICON: "element"}


class Ledger:
    """Entries for one document; each path is worked out once."""

    def __init__(self, doc: Doc, regions: Regions, dropped: dict[str, int]) -> None:
        self.doc, self.regions, self.dropped = doc, regions, dropped
        self.paths = Paths(doc.tree)

    def role(self, node: int) -> str:
        return self.regions.items[self.regions.role_of[node]].role

    def hidden(self) -> tuple[HiddenText, ...]:
        """Text hidden from people, by place; comments as one entry. Never the text itself.

        No budget changes it, nor the entries that are no folds: both are found once in a document.
        """
        return self.doc.once("hidden", lambda _: self._hidden())

    def _hidden(self) -> tuple[HiddenText, ...]:
        found = [
            HiddenText(
                path=self.paths.of(item.node),
                chars=item.chars,
                reason=item.reason,
                sha256=item.sha256,
                region=self.role(item.node),
                frame=self.paths.frame_of(item.node),
            )
            for item in self.doc.hidden
            if item.reason not in _NOT_HIDDEN
        ]
        if self.dropped.get(COMMENT):
            found.append(HiddenText("", self.dropped[COMMENT], COMMENT, "", "other"))
        return tuple(found)

    def entries(self, markers: Sequence[Marker]) -> tuple[LedgerEntry, ...]:
        """Folds, hidden text, what is closed and was not wanted, and elements that are never shown."""
        doc, found = self.doc, list[LedgerEntry]()
        for marker in markers:
            run = doc.unit_start[marker.first]
            node = doc.run_node[run]
            if run in doc.unread:
                # What stands for it is no element of the page's.
                node = doc.tree.parent[node]
            path, role = self.paths.of(node), self.role(node)
            found.append(LedgerEntry(path, marker.chars, role, marker.rule, "", marker.ref))
        return (*found, *doc.once("taken out", lambda _: self._taken_out()))

    def _taken_out(self) -> tuple[LedgerEntry, ...]:
        doc, found = self.doc, list[LedgerEntry]()
        for item in (each for each in doc.hidden if not each.shown):
            rule = _NOT_HIDDEN.get(item.reason, "hidden")
            path, role = self.paths.of(item.node), self.role(item.node)
            found.append(LedgerEntry(path, item.chars, role, rule, item.reason))
        for tag, chars in self.dropped.items():
            rule = "hidden" if tag == COMMENT else "element"
            found.append(LedgerEntry(tag, chars, "other", rule, tag))
        return tuple(found)


def hidden_notices(hidden: Sequence[HiddenText]) -> list[Notice]:
    """Warnings of hidden text and of Unicode tricks. Comments alone are no reason to warn."""
    by_reason, places = Counter[str](), Counter[str]()
    for item in hidden:
        by_reason[item.reason] += item.chars
        places[item.reason] += 1
    tricks, several = by_reason.pop("unicode", 0), places.pop("unicode", 0)
    notices = []
    if set(by_reason) - {COMMENT}:
        reasons = ", ".join(f"{reason} {chars}" for reason, chars in sorted(by_reason.items()))
        chars = sum(by_reason.values())
        text = f"{chars} characters are hidden from people ({reasons})"
        notices.append(Notice("hidden_text", text, sum(places.values())))
    if tricks:
        text = f"{tricks} characters that no one sees were taken out of visible text"
        notices.append(Notice("unicode_tricks", text, several))
    return notices
