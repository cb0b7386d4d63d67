"""What a rule of a provider finds, and what a rule is."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from compactor.messages import Message


@dataclass(frozen=True, slots=True)
class Finding:
    """``index`` counts the list's messages. ``open`` is a turn that still waits for something."""

    index: int
    rule: str
    mend: str
    severity: Literal["error", "open"] = "error"


Rule = Callable[[Sequence[Message]], Iterator[Finding]]
