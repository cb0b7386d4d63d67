"""When a session's own strategy works, and what it is given: in the place of nothing, before evictions."""

from __future__ import annotations

from dataclasses import replace

from compactor.books import Books
from compactor.facts import Facts
from compactor.kit import Kit, Shorten
from compactor.memory import Memory
from compactor.messages import Message
from compactor.report import Change
from compactor.strategies import Work, built_in, run
from compactor.strategy import StrategyRule

#: A strategy is not tried again before the history has grown by this share of the budget.
_GROWTH = 0.2


def shortener(facts: Facts, books: Books, kit: Kit) -> Shorten | None:
    """The policy's strategy as one step; ``None`` where it has none."""
    rule = kit.policy.strategy
    if rule.name == "none":
        return None

    def shorten(history: list[Message], target: int) -> tuple[list[Message], list[Change]]:
        work = Work(
            rule,
            kit.policy,
            kit.archive,
            kit.ask or built_in,
            share=lambda some: kit.meter.total(some) / max(1, target),
            facts=facts,
            ref_of=books.originals.get,
            facts_chars=int(rule.facts_share * kit.budget_chars),
        )
        made = run(history, work)
        smaller = kit.meter.total(made.history) < kit.meter.total(history)
        return (made.history, made.changes) if smaller else (history, [])

    return shorten


def asked_for(
    history: list[Message], memory: Memory, rested: int, kit: Kit
) -> tuple[list[Message], list[Change]]:
    """The history after the strategy where its own trigger asks for it, else as it is.

    ``rested`` is what the history cost after the last time.
    """
    if kit.shorten is None or not _due(history, memory, rested, kit):
        return history, []
    return kit.shorten(history, kit.budget_chars)


def is_due(history: list[Message], memory: Memory, rule: StrategyRule, kit: Kit) -> bool:
    """Whether the rule's trigger asks for its strategy if this history came as a whole."""
    if rule.name == "none":
        return False
    if rule.name == "rolling":
        return memory.turn >= rule.renew_turns
    return _due(history, memory, 0, replace(kit, policy=replace(kit.policy, strategy=rule)))


def _due(history: list[Message], memory: Memory, rested: int, kit: Kit) -> bool:
    """Constant but for what is new in the history."""
    rule = kit.policy.strategy
    if kit.turn.waiting or not history:
        return False
    if rule.name == "rolling":
        spoken = history[-1].role == "assistant"
        return spoken and memory.turn % rule.renew_turns == 0
    size = kit.meter.total(history)
    if size < rested + _GROWTH * kit.budget_chars:
        return False
    if rule.trigger_tokens is not None:
        return kit.tokens.total(history).best > rule.trigger_tokens
    return size >= rule.trigger_share * kit.budget_chars
