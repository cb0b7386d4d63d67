"""The strategies by name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from compactor.messages import Message
from compactor.strategies.choosing import choose
from compactor.strategies.clearing import clear_tool_results
from compactor.strategies.covering import conditional, focused, rolling
from compactor.strategies.single import individual, task_aware, windowed
from compactor.strategies.together import cited, combined
from compactor.strategies.work import Outcome, Strategy, Work
from compactor.strategy import NAMES, StrategyName


def none(history: Sequence[Message], work: Work) -> Outcome:
    """Nothing: only the stages of every append make the history fit."""
    return Outcome(list(history))


STRATEGIES: Mapping[StrategyName, Strategy] = MappingProxyType(
    {
        "none": none,
        "clear_tool_results": clear_tool_results,
        "individual": individual,
        "combined": combined,
        "task_aware": task_aware,
        "cited": cited,
        "windowed": windowed,
        "rolling": rolling,
        "focused": focused,
        "conditional": conditional,
        "choose": choose,
    }
)
assert tuple(STRATEGIES) == NAMES


def run(history: Sequence[Message], work: Work) -> Outcome:
    """The history after the strategy that ``work.rule`` names. Pure, but for the archive it fills."""
    return STRATEGIES[work.rule.name](history, work)
