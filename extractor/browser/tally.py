"""What a page tries with the person who is not there: dialogs, new windows, downloads."""

from __future__ import annotations

from collections import Counter

from extractor.snapshot import Notice

_TEXT_CHARS = 300
#: Different texts that are listed; further ones are only counted.
_LISTED = 50


class Tally:
    """Every attempt by its kind (``dialog``, ``popup``, ``download``) and text, in order of the first."""

    def __init__(self) -> None:
        self._attempts: Counter[tuple[str, str]] = Counter()
        self._by_kind: Counter[str] = Counter()

    def add(self, kind: str, text: str) -> int:
        """Note one attempt; how many of its kind there are now."""
        entry = (kind, text[:_TEXT_CHARS])
        if entry not in self._attempts and len(self._attempts) >= _LISTED:
            entry = (kind, "others")
        self._attempts[entry] += 1
        self._by_kind[kind] += 1
        return self._by_kind[kind]

    def notices(self) -> list[Notice]:
        """One notice for each different attempt, with how often it was made."""
        return [Notice(kind, text, count) for (kind, text), count in self._attempts.items()]
