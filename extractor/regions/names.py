"""What class names, ids and first words hint at, in several languages. Hints only support other evidence.

The words are data (``names.json``). In ``hints`` a stem stands between word ends; ``*`` after it lets it
run on. ``leads`` are the beginnings of the first visible text of a block.
"""

from __future__ import annotations

import json
import re
from functools import lru_cache
from importlib.resources import files
from typing import Any

_DATA: dict[str, Any] = json.loads(
    files("extractor.regions").joinpath("names.json").read_text("utf-8")
)
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
#: A first text longer than this is no label.
MAX_LEAD_CHARS = 70


def _hint_pattern() -> re.Pattern[str]:
    groups = []
    for role, stems in _DATA["hints"].items():
        words = "|".join(s[:-1] + "[a-z]*" if s.endswith("*") else s for s in stems)
        groups.append(f"(?P<{role}>(?<![a-z])(?:{words})(?![a-z]))")
    return re.compile("|".join(groups))


def _lead_pattern() -> re.Pattern[str]:
    groups = [f"(?P<{role}>{'|'.join(starts)})" for role, starts in _DATA["leads"].items()]
    return re.compile("|".join(groups))


_HINTS, _LEADS = _hint_pattern(), _lead_pattern()
_CONSENT = re.compile("|".join(rf"\b(?:{word})" for word in _DATA["consent_words"]), re.I)
_CHOICE = re.compile("|".join(_DATA["consent_choices"]), re.I)
_SHARES, _ADS = (
    re.compile("|".join(re.escape(part) for part in _DATA[name]))
    for name in ("share_hosts", "ad_hosts")
)


class Names:
    """Hints of documents; answers are kept, since pages repeat their names thousands of times."""

    @staticmethod
    @lru_cache(maxsize=16_384)
    def hints(name: str) -> tuple[str, ...]:
        """Roles that a class, id or label hints at, each once, in order."""
        plain = _CAMEL.sub("-", name).replace("_", "-").lower()
        roles = (match.lastgroup for match in _HINTS.finditer(plain))
        return tuple(dict.fromkeys(role for role in roles if role))

    @staticmethod
    def lead(text: str) -> str:
        """The role that a block's first words announce, or an empty string."""
        return _lead(" ".join(text.split()).lower()) if len(text) < 4 * MAX_LEAD_CHARS else ""


@lru_cache(maxsize=4_096)
def _lead(words: str) -> str:
    match = _LEADS.match(words) if len(words) <= MAX_LEAD_CHARS else None
    return (match.lastgroup or "") if match else ""


def speaks_of_consent(text: str) -> bool:
    """Whether a text is about cookies or consent."""
    return _CONSENT.search(text) is not None


def is_consent_choice(text: str) -> bool:
    """Whether the label of a control accepts, refuses or manages consent."""
    return len(text) <= MAX_LEAD_CHARS and _CHOICE.match(text.strip()) is not None


def shares(address: str) -> bool:
    """Whether an address is where pages are shared to."""
    return _SHARES.search(address) is not None


def advertises(address: str) -> bool:
    """Whether an address belongs to an advertising network."""
    return _ADS.search(address) is not None
