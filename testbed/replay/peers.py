"""Other people's compactors, each asked as its documentation says. All are optional."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

from compactor.cost import history_cost
from compactor.formats import read, write
from compactor.messages import Json
from testbed.compare.source import Missing
from testbed.replay.baselines import Whole
from testbed.replay.compactors import Opener, Setting


def _needs(module: str, package: str) -> Any:
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise Missing(f"not installed: {package}") from error


class _AsMessages(Whole):
    """Keeps a history as LangChain's messages beside its own."""

    core: Any

    def __init__(self, setting: Setting) -> None:
        super().__init__(setting)
        self._known: list[Any] = []

    def append(self, message: Json) -> None:
        super().append(message)
        chat, _ = write(read([message], self.setting.format), "openai-chat")
        self._known += self.core.convert_to_messages(chat)

    def _count(self, messages: Any) -> int:
        """Characters as they are sent, in place of tokens."""
        return history_cost(self.core.convert_to_openai_messages(messages))

    def _written(self, messages: Any) -> list[Json]:
        chat = self.core.convert_to_openai_messages(messages)
        return write(read(chat, "openai-chat"), self.setting.format)[0]


def _trim_messages() -> Opener:
    """LangChain's ``trim_messages`` with ``strategy="last"``."""

    class Trimmed(_AsMessages):
        core = _needs("langchain_core.messages", "langchain-core")

        def request(self) -> list[Json]:
            kept = self.core.trim_messages(
                self._known,
                max_tokens=self.setting.budget_chars,
                token_counter=self._count,
                strategy="last",
                start_on="human",
                include_system=True,
            )
            return self._written(kept)

    return Trimmed


def _clear_tool_uses() -> Opener:
    """LangChain's ``ClearToolUsesEdit`` , its defaults, over the budget: all results but the newest three."""
    edits = _needs("langchain.agents.middleware", "langchain")

    class Cleared(_AsMessages):
        core = _needs("langchain_core.messages", "langchain-core")

        def request(self) -> list[Json]:
            edited = list(self._known)
            edit = edits.ClearToolUsesEdit(trigger=self.setting.budget_chars)
            edit.apply(edited, count_tokens=self._count)
            return self._written(edited)

    return Cleared


PEERS: dict[str, Callable[[], Opener]] = {
    "langchain-trim": _trim_messages,
    "langchain-clear": _clear_tool_uses,
}
