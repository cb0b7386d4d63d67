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


def _trim_messages() -> Opener:
    """LangChain's ``trim_messages`` with ``strategy="last"``, counting characters as they are sent."""
    core: Any = _needs("langchain_core.messages", "langchain-core")

    class Trimmed(Whole):
        def __init__(self, setting: Setting) -> None:
            super().__init__(setting)
            self._known: list[Any] = []

        def append(self, message: Json) -> None:
            super().append(message)
            chat, _ = write(read([message], self.setting.format), "openai-chat")
            self._known += core.convert_to_messages(chat)

        def request(self) -> list[Json]:
            kept = core.trim_messages(
                self._known,
                max_tokens=self.setting.budget_chars,
                token_counter=lambda some: history_cost(core.convert_to_openai_messages(some)),
                strategy="last",
                start_on="human",
                include_system=True,
            )
            chat = core.convert_to_openai_messages(kept)
            return write(read(chat, "openai-chat"), self.setting.format)[0]

    return Trimmed


PEERS: dict[str, Callable[[], Opener]] = {"langchain-trim": _trim_messages}
