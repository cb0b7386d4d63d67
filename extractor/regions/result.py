"""What the search for regions gives back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol


class Grounds(Protocol):
    """What else spoke for a region's text to be main content, or against it."""

    def of(self, region: int) -> tuple[str, ...]:
        """Evidence, strongest first."""


@dataclass(frozen=True, slots=True)
class RegionNode:
    """A subtree with a role; ``confidence`` is 0 to 1, ``evidence`` what spoke for the role.

    Evidence is ``kind:value``: ``tag:nav``, ``aria:navigation``, ``schema:Comment``, ``name:comments``,
    ``lead:comments``, ``link_share:0.82``, ``repeat:12``, ``box:bottom``, …
    """

    node: int
    role: str
    confidence: float
    evidence: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Regions:
    """Regions of a page, in document order; they nest as their nodes do.

    ``items[0]`` is the page. ``role_of`` maps each node to the index of its innermost region; ``main``
    says of each node whether it belongs to the main content. ``grounds`` are there where what was learned
    decided on that.
    """

    items: list[RegionNode]
    role_of: list[int]
    main: list[bool]
    grounds: Grounds | None = None

    def is_main(self, node: int) -> bool:
        """Whether a node belongs to the main content."""
        return self.main[node]
