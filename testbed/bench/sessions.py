"""What appending to a session costs, and whether it grows with the session."""

from __future__ import annotations

import statistics

from compactor import Policy
from compactor.policy import PRESETS
from testbed.append_bench import appends
from testbed.bench.row import Figure, Row, single

#: CPU milliseconds a message, and how much the last quarter may take of the first.
_MOST_MS, _MOST_GROWTH = 0.5, 1.5


def append_row(rounds: int, messages: int = 1_600) -> Row:
    """Each preset in each round, in turn."""
    spent: dict[str, list[float]] = {name: [] for name in PRESETS}
    grown: dict[str, list[float]] = {name: [] for name in PRESETS}
    for _ in range(rounds):
        for name in PRESETS:
            times = appends(Policy.preset(name, budget_chars=90_000), messages)
            quarter = len(times) // 4
            spent[name].append(statistics.fmean(times))
            grown[name].append(sum(times[-quarter:]) / max(1e-9, sum(times[:quarter])))
    figures: list[Figure] = []
    for name in PRESETS:
        figures.append(single(f"CPU ms a message, {name}", spent[name], _MOST_MS))
        figures.append(single(f"last quarter over first, {name}", grown[name], _MOST_GROWTH))
    return Row(
        "append to a session", "-", tuple(figures), (f"{messages:,} messages, 90,000 characters",)
    )
