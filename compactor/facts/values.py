"""What has which value: so that a later value can take the place of an earlier one."""

from __future__ import annotations

import re
from collections.abc import Iterator

from compactor.facts.kinds import Found
from compactor.facts.sentences import line_of
from compactor.facts.tokens import classified

_VALUE = r"[`\"'“]?(?P<value>[^\s\"'`,;()“”]{1,120})"
#: A verb or a sign with a value behind it. Each starts with few letters, so that a search can skip to one.
_VERB = re.compile(
    r" (?:is|are|was|were|becomes?|equals|to|uses?|by)[ \t]+"
    r"(?:(?:now|currently|set to|changed to|at|still|called|named|exactly)[ \t]+)?" + _VALUE
)
_SIGN = re.compile(r"[=:→>是为改](?:(?<=:)(?=[ \t=])|(?<!:)(?<![^-]>))[成为]?=?[ \t]*" + _VALUE)
_FROM = re.compile(r"\bfrom\s+[`\"'“]?(?P<old>[^\s\"'`,;()“”]{1,120})[`\"'”]?\s*$")
_INSTEAD = re.compile(
    r"(?P<value>[^\s\"'`,;()“”]{3,120})[`\"'”]?\s+"
    r"(?:instead of|in place of|rather than|replaces|supersedes|and not)\s+"
    r"[`\"'“]?(?P<old>[^\s\"'`,;()“”]{3,120})"
)
_INSTEAD_HINTS = ("instead of", "in place of", "rather than", "replaces", "supersedes", "and not")
_HINT = re.compile("|".join(_INSTEAD_HINTS))
_UPDATE = re.compile(
    r"\b(?:now|chang|updat|mov|replac|instead|no longer|correct|rotat|renam|switch|raise|lower|bump|new)"
    r"|改|现在|更新",
    re.IGNORECASE,
)
_DIGIT = re.compile(r"\d")
_CODE_LINE = re.compile(
    r"^\s*\d+\t|[{}(\[,]\s*$|^\s*(?:def|class|import|from|return|if|for|//|#!)\b|\w\(.*\)"
)
_SENTENCE_END = re.compile(r"(?<=[.!?。；;])(?:\s+|(?<=[。；]))")
_CLAUSE = re.compile(r".*(?:[,;:!?(]\s|\b(?:and|but|that)\s)")
_WORDS = re.compile(r"[^\W_]+")
_HUMP = re.compile(r"([a-z0-9])([A-Z])")
_EMPTY = frozenset(
    "the a an our my your this that its their his her of for in on at to and new old current "
    "currently now latest updated update correction corrected note fyi remember reminder please "
    "it value set is are was be been has have we i you so from with as but then also still "
    "changed change changes moved move switched switch raised raise lowered lower bumped bump "
    "rotated rotate renamed rename actually will would should must 的 现在 新".split()
)
_PROSE_LINE = 600


def values_of(text: str, source: str, most: int) -> Iterator[Found]:
    """Each subject of a text with its value. Linear; lines of program text say nothing here."""
    tool = source.startswith("tool")
    longest = most if tool else _PROSE_LINE
    done = -1
    for at in _places(text):
        if at < done:
            continue
        start, end = text.rfind("\n", 0, at) + 1, text.find("\n", at)
        end = len(text) if end < 0 else end
        done = end
        # Numbered lines are those of a file that was read: program text.
        if not 5 <= end - start <= longest or tool and "→" in text[start : start + 8]:
            continue
        line = text[start:end]
        if not (tool and _CODE_LINE.search(line)):
            for sentence in _SENTENCE_END.split(line):
                yield from _of_sentence(sentence, most)


def _places(text: str) -> Iterator[int]:
    """Where something is said to be something, in the order of the text."""
    places = [match.start() for match in _said(text) if _telling(_bare(match["value"]))]
    if any(hint in text for hint in _INSTEAD_HINTS):
        places += (match.start() for match in _HINT.finditer(text))
    yield from sorted(places)


def _said(text: str) -> Iterator[re.Match[str]]:
    yield from _VERB.finditer(text)
    yield from _SIGN.finditer(text)


def _telling(value: str) -> bool:
    """Whether a value can be told from a word of the sentence."""
    return _DIGIT.search(value) is not None or classified(value) is not None


def _of_sentence(sentence: str, most: int) -> Iterator[Found]:
    if any(hint in sentence for hint in _INSTEAD_HINTS):
        for match in _INSTEAD.finditer(sentence):
            old = _bare(match["old"])
            if len(old) > 3:
                said = sentence[: match.end("value")] + sentence[match.end("old") :]
                yield Found("value", line_of(said, most), "", _bare(match["value"]), old)
    for match in _said(sentence):
        value = _bare(match["value"])
        if not _telling(value):
            continue
        start = max(0, match.start() - 96)
        before, said, old = sentence[start : match.start()].rstrip("-"), sentence, ""
        moved = _FROM.search(before)
        if moved:
            before, old = before[: moved.start()], _bare(moved["old"])
            # The old value is not worth its room, and would be read as if it still held.
            said = sentence[: start + moved.start()] + sentence[match.start() :].lstrip()
        subject = subject_of(before)
        if subject:
            yield Found("value", line_of(said, most), subject, value, old)


def is_update(text: str) -> bool:
    """Whether a sentence says itself that something has changed."""
    return _UPDATE.search(text) is not None


def weighty(value: str) -> bool:
    """Whether a value is so much of its own that nothing else is written like it."""
    if len(value) < 4:
        return False
    if value.isdigit():
        return True
    found = classified(value)
    return found is not None and found.kind == "identifier" and bool(_DIGIT.search(value))


def subject_of(text: str) -> str:
    """A name for what a value belongs to, the same however the sentence puts it.

    Of the last clause the words in alphabetical order, without those that say nothing; empty if none is
    left, or too many for a name.
    """
    clause = _CLAUSE.sub("", text)
    spaced = _HUMP.sub(r"\1 \2", clause).casefold()
    words = {word for word in _WORDS.findall(spaced) if word not in _EMPTY}
    return " ".join(sorted(words)) if 0 < len(words) <= 7 else ""


def _bare(word: str) -> str:
    return word.strip(".,:;!?。，*_`\"'“”")
