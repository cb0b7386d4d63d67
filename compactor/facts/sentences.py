"""Facts of one line or sentence: errors, commands, constraints, decisions."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from heapq import heapify, heappop, heapreplace

from compactor.facts.kinds import FactKind, Found

_ANSI = re.compile(r"\x1b\[[0-?]*[ -/]*[@-~]")
_HINTS = ("error", "fail", "exception", "fatal", "panic", "critical", "denied", "refused", "timed out",
          "not found", "no such file", "exit code", "traceback")  # fmt: skip
# Everything begins at a word's edge, which is sought once for all: several times as fast as for each alone.
_ERROR = re.compile(
    r"\b(?:(?:ERROR|FATAL|CRITICAL|FAILED|PANIC|ERR!)\b|(?:[Ee]rror|[Ff]atal|panic)\b(?:\[[\w-]+\])?:"
    r"|[A-Z]\w*(?:Error|Exception)\b(?!\()|[Ee]xit(?:ed with)? (?:code|status) [1-9]"
    r"|[Pp]ermission denied|[Aa]ccess denied|[Cc]onnection refused|timed out\b|[Nn]o such file"
    r"|(?:command|[Mm]odule|[Pp]ackage|[Ff]ile) not found\b|[Ff]ailed\b|[Ff]ailure\b)"
)
#: Lines of source code that only talk about errors.
_CODE = re.compile(
    r"(?:\d+[→:\t|-]\s*)?(?:raise|except|throw|catch|import|from|def|class|return|if|elif|else|while|for|//|#|\*"
    r"|<!--|\"\"\"|'|\}|@|\w+\.(?:error|exception|fatal)\()"
)
#: In each sign of an error that has neither a capital nor a colon.
_SMALL = ("denied", "refused", "timed out", "such file", "not found", "fail", "exit")
_LINE_PREFIX = re.compile(r"^\s*\d+(?:→|\t)")
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+(?=[A-Z0-9\"'`(¿¡*#-])|(?<=[。！？])|\n+")
_CONSTRAINT = re.compile(
    r"\b(?:must(?:n't)?|never|always|do not|don't|may not|shall|only|avoid|required?|at most|at least"
    r"|no more than|no less than|forbidden|not allowed|remember|note|make sure|ensure|important|rule"
    r"|constraint|prefer|keep|without|muss|darf|nie|immer|nur)\b"
    r"|必须|不要|不得|禁止|务必|只能|不能|记住|注意|必ず|絶対|ないで",
    re.IGNORECASE,
)
_DECISION = re.compile(
    r"\b(?:decid(?:ed?|ing)|decision|chose(?:n)?|choos(?:e|ing)|(?:I|we)(?:'ll| will) "
    r"(?:use|go with|keep|switch|take)|going with|settled on|agreed|concluded|conclusion|root cause"
    r"|instead of|the fix is|turns out|rejected|plan is|entschieden)\b"
    r"|决定|选择|采用|根本原因|结论|決めた|採用",
    re.IGNORECASE,
)
#: What each match of theirs in plain text begins with: far faster to look for.
_BEGINNINGS: Mapping[FactKind, tuple[str, ...]] = {
    "constraint": (
        "must", "never", "always", "do not", "don't", "may not", "shall", "only", "avoid", "requir",
        "at most", "at least", "no more", "no less", "forbidden", "not allowed", "remember", "note",
        "make sure", "ensure", "important", "rule", "constraint", "prefer", "keep", "without", "muss", "darf",
        "nie", "immer", "nur",
    ),
    "decision": (
        "decid", "decision", "chose", "choos", "i'll ", "we'll ", "i will", "we will", "going with",
        "settled", "agreed", "conclu", "root cause", "instead of", "the fix", "turns out", "rejected",
        "plan is", "entschieden",
    ),
}  # fmt: skip
_COMMAND_LINE = re.compile(r"^\s*(?:\$|>>>|❯)\s+(\S.{1,400})$", re.MULTILINE)
_FENCE = re.compile(r"```(?:bash|sh|shell|console|zsh|powershell)\n(.{1,2000}?)```", re.DOTALL)


def line_of(text: str, most: int) -> str:
    """A text as one line of at most ``most`` characters, its inner spaces as they are."""
    made = (_ANSI.sub("", text) if "\x1b" in text else text).strip()
    if "\n" in made or "\r" in made:
        made = " ".join(made.split())
    return made if len(made) <= most else made[:most]


def errors_of(text: str, most: int, *, count: int) -> Iterator[Found]:
    """Lines that report an error, the first of each shape before the others; at most ``count``."""
    lowered = text.lower()
    if len(lowered) != len(text):  # some letters have a longer small form
        lowered = text
    lines: dict[str, str] = {}
    spare: list[str] = []
    done = 0
    # Without these a line is one line already: what does not match as it stands is read no further.
    plain = "\x1b" not in text and "\r" not in text
    for at in _places(lowered):
        if len(lines) >= 4 * count:
            break
        if at < done:
            continue
        start, end = text.rfind("\n", 0, at) + 1, text.find("\n", at)
        end = len(text) if end < 0 else end
        done = end + 1
        if plain and end - start <= most and not _may_be_error(text[start:end]):
            continue
        whole = text[start:end] if end - start <= 4 * most else _around(text, at, most)
        line = line_of(_LINE_PREFIX.sub("", whole), most)
        if not _ERROR.search(line) or _CODE.match(line):
            continue
        shape = re.sub(r"\d+", "0", line)
        if shape not in lines:
            lines[shape] = line
        elif line not in spare:
            spare.append(line)
    for line in [*lines.values(), *spare[-count:]][:count]:
        yield Found("error", line)


def _may_be_error(line: str) -> bool:
    """Whether a line reports an error, unless it is program text."""
    if line.islower() and ":" not in line and not any(map(line.__contains__, _SMALL)):
        return False  # what is left of the signs has a capital or a colon
    return _ERROR.search(line) is not None


def _places(lowered: str) -> Iterator[int]:
    """Where a text speaks of errors, in order; each hint is sought alone, which is far faster."""
    heap = [(at, hint) for hint in _HINTS if (at := lowered.find(hint)) >= 0]
    heapify(heap)
    while heap:
        at, hint = heap[0]
        yield at
        after = lowered.find(hint, at + 1)
        if after < 0:
            heappop(heap)
        else:
            heapreplace(heap, (after, hint))


def _around(text: str, at: int, most: int) -> str:
    """Of a line that is very long only what stands around a place."""
    start = max(text.rfind("\n", 0, at) + 1, at - most // 2)
    return text[start : start + most].split("\n")[0]


def sentences_of(text: str, source: str, most: int) -> Iterator[Found]:
    """Constraints that the user or the system sets, and decisions that the assistant states."""
    kind: FactKind = "decision" if source == "assistant" else "constraint"
    pattern = _DECISION if source == "assistant" else _CONSTRAINT
    if source.startswith("tool"):
        return
    if text.isascii() and not any(map(text.lower().__contains__, _BEGINNINGS[kind])):
        return
    for sentence in _SENTENCE_END.split(text):
        if len(sentence) >= 4 and pattern.search(sentence):
            yield Found(kind, line_of(sentence.lstrip("-*# >"), most))


def commands_in(text: str, most: int) -> Iterator[Found]:
    """Command lines that a text quotes."""
    # One character is found far faster than two.
    if "$" in text and "$ " in text or ">>> " in text or "❯ " in text:
        for match in _COMMAND_LINE.finditer(text):
            yield Found("command", line_of(match[1], most))
    if "```" in text:
        for match in _FENCE.finditer(text):
            for line in filter(str.strip, match[1].split("\n")):
                yield Found("command", line_of(line.lstrip("$ "), most))
