"""What lasted of what a compaction worked on, by class of fact: verbatim in view, or one look-up away."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field

from compactor.facts import KINDS, Fact, FactRule, facts_of, texts_of
from compactor.messages import JsonObject, Message


@dataclass(frozen=True, slots=True)
class Lasted:
    """Facts of one class: how many were said, how many still stand, how many one visible ref gives back."""

    said: int = 0
    in_view: int = 0
    by_ref: int = 0

    @property
    def lost(self) -> int:
        """Facts that neither stand in the context nor behind a ref that does."""
        return self.said - self.in_view - self.by_ref


@dataclass(frozen=True, slots=True)
class Survival:
    """What became of the facts in the newest compaction, of ``before_chars`` and ``after_chars``.

    ``classes`` maps each class of facts to its counts; ``lost`` has examples, for a reader.
    """

    version: int = 0
    before_chars: int = 0
    after_chars: int = 0
    classes: Mapping[str, Lasted] = field(default_factory=dict)
    lost: tuple[str, ...] = ()

    def as_json(self) -> JsonObject:
        """Plain JSON."""
        counted = {name: {**asdict(one), "lost": one.lost} for name, one in self.classes.items()}
        sizes = {"before_chars": self.before_chars, "after_chars": self.after_chars}
        return {"version": self.version, **sizes, "classes": counted, "lost": list(self.lost)}


def lasted(
    before: Sequence[Message],
    after: Sequence[Message],
    *,
    names: Mapping[str, str],
    refs: Callable[[str], Iterable[str]],
    expand: Callable[[str], str],
) -> tuple[dict[str, Lasted], tuple[str, ...]]:
    """Counts by class, and examples of what was lost.

    ``names`` maps call ids to tools, ``refs`` finds the refs in a text, ``expand`` gives what stands behind
    one. Facts count once, however often they were said. Linear in facts times what is left.
    """
    rule = FactRule(most_facts=_MOST_FACTS, most_per_message=_MOST_FACTS)
    said = facts_of(before, names, rule)
    shown = "\n".join(texts_of(after))
    behind = "\n".join(expand(ref) for ref in dict.fromkeys(refs(shown)))
    counts: dict[str, list[int]] = {kind: [0, 0, 0] for kind in KINDS}
    lost: list[str] = []
    for fact in said:
        place = _place(fact, shown, behind)
        counts[fact.kind][0] += 1
        if place:
            counts[fact.kind][place] += 1
        elif len(lost) < _EXAMPLES:
            lost.append(f"{fact.kind}: {fact.text}")
    return {kind: Lasted(*numbers) for kind, numbers in counts.items() if numbers[0]}, tuple(lost)


_MOST_FACTS = 4_000
_EXAMPLES = 20


def _place(fact: Fact, shown: str, behind: str) -> int:
    """1: in view, 2: behind a ref that is, 0: in neither."""
    if fact.text in shown:
        return 1
    return 2 if fact.text in behind else 0
