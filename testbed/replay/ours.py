"""The shipped policies, each as a session of its own."""

from __future__ import annotations

from collections.abc import Callable

from compactor import Policy, Session
from compactor.messages import Json
from compactor.policy import PRESETS
from compactor.strategy import NAMES, StrategyName, StrategyRule
from compactor.trace import TraceRule
from testbed.replay.compactors import Opener, Setting


class InSession:
    """A session that is asked for its context in the format that its messages come in."""

    def __init__(self, setting: Setting, policy: Policy) -> None:
        self._format = setting.format
        self.session = Session(policy, system=list(setting.system) or None)

    def append(self, message: Json) -> None:
        self.session.append(message, self._format)

    def request(self) -> list[Json]:
        return self.session.context(self._format).messages

    def refs(self, text: str) -> tuple[str, ...]:
        return self.session.refs(text)

    def expand(self, ref: str) -> str:
        return self.session.expand_text(ref)


def _session(name: str) -> Callable[[], Opener]:
    return lambda: (
        lambda setting: InSession(setting, Policy.preset(name, budget_chars=setting.budget_chars))
    )


def _with(name: StrategyName) -> Callable[[], Opener]:
    def opened(setting: Setting) -> InSession:
        policy = Policy(budget_chars=setting.budget_chars, strategy=StrategyRule.of(name))
        return InSession(setting, policy)

    return lambda: opened


def _traced() -> Opener:
    def opened(setting: Setting) -> InSession:
        policy = Policy(budget_chars=setting.budget_chars)
        return InSession(setting, policy.with_trace(TraceRule(extract=True, replace_stale=True)))

    return opened


#: The default policy with each strategy in front of its evictions.
STRATEGIES: dict[str, Callable[[], Opener]] = {
    f"epoch+{name}": _with(name) for name in NAMES if name != "none"
}
#: The default policy, and evidence written down and stale values replaced.
STRATEGIES["epoch+trace"] = _traced
POLICIES: dict[str, Callable[[], Opener]] = {name: _session(name) for name in PRESETS}
