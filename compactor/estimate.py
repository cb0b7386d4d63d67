"""Token estimate by script: no tokenizer, no model, within the error of a rule of thumb.

Rates are tokens for one character, fitted to common byte-pair vocabularies: runs of Latin letters
share tokens, an ideograph is about one token, digits go in groups of up to three, other scripts lie
between.
"""

from __future__ import annotations

import regex

from compactor.cost import payload_of, serialise
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


#: What an image, a recording or a document costs a model, whatever its base64 takes.
PAYLOAD_TOKENS = {"image": 1_600, "audio": 2_000, "document": 10_000}


def estimate_tokens(value: Json) -> int:
    """Estimated tokens of a string, or of any JSON value by its serialisation. Linear.

    Base64 payloads are priced by their kind, not as text.
    """
    payloads: list[str] = []
    text = value if isinstance(value, str) else serialise(_without_payloads(value, payloads))
    total = float(sum(PAYLOAD_TOKENS[kind] for kind in payloads))
    for match in _PIECES.finditer(text):
        kind = match.lastgroup or "other"
        total += _RATES[kind] * (match.end() - match.start())
    return round(total + 0.499) if text else 0


def _without_payloads(value: Json, kinds: list[str]) -> Json:
    """The value with its payloads taken out; their kinds are appended to ``kinds``."""
    if isinstance(value, list):
        return [_without_payloads(item, kinds) for item in value]
    if not isinstance(value, dict):
        return value
    found = payload_of(value)
    if found is None:
        return {key: _without_payloads(item, kinds) for key, item in value.items()}
    kind, data = found
    kinds.append(kind)
    return {
        key: "" if item is data else _without_payloads(item, kinds) for key, item in value.items()
    }
