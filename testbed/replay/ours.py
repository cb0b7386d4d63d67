"""The shipped policies, each as a session of its own."""

from __future__ import annotations

from collections.abc import Callable

from compactor import Policy, Session
from compactor.messages import Json
from compactor.policy import PRESETS
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


POLICIES: dict[str, Callable[[], Opener]] = {name: _session(name) for name in PRESETS}
