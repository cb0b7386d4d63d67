"""Parts of a long text, each of which says how to get the next."""

from __future__ import annotations

from collections.abc import Iterable

from api.mcp.failures import Refused

#: For the line that says which part it is.
_HEAD_CHARS = 100


def text_range(text: str, start: int, most: int) -> str:
    """As much of ``text`` from ``start`` on as fits into a result of ``most`` characters."""
    return shown_range(text[start:], start, len(text), most)


def shown_range(rest: str, start: int, total: int, most: int) -> str:
    """The same of a text of ``total`` characters, of which ``rest`` begins at ``start``.

    Raises:
        Refused: the text ends before ``start``.
    """
    if start > total:
        raise Refused("invalid_request", f"There are {total} characters.", field="start")
    if start == 0 and total <= most:
        return rest or "(empty)"
    shown = rest[: max(1, most - _HEAD_CHARS)]
    end = start + len(shown)
    more = f"; go on with start={end}" if end < total else ""
    return f"[characters {start} to {end} of {total}{more}]\n{shown}"


def lines_within(lines: Iterable[str], most: int) -> str:
    """As many of ``lines`` as fit into ``most`` characters, and how many do not."""
    shown: list[str] = []
    left = size = 0
    for line in lines:
        size += len(line) + 1
        if left or size > most - _HEAD_CHARS:
            left += 1
        else:
            shown.append(line)
    if left:
        shown.append(f"[{left} more lines do not fit; ask for less]")
    return "\n".join(shown)
