"""The index of facts: bounded, added to message by message, the newest value in place of older ones."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import islice
from operator import attrgetter
from types import MappingProxyType

from compactor.errors import InvalidRequest
from compactor.facts.kinds import KINDS, FactKind, Found
from compactor.facts.names import Names
from compactor.facts.reading import named_in, read_facts
from compactor.facts.tokens import split_words
from compactor.facts.values import is_update, weighty
from compactor.messages import Message

#: What a kind is worth, in messages: a fact of the first kind outlives one of the last by the difference.
_WORTH: Mapping[str, int] = MappingProxyType(
    dict(zip(KINDS, (400, 200, 160, 120, 60, 90, 60, 10, 40), strict=True))
)
#: What being said again is worth, and being said by others than tools.
_AGAIN, _MEANT = 12, 60
_MOST_AGAIN = 8
#: What stands around a fact that is listed.
_LISTED_CHARS = 30
#: The index is put in order when it is longer than its bound by this share, so that the cost is flat.
_SLACK = 4


@dataclass(frozen=True, slots=True)
class FactRule:
    """How much the index keeps.

    Attributes:
        most_facts: facts that stay when the index is put in order; a quarter more in between.
        most_per_message: facts of one message.
        text_chars: the longest text of one fact.
        scan_chars: of a longer text only head and tail are read whole, and of the rest only errors.
        retire_all: whether a value of a name of its own goes with all that quotes it when it is replaced,
            however it is written; else only one that nothing else is written like.
    """

    most_facts: int = 1_600
    most_per_message: int = 120
    text_chars: int = 240
    scan_chars: int = 30_000
    retire_all: bool = False

    def __post_init__(self) -> None:
        least = {"most_facts": 0, "most_per_message": 0, "text_chars": 20, "scan_chars": 1_000}
        for name, value in least.items():
            if getattr(self, name) < value:
                raise InvalidRequest(f"{name} must be at least {value}.", field=name)


@dataclass(frozen=True, slots=True)
class Fact:
    """One fact. ``seq`` is the newest entry that said it, ``count`` how many did.

    ``source`` is who said it with the most authority: user, assistant or tool:name. ``subject`` and
    ``value`` are of a fact that a later one can replace.
    """

    kind: FactKind
    text: str
    source: str
    seq: int
    count: int = 1
    subject: str = ""
    value: str = ""

    @property
    def rank(self) -> int:
        """The higher, the longer it stays: newer, of a better kind, said more often, not by a tool."""
        rank = self.seq + _WORTH[self.kind]
        if self.count > 1:
            rank += _AGAIN * min(self.count - 1, _MOST_AGAIN)
        return rank if self.source.startswith("tool") else rank + _MEANT


@dataclass(frozen=True, slots=True)
class Facts:
    """What was said so far. Immutable: ``after`` gives another.

    ``stale`` are values that were replaced; with ``FactRule.retire_all`` ``names`` tells of those of names
    of their own.
    """

    rule: FactRule = field(default_factory=FactRule)
    known: Mapping[str, Fact] = field(default_factory=dict)
    stale: Mapping[str, None] = field(default_factory=dict)
    names: Names = field(default_factory=Names)

    def after(self, message: Message, tools: Mapping[str, str]) -> Facts:
        """The facts with those of one more message; ``tools`` names the tool of each call's id.

        Linear in the message up to the rule's bound, and in the bound of the index.
        """
        rule = self.rule
        if not rule.most_facts or not rule.most_per_message:
            return self
        said = list(islice(_each(message, tools, rule), 4 * rule.most_per_message))
        lines = list(named_in(message, tools, rule.scan_chars)) if rule.retire_all else []
        if not said and not lines:
            return self
        known, stale = dict(self.known), dict(self.stale)
        for source, found in said:
            _enter(known, stale, found, source, message.seq)
        names = self.names.after([line for _, line in lines], rule.most_facts)
        for value in names.retired(self.names):
            for kind in KINDS:  # a fact that says nothing else
                known.pop(f"{kind} {value}", None)
        for source, line in lines:
            before = self.known.get(f"={line.subject}")
            if before is not None and line.value not in before.text:
                text = f"{line.key} = {line.value}"[: rule.text_chars]
                fact = Fact("value", text, source, message.seq, 1, line.subject, line.value)
                known[_key(fact)] = fact
        most = rule.most_facts
        if len(known) > most + most // _SLACK:
            best = _by_rank(known.values())[:most]
            kept = set(map(_key, best))
            known = {key: fact for key, fact in known.items() if key in kept}
        if len(stale) > most:
            stale = dict(islice(stale.items(), len(stale) - most, None))
        return replace(self, known=known, stale=stale, names=names)

    def __iter__(self) -> Iterator[Fact]:
        """All of them, those that were entered first before the others."""
        return iter(self.known.values())

    def __len__(self) -> int:
        return len(self.known)

    def chars(self, most: int) -> int:
        """About what it would take to list them all; ``most`` where it is more than that."""
        total = 0
        for fact in self.known.values():
            total += len(fact.text) + _LISTED_CHARS
            if total >= most:
                return most
        return total

    def ranked(self) -> list[Fact]:
        """All of them, the most valuable first."""
        return _by_rank(self.known.values())


def _by_rank(facts: Iterable[Fact]) -> list[Fact]:
    """The highest first; of equal ones those that were entered first."""
    return sorted(facts, key=attrgetter("rank"), reverse=True)


def facts_of(
    messages: Iterable[Message], tools: Mapping[str, str], rule: FactRule | None = None
) -> Facts:
    """The facts of some messages."""
    made = Facts(rule or FactRule())
    for message in messages:
        made = made.after(message, tools)
    return made


def _each(
    message: Message, tools: Mapping[str, str], rule: FactRule
) -> Iterator[tuple[str, Found]]:
    """The message's facts, of each kind at most its share."""
    room = dict.fromkeys(KINDS, rule.most_per_message)
    for source, found in read_facts(message, tools, rule.text_chars, rule.scan_chars):
        if room[found.kind] > 0:
            room[found.kind] -= 1
            yield source, found


def _enter(
    known: dict[str, Fact], stale: dict[str, None], found: Found, source: str, seq: int
) -> None:
    fact = Fact(found.kind, found.text, source, seq, subject=found.subject, value=found.value)
    if found.kind == "value":
        before = known.get(_key(fact)) if found.subject else None
        if found.replaces:
            _retire(known, stale, found.replaces, found.value)
        if before is not None and _supersedes(found, before):
            _retire(known, stale, before.value, found.value)
        stale.pop(found.value, None)
    elif _is_stale(found, source, stale):
        return
    key = _key(fact)
    before = known.pop(key, None)
    if before is not None:
        meant = before.source if source.startswith("tool") else source
        fact = replace(fact, source=meant, count=before.count + 1)
        if meant != source:
            # The more trusted saying stays the one that is quoted.
            fact = replace(fact, text=before.text if before.value == fact.value else fact.text)
    known[key] = fact


def _is_stale(found: Found, source: str, stale: Mapping[str, None]) -> bool:
    """Whether a fact only repeats what was replaced. Errors stay: they say what happened."""
    if found.text in stale:
        return True
    if not stale or source == "user" or found.kind in ("error", "path", "url", "identifier"):
        return False
    return any(word in stale for word in split_words(found.text))


def _supersedes(found: Found, before: Fact) -> bool:
    """Whether everything that quotes the old value is out of date, not only the sentence that set it."""
    if before.value == found.value or not weighty(before.value):
        return False
    return is_update(found.text) or " " in found.subject


def _retire(known: dict[str, Fact], stale: dict[str, None], old: str, new: str) -> None:
    """A value that is true no more, and everything that quotes it and not the new one."""
    if not old or old == new:
        return
    stale[old] = None
    for key, fact in list(known.items()):
        if old in fact.text and new not in fact.text:
            del known[key]


def _key(fact: Fact) -> str:
    return f"={fact.subject}" if fact.subject else f"{fact.kind} {fact.text}"
