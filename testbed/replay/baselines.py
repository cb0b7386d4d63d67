"""What is done without a compactor: nothing, or the oldest turns dropped."""

from __future__ import annotations

from collections.abc import Callable

from compactor.cost import cost, history_cost
from compactor.formats import read, write
from compactor.messages import Json, text_message
from testbed.replay.compactors import Opener, Setting

#: Where the second one stops, as a share of the budget, once it has to drop anything.
LOW_SHARE = 0.5
DROPPED = "[earlier messages were dropped]"


class Whole:
    """Sends the whole history each time."""

    def __init__(self, setting: Setting) -> None:
        self.setting = setting
        self.history: list[Json] = []

    def append(self, message: Json) -> None:
        self.history.append(message)

    def request(self) -> list[Json]:
        return list(self.history)

    def refs(self, text: str) -> tuple[str, ...]:
        return ()

    def expand(self, ref: str) -> str:
        raise KeyError(ref)


class Fifo(Whole):
    """Whole turns leave, oldest first, when the history is over the budget, until it costs ``share`` of it.

    The newest turn stays, whatever it costs. Calls and results leave together, and the first message stays a
    user's: a line says that some are gone.
    """

    def __init__(self, setting: Setting, share: float) -> None:
        super().__init__(setting)
        self.share = share
        self._sizes: list[int] = []
        self._starts: list[bool] = []
        self._spoke = False
        written, _ = write([text_message("user", DROPPED)], setting.format)
        self._line: list[Json] = written

    def append(self, message: Json) -> None:
        super().append(message)
        [entry] = read([message], self.setting.format)
        self._sizes.append(cost(message) + 1)
        # Nothing may start with a result, or within what the assistant said in one turn.
        speaks = entry.role == "assistant"
        self._starts.append(not entry.results and not (speaks and self._spoke))
        self._spoke = speaks

    def request(self) -> list[Json]:
        budget = self.setting.budget_chars
        if sum(self._sizes) + 1 > budget:
            target = self.share * budget - history_cost(self._line)
            left, newest = sum(self._sizes), max(i for i, s in enumerate(self._starts) if s)
            gone = 0
            while gone < newest and (left > target or not self._starts[gone]):
                left -= self._sizes[gone]
                gone += 1
            self._drop(gone)
        return list(self.history)

    def _drop(self, count: int) -> None:
        kept = self.history[count:]
        first = read(kept[:1], self.setting.format) if kept else []
        line = [] if first and first[0].role == "user" else self._line
        self.history = [*line, *kept]
        self._sizes = [cost(m) + 1 for m in line] + self._sizes[count:]
        self._starts = [True] * len(line) + self._starts[count:]


def _fifo(share: float) -> Callable[[], Opener]:
    return lambda: lambda setting: Fifo(setting, share)


BASELINES: dict[str, Callable[[], Opener]] = {
    "none": lambda: Whole,
    "fifo": _fifo(1.0),
    "fifo-hysteresis": _fifo(LOW_SHARE),
}
