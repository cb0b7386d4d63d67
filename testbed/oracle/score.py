"""Precision and recall of hidden text, against pixels; what is kept unseen is scored apart."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, TypeAdapter

from testbed.oracle.labels import FOLDER, Target
from testbed.oracle.pixels import Seen
from testbed.oracle.product import Said

#: ``shown``: hidden from people, and kept; ``lost``: people see it, and it was dropped;
#: ``label``: kept, but not as what it is; ``reason``: hidden, for a reason that is not the one.
Miss = Literal["shown", "lost", "label", "reason"]


@dataclass(frozen=True, slots=True)
class Outcome:
    """One target: the truth (the oracle's where pixels judge, else by hand) and the product's answer."""

    target: Target
    truth: str
    said: Said

    @property
    def miss(self) -> Miss | None:
        """What is wrong with the answer; ``None`` when nothing is."""
        if self.truth == "hidden":
            if self.said.label != "hidden":
                return "shown"
            wanted = self.target.reasons
            return "reason" if wanted and self.said.detail not in wanted else None
        if self.said.label == "hidden":
            return "lost"
        if self.said.label != self.truth:
            return "label"
        kind = self.target.kind
        return "label" if kind and self.said.detail != kind else None


@dataclass(frozen=True, slots=True)
class Report:
    """Outcomes of all targets, and the figures drawn from them."""

    outcomes: tuple[Outcome, ...]

    def misses(self) -> dict[str, Miss]:
        """What went wrong, by words."""
        return {item.target.words: item.miss for item in self.outcomes if item.miss is not None}

    @property
    def _judged(self) -> list[Outcome]:
        return [item for item in self.outcomes if item.truth in ("visible", "hidden")]

    @property
    def precision(self) -> float:
        """Of the text that the product calls hidden, the share that people cannot see."""
        called = [item for item in self._judged if item.said.label == "hidden"]
        return _share(item.truth == "hidden" for item in called)

    @property
    def recall(self) -> float:
        """Of the text that people cannot see, the share that the product calls hidden."""
        hidden = [item for item in self._judged if item.truth == "hidden"]
        return _share(item.said.label == "hidden" for item in hidden)

    def apart(self) -> dict[str, tuple[int, int]]:
        """For ``collapsed``, ``sr_only`` and ``under_overlay``: how many are right, and of how many."""
        counts: dict[str, tuple[int, int]] = {}
        for item in self.outcomes:
            if item.truth in ("visible", "hidden"):
                continue
            right, total = counts.get(item.truth, (0, 0))
            counts[item.truth] = (right + (item.miss is None), total + 1)
        return counts

    def text(self) -> str:
        """The report for people."""
        truths = Counter(item.truth for item in self.outcomes)
        by_hand = sum(item.target.policy for item in self.outcomes)
        families = len({item.target.family for item in self.outcomes})
        lines = [
            f"visibility: {len(self.outcomes)} texts of {families} families: {truths['hidden']} hidden, "
            f"{truths['visible']} visible ({by_hand} by policy, the others by pixels)",
            f"hidden: precision {self.precision:.4f}, recall {self.recall:.4f}",
            *(f"{name}: {right} of {all_}" for name, (right, all_) in sorted(self.apart().items())),
        ]
        for item in self.outcomes:
            if item.miss is not None:
                wanted = item.truth + "".join(
                    f" {x}" for x in (*item.target.reasons, item.target.kind)
                )
                lines.append(
                    f"  {item.miss}: {item.target.file}: {item.target.words!r} is {wanted.strip()}; "
                    f"the product says {item.said.label} {item.said.detail}".rstrip()
                )
        return "\n".join(lines)


class Pending(BaseModel):
    """A miss that is known: which, and what kind of page it stands for."""

    model_config = ConfigDict(extra="forbid")

    miss: Miss
    note: str


def load_pending(folder: Path = FOLDER) -> dict[str, Pending]:
    """The known misses, by words."""
    known = TypeAdapter(dict[str, Pending])
    return known.validate_json((folder / "pending.json").read_bytes())


def score(targets: Sequence[Target], seen: dict[str, Seen], said: dict[str, Said]) -> Report:
    """Put the answers beside the truth."""
    return Report(
        tuple(
            Outcome(target, _truth(target, seen[target.words]), said[target.words])
            for target in targets
        )
    )


def _truth(target: Target, seen: Seen) -> str:
    if not target.by_pixels:
        return target.label
    return "visible" if seen.visible else "hidden"


def _share(hits: Iterable[bool]) -> float:
    counted = list(hits)
    return sum(counted) / len(counted) if counted else 1.0
