"""Tracebacks for the log: where it happened and what kind of error it was, not what the error says.

What an exception says may quote a request, a page or a row. Only our own errors speak for themselves.
"""

from __future__ import annotations

import re
import traceback
from collections.abc import Callable, Iterator

_MOST_LINKS = 8
_MOST_CHILDREN = 10
_OWN_PACKAGES = ("extractor.", "compactor.", "api.")
_PLACE = re.compile(r"\s*File \"[^\"]+\", line \d+, in \S+\Z")
_KIND = re.compile(r"([A-Za-z_][\w.]*)(?::\s(.*))?\Z")

Scrub = Callable[[str], str]


def trace_of(error: BaseException, scrub: Scrub | None = None) -> str:
    """The traceback with frames and kinds of errors; with ``scrub`` their words too, scrubbed."""
    return "\n".join(_lines(error, scrub, _MOST_LINKS)).rstrip()


def bare_text(text: str) -> str:
    """A message that is a traceback reduced to its places and kind; another one as it is."""
    if "Traceback (most recent call last)" not in text:
        return text.strip()
    kept = [line for line in text.splitlines() if _PLACE.match(line)]
    kind = _KIND.match(text.strip().splitlines()[-1])
    if kind is not None:
        own = kind[1].startswith(_OWN_PACKAGES) and kind[2]
        kept.append(f"{kind[1]}: {kind[2]}" if own else kind[1])
    return "\n".join(["Traceback (most recent call last):", *kept])


def _lines(error: BaseException, scrub: Scrub | None, links: int) -> Iterator[str]:
    cause = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    if cause is not None and links:
        yield from _lines(cause, scrub, links - 1)
        yield ""
        yield "which led to" if error.__cause__ is None else "which was the cause of"
        yield ""
    yield "Traceback (most recent call last):"
    for frame in traceback.format_list(traceback.extract_tb(error.__traceback__)):
        yield frame.rstrip()
    yield f"{_kind(error)}{_words(error, scrub)}"
    if isinstance(error, BaseExceptionGroup) and links:
        for number, child in enumerate(error.exceptions[:_MOST_CHILDREN], start=1):
            yield f"--- {number} of {len(error.exceptions)} ---"
            yield from _lines(child, scrub, links - 1)


def _kind(error: BaseException) -> str:
    kind = type(error)
    module = "" if kind.__module__ == "builtins" else f"{kind.__module__}."
    return module + kind.__qualname__


def _words(error: BaseException, scrub: Scrub | None) -> str:
    if scrub is not None:
        return f": {scrub(str(error))}"
    code = getattr(error, "code", None)
    if type(error).__module__.startswith(_OWN_PACKAGES) and isinstance(code, str):
        return f": {code}"
    if isinstance(error, OSError) and error.errno is not None:
        return f": [Errno {error.errno}]"
    return ""
