"""Look before you leap: what a batch would do now, and doing exactly that."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from compactor import formats
from compactor.circuit import NO_PROGRESS
from compactor.cost import serialise
from compactor.errors import InvalidRequest, VersionMismatch
from compactor.messages import Message
from compactor.plan import Plan, Sketch, outcome_id, planned, shared_start
from compactor.rebuild import compacting_cost, keeping_cost
from compactor.report import Reworked
from compactor.rework import batch_step, history_tokens
from compactor.state import State
from compactor.steering import Steering


class Planning(Steering):
    """The part of a session that compacts on request, after a dry run."""

    def plan(self, target_chars: int | None = None, *, format: str = "anthropic") -> Plan:
        """What one batch down to ``target_chars`` would do now; nothing is changed.

        Without a target, to the policy's share of the budget. ``prefix_chars`` is for ``format``.

        Raises:
            InvalidRequest: a target under 1, or an unknown format.
        """
        target = self._target(target_chars)
        before = self._state
        kit = replace(self._kit, archive=Sketch(self.archive))
        after, changes = batch_step(before, target, self._books.draft(), kit)
        sent, written = (_written(state.history, format) for state in (before, after))
        meter, prices, ahead = kit.meter, self.policy.prices, self.policy.horizon_requests
        sizes, shared = (len(sent), len(written)), shared_start(sent, written)
        made = Plan(
            id=self._outcome(after, target),
            version=before.version,
            target_chars=target,
            lines=planned(before.history, after.history, changes, meter),
            before_chars=meter.total(before.history),
            after_chars=meter.total(after.history),
            before_tokens=history_tokens(before.history),
            after_tokens=history_tokens(after.history),
            prefix_chars=shared,
            keep_cost=round(keeping_cost(len(sent), ahead, prices), 3),
            compact_cost=round(compacting_cost(sizes, shared, ahead, prices), 3),
            horizon_requests=ahead,
        )
        self._forget()
        return made

    def apply(self, plan: Plan) -> Reworked:
        """Do exactly what a plan says.

        Raises:
            VersionMismatch: the session has moved on since, or the outcome would be another one.
        """
        return self.apply_planned(plan.id, plan.version, plan.target_chars)

    def apply_planned(self, plan_id: str, version: int, target_chars: int) -> Reworked:
        """As ``apply``, of a plan that only its name, version and target are left of."""
        self.check_version(version)
        books, before = self._books.draft(), self._state
        state, changes = batch_step(before, self._target(target_chars), books, self._kit)
        if self._outcome(state, target_chars) != plan_id:
            self._forget()
            raise VersionMismatch("The plan is not one of this session as it stands; plan again.")
        if not changes:
            return Reworked(NO_PROGRESS)
        was, now = history_tokens(before.history), history_tokens(state.history)
        covered = books.certificate(changes)
        self._settle("compact", {"target_chars": target_chars}, state, books)
        return Reworked("done", tuple(changes), was, now, covered)

    def _target(self, target_chars: int | None) -> int:
        if target_chars is None:
            return int(self.policy.target_share * self._kit.budget_chars)
        if target_chars < 1:
            raise InvalidRequest("target_chars must be at least 1.", field="target_chars")
        return target_chars

    def _outcome(self, after: State, target_chars: int) -> str:
        return outcome_id(after.version, target_chars, _written(after.history, "openai-chat"))


def _written(history: Sequence[Message], format: str) -> str:
    return serialise(formats.write(history, format)[0])
