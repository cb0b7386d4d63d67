"""Token estimate by script: no tokenizer, no model, within the error of a rule of thumb.

Rates are tokens for one character, fitted to common byte-pair vocabularies: runs of Latin letters
share tokens, an ideograph is about one token, digits go in groups of up to three, other scripts lie
between.
"""

from __future__ import annotations

import regex

from compactor.cost import serialise
from compactor.messages import Json

_PIECES = regex.compile(
    r"(?P<latin>[\p{Latin}]+)"
    r"|(?P<ideograph>[\p{Han}]+)"
    r"|(?P<kana>[\p{Hiragana}\p{Katakana}]+)"
    r"|(?P<hangul>[\p{Hangul}]+)"
    r"|(?P<digits>\p{N}+)"
    r"|(?P<space>\s+)"
    r"|(?P<letters>\p{L}+)"
    r"|(?P<other>[^\p{L}\p{N}\s]+)"
)
_RATES = {
    "latin": 0.22,
    "ideograph": 0.85,
    "kana": 0.75,
    "hangul": 0.70,
    "digits": 0.40,
    "space": 0.04,
    "letters": 0.38,
    "other": 0.55,
}


def estimate_tokens(value: Json) -> int:
    """Estimated tokens of a string, or of any JSON value by its serialisation. Linear."""
    text = value if isinstance(value, str) else serialise(value)
    total = 0.0
    for match in _PIECES.finditer(text):
        kind = match.lastgroup or "other"
        total += _RATES[kind] * (match.end() - match.start())
    return round(total + 0.499) if text else 0
