"""A history fitted into its epoch's budget, beside the working memory that floats behind it."""

from __future__ import annotations

from contextlib import suppress

from compactor.budget import Budget, due
from compactor.errors import BudgetError
from compactor.evict import fit
from compactor.kit import Kit
from compactor.memory import Memory
from compactor.messages import Message
from compactor.report import Change

_ROUNDS = 4


def settle(
    history: list[Message], memory: Memory, kit: Kit, budget: Budget
) -> tuple[list[Message], list[Change], Budget]:
    """Fit the history into the epoch's budget; where that is passed, into the one of a new epoch.

    Raises:
        BudgetError: it cannot be made to fit.
    """
    changes: list[Change] = []
    # What stays may be dearer than what went: a few rounds, each smaller than the one before.
    for _ in range(_ROUNDS):
        size, room = kit.meter.total(history), kit.room(memory)
        asked = due(budget, history, kit.tokens, cost=size, room=room)
        if asked is budget:
            break
        budget, kit = asked, kit.within(asked)
        history, fitted = fit_beside_note(history, memory, kit)
        changes += fitted
    history, fitted = fit_beside_note(history, memory, kit)
    return history, [*changes, *fitted], budget


def fit_beside_note(
    history: list[Message], memory: Memory, kit: Kit
) -> tuple[list[Message], list[Change]]:
    """Fit the history into the budget with room for the working memory, or without if it must be.

    Raises:
        BudgetError: it cannot be made to fit.
    """
    with suppress(BudgetError):
        return fit(history, kit.room(memory), kit)
    return fit(history, kit.budget_chars, kit)
