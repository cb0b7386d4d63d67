"""The two tools that the proxy offers to models, and their answers."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from api.proxy.dialect import Call, Result
from compactor import Session
from compactor.errors import CompactorError, InvalidRequest
from compactor.memory import CHECKPOINT
from compactor.messages import Json, JsonObject

EXPAND = "expand"
_PREFIX = "pagefold_"
_MOST_LINES = 200
#: Of the budget: an answer that took more would push out what it was looked up for.
_BUDGET_SHARE = 4
_ABOUT = {
    EXPAND: "Gives back what was taken out of this conversation to keep it short. What stands in its "
    "place names its ref, such as [... 5,210 characters taken out, ref=a:1f3c9b2e ...]. Call it when "
    "you need the original; a long one comes in parts.",
    CHECKPOINT: "Replaces your working notes. They stay in view when older messages are shortened, so "
    "write down what a later turn needs: decisions, paths, names, numbers, open items.",
}
_SCHEMA: dict[str, JsonObject] = {
    EXPAND: {
        "type": "object",
        "properties": {
            "ref": {"type": "string", "description": "The ref in the marker, such as a:1f3c9b2e."},
            "start": {"type": "integer", "description": "First character wanted, from 0."},
            "count": {"type": "integer", "description": "How many characters."},
            "grep": {
                "type": "string",
                "description": "Give only the lines that hold this text, with their numbers.",
            },
        },
        "required": ["ref"],
    },
    CHECKPOINT: {
        "type": "object",
        "properties": {"key_info": {"type": "string", "description": "All of your notes."}},
        "required": ["key_info"],
    },
}


@dataclass(frozen=True, slots=True)
class Lookups:
    """The tools under names that the client's own tools leave free; ``most_chars`` bounds an answer."""

    expand: str
    checkpoint: str
    most_chars: int

    @classmethod
    def beside(cls, taken: Collection[str], most_chars: int) -> Lookups:
        """Named so that no tool of the client is hidden."""
        return cls(_free(EXPAND, taken), _free(CHECKPOINT, taken), most_chars)

    @property
    def names(self) -> frozenset[str]:
        return frozenset({self.expand, self.checkpoint})

    @property
    def definitions(self) -> list[tuple[str, str, JsonObject]]:
        """(name, description, schema of the arguments)"""
        named = ((EXPAND, self.expand), (CHECKPOINT, self.checkpoint))
        return [(name, _ABOUT[tool], _SCHEMA[tool]) for tool, name in named]

    def answer(self, session: Session, call: Call) -> Result:
        """What the model gets for a call; whatever is wrong with it is said in words."""
        if call.arguments is None:
            return Result(call.id, "The arguments are not a JSON object.", is_error=True)
        try:
            run = _expanded if call.name == self.expand else _noted
            most = min(self.most_chars, max(500, session.budget_chars // _BUDGET_SHARE))
            return Result(call.id, run(session, call.arguments, most))
        except CompactorError as error:
            return Result(call.id, error.message, is_error=True)


def _expanded(session: Session, given: JsonObject, most: int) -> str:
    ref = given.get("ref")
    if not isinstance(ref, str):
        raise InvalidRequest("ref must be a string, as in the marker.")
    ref = ref.strip().removeprefix("ref=")
    wanted = given.get("grep")
    if isinstance(wanted, str) and wanted:
        return _found(session, ref, wanted, most)
    text = session.expand_text(ref)
    start = min(_whole(given.get("start"), 0), len(text))
    end = min(start + _whole(given.get("count"), most), start + most, len(text))
    if start == 0 and end == len(text):
        return text or "(empty)"
    more = f"; go on with start={end}" if end < len(text) else ""
    return f"[characters {start} to {end} of {len(text)}{more}]\n{text[start:end]}"


def _found(session: Session, ref: str, wanted: str, most: int) -> str:
    lines = session.grep(ref, wanted, most=_MOST_LINES)
    shown, size = [], 0
    for number, line in lines:
        entry = f"{number}: {line}"
        size += len(entry) + 1
        if size > most:
            break
        shown.append(entry)
    if not lines:
        return f"No line holds {wanted!r}."
    left = (
        f"\n[{len(lines) - len(shown)} more lines; ask for a range]"
        if len(shown) < len(lines)
        else ""
    )
    return "\n".join(shown) + left


def _noted(session: Session, given: JsonObject, most: int) -> str:
    text = given.get("key_info")
    if not isinstance(text, str):
        raise InvalidRequest("key_info must be a string.")
    kept = text[: session.policy.key_info_chars]
    # The session reads a call of that name by itself, but not of another.
    session.set_key_info(kept)
    if len(kept) < len(text):
        return f"Only the first {len(kept)} of {len(text)} characters are kept; write less."
    return "Noted."


def _whole(value: Json, otherwise: int) -> int:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return max(0, int(value)) if is_number else otherwise


def _free(name: str, taken: Collection[str]) -> str:
    candidate, number = name, 1
    while candidate in taken:
        candidate = f"{_PREFIX}{name}" if number == 1 else f"{_PREFIX}{name}_{number}"
        number += 1
    return candidate
