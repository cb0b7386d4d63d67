"""Used results give way to one line each; what one comes back to folds."""

from __future__ import annotations

from collections.abc import Sequence

from compactor.messages import CLEARED, Message
from compactor.strategies.results import put, shortened, size_of, used_results
from compactor.strategies.single import folded
from compactor.strategies.work import Outcome, Work


def clear_tool_results(history: Sequence[Message], work: Work) -> Outcome:
    """Each used result but the newest becomes one line with a ref.

    Results of reference tools, and of calls that were made more than once, fold instead.
    """
    places = {}
    for used in used_results(history, work, marked=True):
        if used.result.name == CLEARED:
            continue
        made = None
        if used.tool in work.rule.reference:
            made = folded(used, work, always=True, why="fold: reference")
        elif used.again:
            made = folded(used, work, always=True, why="fold: read more than once")
        else:
            tool, size = used.tool or "a tool", size_of(used.result)
            made = shortened(
                used,
                lambda ref, tool=tool, size=size: (  # type: ignore[misc]
                    f"[result of {tool} cleared, {size:,} characters, ref={ref}]"
                ),
                work.archive,
                why="consumed",
                mark=CLEARED,
            )
        if made is not None:
            places[used.message, used.block] = made
    out = list(history)
    return Outcome(out, put(out, places))
