"""Ways to make a history shorter, each usable alone and by a session's policy."""

from compactor.strategies.replies import asking, built_in
from compactor.strategies.run import STRATEGIES, run
from compactor.strategies.work import Outcome, Strategy, Work
from compactor.strategy import NAMES, StrategyName, StrategyRule

__all__ = [
    "NAMES",
    "STRATEGIES",
    "Outcome",
    "Strategy",
    "StrategyName",
    "StrategyRule",
    "Work",
    "asking",
    "built_in",
    "run",
]
