"""Token estimates by script and by kind of block, each with an error bar: no tokenizer, no model.

``best`` is the estimate for one family of tokenizers, ``lower`` and ``upper`` what one sample of that
family may be off. Where the family is not known, the bar spans all of them, and ``best`` is the
dearest: a budget that is too small costs less than a request that is refused.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from math import fsum
from operator import mul

from compactor.cost import PAYLOAD_CHARS, payload_of, serialise
from compactor.messages import Block, Json, Message
from compactor.rates import FAMILIES, MARGINS, RATES
from compactor.scripts import pieces

#: Tokens that a provider counts around each message, and around each block.
_MESSAGE_TOKENS = 4
_BLOCK_TOKENS = {"text": 0, "thinking": 4, "tool_use": 16, "tool_result": 12, "opaque": 4}
#: Tokens of a payload that is not text: lower, best, upper. A picture by its area, up to about
#: 1.15 megapixels; sound by its length; a document by its pages.
PAYLOAD_TOKENS = {
    "image": (85, 1_600, 1_600),
    "audio": (100, 2_000, 6_000),
    "document": (1_500, 10_000, 30_000),
}
assert PAYLOAD_TOKENS.keys() == PAYLOAD_CHARS.keys()
#: Texts up to this many characters are estimated once.
_SHORT = 40
_EVERY = tuple(range(len(FAMILIES)))
_PLACES = {name: (place,) for place, name in enumerate(FAMILIES)}


@dataclass(frozen=True, slots=True)
class Estimate:
    """Tokens: at least, most likely, at most."""

    lower: float = 0.0
    best: float = 0.0
    upper: float = 0.0

    def __add__(self, other: Estimate) -> Estimate:
        return Estimate(self.lower + other.lower, self.best + other.best, self.upper + other.upper)


def estimate_text(text: str, family: str = "") -> Estimate:
    """Estimated tokens of a text. Linear; nothing for an empty one.

    ``family`` is one of ``rates.FAMILIES``; anything else counts as unknown.
    """
    # Names of tools and kinds come again with every message.
    return _estimate_again(text, family) if len(text) <= _SHORT else _estimate(text, family)


def _estimate(text: str, family: str) -> Estimate:
    if not text:
        return Estimate()
    counted = {piece: count for piece, count in pieces(text).items() if count}
    counts = tuple(counted.values())
    lower, best, upper = [], [], []
    for rates, bars in _columns(tuple(counted), family):
        # Exact sums, so that no version of Python rounds them in another way.
        middle, bar = fsum(map(mul, rates, counts)), fsum(map(mul, bars, counts))
        lower.append(middle - bar)
        best.append(middle)
        upper.append(middle + bar)
    return Estimate(max(0.0, min(lower)), max(0.0, max(best)), max(upper))


_Column = tuple[tuple[float, ...], tuple[float, ...]]


@lru_cache(maxsize=1_024)
def _columns(found: tuple[str, ...], family: str) -> tuple[_Column, ...]:
    """For each family that a text may be of: rates and error bars of the pieces that it has."""
    return tuple(
        (
            tuple(RATES[piece][place] for piece in found),
            tuple(abs(RATES[piece][place]) * MARGINS[piece] for piece in found),
        )
        for place in _PLACES.get(family, _EVERY)
    )


@lru_cache(maxsize=4_096)
def _estimate_again(text: str, family: str) -> Estimate:
    return _estimate(text, family)


def estimate_json(value: Json, family: str = "") -> Estimate:
    """Of a JSON value by its serialisation, base64 payloads by their kind."""
    if isinstance(value, str):
        return estimate_text(value, family)
    found: list[str] = []
    text = serialise(_without_payloads(value, found))
    total = estimate_text(text, family)
    for kind in found:
        total += Estimate(*PAYLOAD_TOKENS[kind])
    return total


def estimate_block(block: Block, family: str = "") -> Estimate:
    """Of one block, by its kind: what a model reads of it, not its JSON frame."""
    frame = _BLOCK_TOKENS[block.kind]
    total = Estimate(frame, frame, frame)
    if block.kind == "opaque":
        return total + estimate_json(block.raw, family)
    total += estimate_text(block.text, family)
    if block.kind == "tool_use":
        total += estimate_text(block.name, family) + estimate_json(block.input, family)
    for part in block.parts or ():
        total += estimate_block(part, family)
    return total


def estimate_message(message: Message, family: str = "") -> Estimate:
    """Of one message with its blocks."""
    total = Estimate(_MESSAGE_TOKENS, _MESSAGE_TOKENS, _MESSAGE_TOKENS)
    for block in message.blocks:
        total += estimate_block(block, family)
    return total


def estimate_history(messages: Iterable[Message], family: str = "") -> Estimate:
    """Of a whole history."""
    return sum((estimate_message(message, family) for message in messages), Estimate())


def estimate_tokens(value: Json, family: str = "") -> int:
    """Estimated tokens of a string or of any JSON value, rounded up. Linear."""
    best = estimate_json(value, family).best
    return -int(-best // 1)


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
