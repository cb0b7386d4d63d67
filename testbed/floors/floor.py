"""Floors: a score that a measurement may not fall under, pinned to the data it was measured on.

They only rise. A floor stands a margin under what was measured when it was set, and is for finding
that something got worse: it is no estimate of how good the product is on pages it has not seen.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

FILE = Path(__file__).with_name("floors.json")
#: How far under a measured score its floor is set; the second where a page or a slide more or less shows.
MARGIN, WIDE_MARGIN = 0.003, 0.01


class OtherData(Exception):
    """The pages or their gold are not those that the floors were set on."""


@dataclass(frozen=True, slots=True)
class Measured:
    """Scores of one set of pages by metric, more is better, and the digest of pages and gold."""

    digest: str
    scores: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Floors:
    """The floors of one set of pages; without a digest nothing is pinned yet."""

    digest: str = ""
    floors: Mapping[str, float] = field(default_factory=dict)

    def under(self, found: Measured) -> dict[str, tuple[float, float]]:
        """Metrics under their floor, or not measured any more: score (``nan``) and floor.

        Raises:
            OtherData: ``found`` is of other data.
        """
        self._same_data(found)
        scores = {name: found.scores.get(name, math.nan) for name in self.floors}
        return {
            name: (score, self.floors[name])
            for name, score in scores.items()
            if not score >= self.floors[name]
        }

    def raised(self, found: Measured, margin: float = MARGIN) -> Floors:
        """Floors at the scores less a margin where that is higher; none is lowered.

        Raises:
            OtherData: ``found`` is of other data.
        """
        self._same_data(found)
        floors = dict(self.floors)
        for name, score in found.scores.items():
            # Down to three places: a floor that is rounded up may be over the score.
            floors[name] = max(floors.get(name, -1.0), math.floor((score - margin) * 1000) / 1000)
        return Floors(found.digest, floors)

    def _same_data(self, found: Measured) -> None:
        if self.digest and self.digest != found.digest:
            raise OtherData(
                f"the floors were set on data {self.digest}, this is {found.digest}: take their line out "
                "of floors.json to set new ones, and say why in the commit"
            )


def load(file: Path = FILE) -> dict[str, Floors]:
    """Floors by the name of the set of pages."""
    if not file.is_file():
        return {}
    entries = json.loads(file.read_text("utf-8"))
    return {name: Floors(entry["digest"], entry["floors"]) for name, entry in entries.items()}


def save(floors: Mapping[str, Floors], file: Path = FILE) -> None:
    """Write them, in a fixed order."""
    entries = {
        name: {"digest": each.digest, "floors": dict(sorted(each.floors.items()))}
        for name, each in sorted(floors.items())
    }
    file.write_text(json.dumps(entries, indent=1) + "\n", "utf-8")
