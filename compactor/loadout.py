"""Which tools matter for a goal, so that the others can be masked; the list itself stays as it is."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import regex

from compactor.errors import InvalidRequest
from compactor.messages import Json
from compactor.toolset import name_of

#: More tools than this confuse a model.
MOST_TOOLS = 30
_WORDS = regex.compile(
    r"\p{Han}|[\p{Hiragana}\p{Katakana}]+|\p{Hangul}+|\p{Lu}?\p{Ll}+|\p{Lu}+|\d+"
)
_STOP = frozenset(
    "a an and are as at be by can do for from has have how i if in into is it its me my of on or our "
    "please should so that the their them then there this to us use used using want was we what when which "
    "will with you your".split()
)
#: A word of a tool's name says more than one of its description; of a parameter less.
_NAME, _DESCRIPTION, _PARAMETER = 3.0, 1.0, 0.5


@dataclass(frozen=True, slots=True)
class Loadout:
    """``tools`` in the order of their definitions, for ``allowed_tools``; ``scores`` of all by name.

    ``reason`` says by what they were chosen.
    """

    tools: tuple[str, ...]
    scores: Mapping[str, float]
    reason: str


def loadout(
    tools: Json, goal: str, k: int = MOST_TOOLS, *, called: Mapping[str, int] | None = None
) -> Loadout:
    """The ``k`` tools whose names, descriptions and parameters say most of what the goal does.

    Rare words count more than those that every tool has. Between tools that say as little, those that
    were ``called`` more often come first, then those that are defined first. Linear in the definitions.

    Raises:
        InvalidRequest: ``k`` is under 1.
    """
    if k < 1:
        raise InvalidRequest("k must be at least 1.", field="k")
    listed = [tool for tool in tools or () if name_of(tool)] if isinstance(tools, list) else []
    names = [name_of(tool) for tool in listed]
    if len(names) <= k:
        return Loadout(tuple(names), {}, f"all {len(names)} tools: no more than {k}")
    weighed = [_weights(tool) for tool in listed]
    spread = Counter(word for words in weighed for word in words)
    wanted = dict.fromkeys(words_of(goal))
    scores = {}
    for name, words in zip(names, weighed, strict=True):
        each = (
            words.get(w, 0.0) * math.log(1 + len(names) / spread[w]) for w in wanted if spread[w]
        )
        scores[name] = round(math.fsum(each), 6)
    used = called or {}
    order = sorted(range(len(names)), key=lambda i: (-scores[names[i]], -used.get(names[i], 0), i))
    kept = {names[i] for i in order[:k]}
    matched = sum(scores[name] > 0 for name in kept)
    reason = (
        f"{k} of {len(names)} tools: {matched} by words of the goal, {k - matched} by use and order"
    )
    return Loadout(tuple(name for name in names if name in kept), scores, reason)


def words_of(text: str) -> list[str]:
    """Words in small letters, names taken apart, endings of plurals off; ideographs one by one."""
    found = (word.casefold() for word in _WORDS.findall(text))
    return [_stem(word) for word in found if word not in _STOP]


def _stem(word: str) -> str:
    for ending in ("ies", "es", "s", "ing", "ed"):
        if len(word) > len(ending) + 3 and word.endswith(ending):
            return word[: -len(ending)]
    return word[:-1] if len(word) > 4 and word.endswith("e") else word


def _weights(tool: Json) -> dict[str, float]:
    """What each word of a definition weighs: the most that any of its places gives it."""
    inner = tool.get("function") if isinstance(tool.get("function"), dict) else tool
    schema = inner.get("input_schema") or inner.get("parameters")
    weights: dict[str, float] = {}
    _weigh(weights, words_of(name_of(tool)), _NAME)
    _weigh(weights, words_of(str(inner.get("description") or "")), _DESCRIPTION)
    _weigh(weights, words_of(" ".join(_parameters(schema))), _PARAMETER)
    return weights


def _weigh(weights: dict[str, float], words: Iterable[str], weight: float) -> None:
    for word in words:
        weights[word] = max(weights.get(word, 0.0), weight)


def _parameters(schema: Json) -> Sequence[str]:
    properties = schema.get("properties") if isinstance(schema, dict) else None
    if not isinstance(properties, dict):
        return ()
    described = (v.get("description", "") for v in properties.values() if isinstance(v, dict))
    return [*properties, *map(str, described)]
