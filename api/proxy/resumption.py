"""Responses that clients go on from by id, where the provider must hear more than the client knows."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass

from api.proxy.dialect import Dialect, Result
from compactor.messages import JsonObject

_FIELD = "previous_response_id"


@dataclass(frozen=True, slots=True)
class Behind:
    """What stands behind a response as the client saw it: the provider's id of its end, and results of the
    proxy's own calls in it that the provider still waits for.
    """

    id: str
    results: tuple[Result, ...] = ()


class Resumptions:
    """Remembers the newest ``most`` of them."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._known: OrderedDict[tuple[bytes, str], Behind] = OrderedDict()

    def remember(self, seed: bytes, shown_id: str, behind: Behind) -> None:
        """``seed`` says whose response it is."""
        self._known[(seed, shown_id)] = behind
        while len(self._known) > self._most:
            self._known.popitem(last=False)

    def resumed(self, seed: bytes, dialect: Dialect, body: JsonObject) -> JsonObject | None:
        """The request as the provider can go on from it; ``None`` if it can as it is."""
        behind = self._known.get((seed, str(body.get(_FIELD))))
        if behind is None:
            return None
        made = {**body, _FIELD: behind.id}
        if behind.results:
            given = body.get("input")
            entries = [{"role": "user", "content": given}] if isinstance(given, str) else given
            made["input"] = dialect.answered(entries or [], behind.results)
        return made
