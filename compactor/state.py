"""Everything that an append replaces, and the one place that knows the order of the stages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from compactor.admit import admit, open_calls
from compactor.archive import Archive
from compactor.evict import fit
from compactor.messages import Block, Json, Message
from compactor.policy import Policy
from compactor.report import Change
from compactor.truncate import FoldHtml, truncate

CHECKED_FORMATS = ("anthropic", "openai-chat")


@dataclass(frozen=True, slots=True)
class State:
    """A session between two appends, in one piece, so that a failed one leaves no trace.

    ``names`` maps call ids to tools, ``covered`` message numbers to the refs of their originals.
    """

    version: int = 0
    history: tuple[Message, ...] = ()
    names: Mapping[str, str] = field(default_factory=dict)
    refs: frozenset[str] = frozenset()
    covered: Mapping[int, tuple[str, ...]] = field(default_factory=dict)
    evicted: int = 0
    usage: Json = None


def step(
    state: State,
    message: Message,
    *,
    policy: Policy,
    budget_chars: int,
    archive: Archive,
    fold_html: FoldHtml | None,
) -> tuple[State, list[Change]]:
    """The state after one message, and what was done: truncate, mend, evict, in this order.

    Raises:
        BudgetError: it cannot be made to fit.
    """
    history = list(state.history)
    calls = _turn_calls(history)
    message, changes = truncate(message, calls, policy=policy, archive=archive, fold_html=fold_html)
    history, mended = admit(history, message, archive, state.names)
    history, fitted = fit(
        history, budget_chars, policy=policy, archive=archive, names=CHECKED_FORMATS
    )
    changes = [*changes, *mended, *fitted]
    names, refs, covered = dict(state.names), set(state.refs), dict(state.covered)
    names.update({call.alias or call.id: call.name for call in message.calls})
    for change in changes:
        refs.add(change.ref)
        covered[change.seq] = tuple(dict.fromkeys((*covered.get(change.seq, ()), change.ref)))
    return State(
        version=state.version + 1,
        history=tuple(history),
        names=names,
        refs=frozenset(refs),
        covered=covered,
        evicted=state.evicted + sum(change.step == "evict" for change in fitted),
        usage=state.usage,
    ), changes


def _turn_calls(history: Sequence[Message]) -> dict[str, Block]:
    """The calls of the turn that is open, by the ids that the caller knows."""
    at, _ = open_calls(history)
    return {} if at < 0 else {call.alias or call.id: call for call in history[at].calls}
