"""What is learnt of a page while its tree is read."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(slots=True)
class Facts:
    """What is known of a page besides its tree. ``dropped`` counts characters by tag."""

    title: str = ""
    json_ld: list[str] = field(default_factory=list)
    dropped: dict[str, int] = field(default_factory=dict)
    deep: int = 0
    formatting: int = 0
    attributes: int = 0
    cut: int = 0
    revealed: int = 0
    rules_skipped: int = 0
    sheets_missing: int = 0

    @property
    def cap(self) -> str:
        """The setting past which part of the page was left out, or empty."""
        return "max_nodes" if self.cut else "max_attributes" if self.attributes else ""

    def drop(self, tag: str, chars: int) -> None:
        """Count characters that were left out."""
        if chars:
            self.dropped[tag] = self.dropped.get(tag, 0) + chars
