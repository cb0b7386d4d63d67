"""Tool calls in a stream of Chat Completions, put together from their pieces however these are cut."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from compactor.messages import Json, JsonObject


@dataclass(slots=True)
class _Call:
    """``made`` is all that has come of it; ``place`` where the client has it, once it was shown."""

    made: JsonObject
    indexed: bool
    place: int | None = None

    @property
    def name(self) -> str:
        return str(self.made["function"].get("name") or "")

    @property
    def arguments(self) -> str:
        return str(self.made["function"]["arguments"])

    def add(self, piece: JsonObject) -> None:
        """Names and arguments grow; all else comes once."""
        for key, value in piece.items():
            if key == "custom" and isinstance(value, dict):
                before = self.made.get("custom", {})
                text = str(before.get("input") or "") + str(value.get("input") or "")
                self.made["custom"] = {**value, **before, "input": text}
            elif key not in ("index", "function") and not self.made.get(key):
                self.made[key] = value
        given = piece.get("function")
        function: JsonObject = self.made["function"]
        for key, value in given.items() if isinstance(given, dict) else ():
            if key == "arguments":
                function[key] += value if isinstance(value, str) else ""
            elif key != "name":
                function[key] = value
            elif isinstance(value, str) and value != self.name:  # some repeat it in every piece
                function[key] = self.name + value


class Calls:
    """The calls of one stream. A piece is held back until it is clear whose call it belongs to."""

    def __init__(self, names: Collection[str]) -> None:
        self._names = names
        self._calls: dict[int, _Call] = {}
        self._newest = 0

    def whole(self) -> list[Json]:
        """All calls as far as they have come."""
        return [self._calls[key].made for key in sorted(self._calls)]

    def feed(self, piece: Json) -> Json:
        """A piece as the client sees it; ``None`` where it sees nothing of it, or not yet."""
        if not isinstance(piece, dict):
            return piece
        self._newest = key = self._key(piece)
        call = self._calls.get(key)
        begins = call is None
        if call is None:
            call = _Call({"function": {"arguments": ""}}, _index(piece) is not None)
            self._calls[key] = call
        call.add(piece)
        if call.place is None and not self._is_theirs(call):
            return None
        if call.place is None:
            self._show(key, call)
            if not begins:
                return self._shown(call)  # with all that was held back
        return {**piece, "index": call.place} if _index(piece) is not None else piece

    def rest(self) -> list[Json]:
        """At the end: calls that were held back and are not ours."""
        made = []
        for key, call in sorted(self._calls.items()):
            if call.place is None and call.name not in self._names:
                self._show(key, call)
                made.append(self._shown(call))
        return made

    def _key(self, piece: JsonObject) -> int:
        index = _index(piece)
        if index is not None:
            return index
        fresh = max(self._calls, default=-1) + 1
        given = piece.get("id")
        if given:
            known = (key for key, call in self._calls.items() if call.made.get("id") == given)
            return next(known, fresh)
        newest = self._calls.get(self._newest)
        function = piece.get("function")
        named = isinstance(function, dict) and function.get("name")
        if newest is None or (named and newest.name and newest.arguments):
            return fresh
        return self._newest

    def _is_theirs(self, call: _Call) -> bool:
        """Whether that is certain: what has come of the name may be the start of one of ours."""
        if call.made.get("type") not in (None, "", "function"):
            return True
        if not call.name or call.name in self._names:
            return False
        return bool(call.arguments) or not any(name.startswith(call.name) for name in self._names)

    def _show(self, key: int, call: _Call) -> None:
        hidden = sum(each.place is None for each in self._calls.values()) - 1
        taken = {each.place for each in self._calls.values()}
        call.place = max(0, key - hidden)
        while call.place in taken:
            call.place += 1

    def _shown(self, call: _Call) -> JsonObject:
        head = {"index": call.place} if call.indexed else {}
        return {**head, **call.made, "function": dict(call.made["function"])}


def _index(piece: JsonObject) -> int | None:
    index = piece.get("index")
    return index if isinstance(index, int) and not isinstance(index, bool) else None
