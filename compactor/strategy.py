"""Which strategy makes a history shorter, when, and how much it may take."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Literal, get_args

from compactor.errors import InvalidRequest

StrategyName = Literal[
    "none",
    "clear_tool_results",
    "individual",
    "combined",
    "task_aware",
    "cited",
    "windowed",
    "rolling",
    "focused",
    "conditional",
    "choose",
]
NAMES: tuple[StrategyName, ...] = get_args(StrategyName)


@dataclass(frozen=True, slots=True)
class StrategyRule:
    """A strategy with its settings; each strategy reads those that concern it.

    Attributes:
        name: one of ``NAMES``.
        trigger_share: share of the budget from which on it works by itself.
        trigger_tokens: estimated tokens of the history from which on it works, in place of the share.
        keep_results: newest results that stay as they are.
        keep_messages: newest messages that stay word for word (``conditional``, ``focused``).
        keep_turns: newest turns that stay word for word (``rolling``).
        renew_turns: turns that come together before the running summary is renewed.
        most_tokens: the longest summary of many messages.
        result_tokens: the longest summary of one result, and of one section of ``focused``.
        least_chars: results up to this many characters are left alone.
        facts_share: the part of the budget that the listing of facts beside a summary may take.
        fold: whether the reversible folds come before any summary.
        exclude: tools whose results stay as they are.
        reference: tools whose results are material to come back to: they fold, and are never cleared.
    """

    name: StrategyName = "none"
    trigger_share: float = 0.8
    trigger_tokens: int | None = None
    keep_results: int = 3
    keep_messages: int = 20
    keep_turns: int = 12
    renew_turns: int = 6
    most_tokens: int = 1_000
    result_tokens: int = 200
    least_chars: int = 800
    facts_share: float = 0.08
    fold: bool = True
    exclude: tuple[str, ...] = ()
    reference: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.name not in NAMES:
            raise InvalidRequest(f"strategy must be one of {', '.join(NAMES)}.", field="strategy")
        if not 0 < self.trigger_share <= 1:
            raise InvalidRequest("trigger_share must lie in (0, 1].", field="trigger_share")
        if not 0 <= self.facts_share <= 0.5:
            raise InvalidRequest("facts_share must lie in [0, 0.5].", field="facts_share")
        least = {"keep_results": 0, "keep_messages": 1, "keep_turns": 1, "renew_turns": 1,
                 "most_tokens": 1, "result_tokens": 1, "least_chars": 1}  # fmt: skip
        for name, value in least.items():
            if getattr(self, name) < value:
                raise InvalidRequest(f"{name} must be at least {value}.", field=name)

    @classmethod
    def of(cls, name: str, **changes: object) -> StrategyRule:
        """The strategy of that name with its own defaults.

        Raises:
            InvalidRequest: no such strategy, or a setting out of range.
        """
        if name not in NAMES:
            raise InvalidRequest(f"strategy must be one of {', '.join(NAMES)}.", field="strategy")
        own: dict[str, object] = {"name": name}
        if name == "conditional":
            own["trigger_share"] = 0.85
        if name == "focused":
            own["result_tokens"] = 350
        return replace(cls(), **{**own, **changes})  # type: ignore[arg-type]

    def as_json(self) -> dict[str, object]:
        """Plain JSON: lists where this has tuples."""
        lists = {"exclude": list(self.exclude), "reference": list(self.reference)}
        return {**asdict(self), **lists}


def rule_of(body: Mapping[str, object]) -> StrategyRule:
    """A rule from its JSON.

    Raises:
        InvalidRequest: a setting out of range.
    """
    tuples = {name: tuple(value) for name, value in body.items() if isinstance(value, list)}
    return StrategyRule(**{**body, **tuples})  # type: ignore[arg-type]
