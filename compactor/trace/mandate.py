"""What must always be loaded: the goal, constraints, and actions with what came of them."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import get_args

from compactor.cost import serialise
from compactor.errors import Conflict, InvalidRequest
from compactor.trace.asked import RISKY, NewAction, Outcome, SideEffect
from compactor.trace.draft import Draft
from compactor.trace.items import Item

#: Of an action's arguments as they are shown.
_SHOWN_CHARS = 200


def write_goal(draft: Draft, text: str) -> Item:
    """A goal in place of the one before, which stays readable by its id."""
    before = draft.trace.goal
    item = draft.add("goal", text, status="current", body={"before": before})
    if before:
        draft.change(before, "replaced", f"{item.id} took its place", [item.id], status="replaced")
    return item


def write_constraint(draft: Draft, text: str, source: str) -> Item:
    """What may not be broken. Only the user, the system or a parent's contract can say so."""
    if source not in ("user", "system", "contract"):
        raise InvalidRequest("source must be user, system or contract.", field="source")
    return draft.add("constraint", text, status="holds", body={"source": source})


def write_lifting(draft: Draft, id: str, reason: str) -> Item:
    """A constraint that holds no more. One of a parent's contract cannot be lifted by the child."""
    item = draft.item(id)
    if item.kind != "constraint" or item.status != "holds":
        raise InvalidRequest(f"{id} is no constraint that holds.", field="id")
    if item.body["source"] == "contract":
        raise InvalidRequest(
            f"{id} is part of the contract; only the parent can lift it.", field="id"
        )
    if not reason.strip():
        raise InvalidRequest("Say why.", field="reason")
    return draft.change(id, "lifted", reason, status="lifted")


def action_key(asked: NewAction) -> str:
    """The idempotency key of an action: its own, or one made of tool and arguments."""
    if asked.key:
        return asked.key
    said = serialise([asked.tool, asked.arguments]).encode("utf-8", "surrogatepass")
    return hashlib.sha256(said).hexdigest()[:32]


def write_action(draft: Draft, asked: NewAction) -> Item:
    """An action that is about to be made. One that is done already is given back as it is.

    Raises:
        Conflict: the same action is pending, or nobody knows what came of it, and it has side effects:
            check its outcome first.
    """
    if asked.side_effect not in get_args(SideEffect):
        raise InvalidRequest(
            f"side_effect must be one of {', '.join(get_args(SideEffect))}.", field="side_effect"
        )
    key, risky = action_key(asked), asked.side_effect in RISKY
    before = draft.trace.actions.get(key)
    if before is not None:
        known = draft.item(before)
        if known.status == "done":
            return known
        if known.status in ("pending", "unknown") and (risky or known.body["risky"]):
            raise Conflict(
                f"{before} is {known.status}: check what came of it (check_action) before it is repeated.",
                field="key",
            )
    shown = serialise(asked.arguments)
    shown = shown if len(shown) <= _SHOWN_CHARS else shown[: _SHOWN_CHARS - 1] + "…"
    body = {"key": key, "tool": asked.tool, "side_effect": asked.side_effect, "risky": risky}
    return draft.add("action", f"{asked.tool}({shown})", status="pending", body=body)


def write_outcome(draft: Draft, id: str, outcome: Outcome, why: str = "") -> Item:
    """What came of a pending action: done, failed, or unknown (time-out, crash)."""
    item = _action(draft, id)
    if outcome not in get_args(Outcome):
        raise InvalidRequest("outcome must be done, failed or unknown.", field="outcome")
    if item.status != "pending":
        raise InvalidRequest(f"{id} is {item.status} already; check_action settles it.", field="id")
    return draft.change(id, outcome, why or outcome, status=outcome)


def write_check(draft: Draft, id: str, outcome: Outcome, evidence: Sequence[str]) -> Item:
    """What an action is found to have done, by evidence. From then on it may be repeated if it failed."""
    item = _action(draft, id)
    draft.known(evidence, "evidence")
    if outcome not in ("done", "failed") or not evidence:
        raise InvalidRequest(
            "A check finds done or failed, and names its evidence.", field="outcome"
        )
    if item.status not in ("pending", "unknown"):
        raise InvalidRequest(f"{id} is {item.status} already.", field="id")
    return draft.change(id, outcome, "checked", evidence, status=outcome)


def _action(draft: Draft, id: str) -> Item:
    item = draft.item(id)
    if item.kind != "action":
        raise InvalidRequest(f"{id} is no action.", field="id")
    return item
