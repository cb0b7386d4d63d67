"""What a filter is given."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Form = Literal["text", "html", "markdown"]


class Missing(Exception):
    """A filter that does not exist or is not installed; the message says what to do."""


@dataclass(frozen=True, slots=True)
class Source:
    """A page as it came: ``body`` in bytes, ``html`` the same, decoded once for all filters."""

    body: bytes
    html: str
    url: str | None
