"""What a session says about itself: whether it fails in a known way, which tools matter now."""

from __future__ import annotations

from collections.abc import Sequence

from compactor.diagnosis import (
    DiagnosisRule,
    Symptom,
    clash,
    confusion,
    distraction,
    most_called,
    poisoning,
    trend,
)
from compactor.loadout import MOST_TOOLS, Loadout, loadout
from compactor.messages import Json, Message
from compactor.steering import Steering
from compactor.till import Till


class Advising(Steering):
    """The part of a session that looks at it; it changes nothing."""

    tools: Json
    _till: Till

    def diagnose(
        self,
        rule: DiagnosisRule | None = None,
        *,
        allowed_tools: Sequence[str] | None = None,
        latencies_s: Sequence[float] = (),
    ) -> tuple[Symptom, ...]:
        """Symptoms of the context as it stands: poisoning, distraction, confusion, clash, and what rises.

        ``allowed_tools`` are those that requests are masked to, if they are; ``latencies_s`` how long the
        newest requests took, oldest first. Cost is that of the contexts given out.
        """
        rule, history = rule or DiagnosisRule(), self._state.history
        listed = self.tools if isinstance(self.tools, list) else ()
        offered = len(listed if allowed_tools is None else allowed_tools)
        return (
            *poisoning(history, rule),
            *distraction(history, rule),
            *confusion(offered, rule),
            *clash(history, self._books.names),
            *trend("cost", [cost for _, cost in self._till.costs], rule),
            *trend("latency", latencies_s, rule),
        )

    def standing(self) -> tuple[tuple[Message, int], ...]:
        """What the context holds, in order, and how many characters each entry of it costs."""
        return tuple((message, self._kit.meter.one(message)) for message in self._state.history)

    def loadout(self, goal: str = "", k: int = MOST_TOOLS) -> Loadout:
        """The tools that matter for a goal, by default the session's open request, for ``allowed_tools``.

        Raises:
            InvalidRequest: ``k`` is under 1.
        """
        history = self._state.history
        if not goal:
            asked = (m for m in reversed(history) if m.role == "user" and not m.results)
            goal = " ".join(block.text for message in list(asked)[:1] for block in message.blocks)
        return loadout(self.tools, goal, k, called=most_called(history))
