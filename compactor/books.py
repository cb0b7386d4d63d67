"""What a session has ever known: ids, refs, and where the original of every changed entry is."""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Iterable, MutableMapping
from dataclasses import dataclass, field, replace
from typing import cast

from compactor.archive import Archive
from compactor.errors import ArtifactCorrupt
from compactor.messages import Message, entries
from compactor.origins import Origin, origins_of
from compactor.report import Change, Covered


@dataclass(slots=True)
class Books:
    """Only added to: so an append costs the same at any length.

    ``names`` maps call ids to tools, ``ids`` every call id that was given to the number of times that it
    was asked for, ``originals`` changed entries to the ref of their whole form, ``covered`` entries to
    the refs of pieces; ``others`` are entries that are no messages, ``origins`` say where each ref came
    from, ``spans`` are refs of lists of refs.
    """

    names: MutableMapping[str, str] = field(default_factory=dict)
    ids: MutableMapping[str, int] = field(default_factory=dict)
    refs: MutableMapping[str, None] = field(default_factory=dict)
    originals: MutableMapping[int, str] = field(default_factory=dict)
    covered: MutableMapping[int, tuple[str, ...]] = field(default_factory=dict)
    others: MutableMapping[int, str] = field(default_factory=dict)
    origins: MutableMapping[str, Origin] = field(default_factory=dict)
    spans: MutableMapping[str, None] = field(default_factory=dict)

    def draft(self) -> Books:
        """Books that read through to these and keep their additions to themselves."""
        return Books(
            ChainMap({}, self.names),
            ChainMap({}, self.ids),
            ChainMap({}, self.refs),
            ChainMap({}, self.originals),
            ChainMap({}, self.covered),
            ChainMap({}, self.others),
            ChainMap({}, self.origins),
            ChainMap({}, self.spans),
        )

    def take(self, draft: Books) -> None:
        """Add what a draft of these books holds."""
        for own, other in zip(self._all(), draft._all(), strict=True):
            assert isinstance(other, ChainMap)
            own.update(other.maps[0])

    def _all(self) -> tuple[MutableMapping[object, object], ...]:
        own = (
            self.names,
            self.ids,
            self.refs,
            self.originals,
            self.covered,
            self.others,
            self.origins,
            self.spans,
        )
        return cast("tuple[MutableMapping[object, object], ...]", own)

    def unique_id(self, wanted: str) -> str:
        """``wanted``, or with a number behind it where a call had that id before. Constant, amortised."""
        fresh, count = wanted, self.ids.get(wanted, 0)
        while fresh in self.ids:
            count += 1
            fresh = f"{wanted}_{count}"
        self.ids[fresh] = 1
        if fresh != wanted:
            self.ids[wanted] = count
        return fresh

    def note(self, changes: Iterable[Change], known: Iterable[Message], archive: Archive) -> None:
        """Enter what was changed; the whole of every changed entry is archived once.

        ``known`` are the messages as they stood before. Entries that share a message change together.
        """
        changed: set[int] = set()
        changes = list(changes)
        if not changes:
            return
        known = list(known)
        for change in changes:
            changed.add(change.seq)
            if change.ref:
                self._refer(change.ref)
                before = self.covered.get(change.seq, ())
                self.covered[change.seq] = tuple(dict.fromkeys((*before, change.ref)))
                if change.step == "evict" and change.why == "budget":
                    # It was put there whole: not again.
                    self.originals.setdefault(change.seq, change.ref)
        new = not changed <= self.originals.keys()
        for message in known:
            if message.also:
                # It may have been joined since its first entry was changed.
                if changed & entries([message]):
                    self._archive(message, archive)
            elif new and message.seq in changed:
                self._archive(message, archive)
        for origin in origins_of(changes, known):
            whole = self.originals.get(origin.seq, origin.ref)
            for ref in (origin.ref, whole):
                if ref not in self.origins:
                    same = ref == origin.ref
                    self.origins[ref] = origin if same else replace(origin, ref=ref)

    def span(self, refs: list[str], archive: Archive) -> str:
        """One ref for all that stands behind some others."""
        ref = archive.put(refs)
        self._refer(ref)
        self.spans[ref] = None
        return ref

    def certificate(self, changes: Iterable[Change]) -> tuple[Covered, ...]:
        """For each entry that was changed: the refs of its whole and of its pieces.

        Raises:
            ArtifactCorrupt: an entry was changed and nothing covers it.
        """
        lines = []
        for seq in sorted({change.seq for change in changes if change.seq >= 0}):
            if seq not in self.originals:
                raise ArtifactCorrupt(f"Nothing would cover message {seq}; it stays as it was.")
            lines.append(
                Covered(seq, False, -1, self.originals[seq], tuple(self.covered.get(seq, ())))
            )
        return tuple(lines)

    def _archive(self, message: Message, archive: Archive) -> None:
        for seq, raw in message.members:
            if seq not in self.originals:
                self.originals[seq] = archive.put(raw)
                self._refer(self.originals[seq])

    def _refer(self, ref: str) -> None:
        if ref not in self.refs:
            self.refs[ref] = None

    @property
    def fresh_refs(self) -> tuple[str, ...]:
        """Refs that a draft has added."""
        return tuple(self.refs.maps[0]) if isinstance(self.refs, ChainMap) else ()

    @property
    def ref_count(self) -> int:
        """How many refs there are, without counting them: the length of a chain is not at hand."""
        if isinstance(self.refs, ChainMap):
            return sum(map(len, self.refs.maps))
        return len(self.refs)
