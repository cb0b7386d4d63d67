"""Names for ranges of a snapshot: the same range has the same name, whatever was folded."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right

from extractor.errors import NotFound
from extractor.units import Doc

_DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"
_REF = re.compile(
    r"f([0-9a-z]+)(?:\.([0-9a-z]+))?(?:-([0-9a-z]+)(?:\.([0-9a-z]+))?)?(?:~([0-9a-z]+))?\Z"
)


def _base36(number: int) -> str:
    digits = ""
    while True:
        number, rest = divmod(number, 36)
        digits = _DIGITS[rest] + digits
        if not number:
            return digits


def ref_of(doc: Doc, first: int, last: int) -> str:
    """The ref of the runs ``first`` to ``last``, both included.

    ``f<node>[.<part>]-<node>[.<part>]`` in base 36: nodes by their place in the snapshot, parts of a text
    node by ordinal where the range does not begin or end with the whole node.
    """
    start, stop = _base36(doc.run_node[first]), _base36(doc.run_node[last])
    if doc.run_part[first]:
        start += "." + _base36(doc.run_part[first])
    if not doc.run_last[last]:
        stop += "." + _base36(doc.run_part[last])
    return f"f{start}" if start == stop and "." not in start else f"f{start}-{stop}"


def part_ref(doc: Doc, run: int, offset: int) -> str:
    """The ref of one run's text from a code point on: for text too long for the budget it is unfolded to."""
    return f"{ref_of(doc, run, run)}~{_base36(offset)}"


def offset_of(ref: str) -> int:
    """Where in its run's text a ref begins; 0 for all but what ``part_ref`` names."""
    match = _REF.match(ref)
    return int(match.group(5) or "0", 36) if match else 0


def resolve(doc: Doc, ref: str) -> tuple[int, int]:
    """First and last run of a ref.

    Raises:
        NotFound: the ref names nothing in this snapshot.
    """
    match = _REF.match(ref)
    if match is None:
        raise NotFound(f"{ref!r} is not a ref; refs look like 'f1k-2z'", field="ref")
    node, part, last_node, last_part, _ = match.groups()
    first = (int(node, 36), int(part or "0", 36))
    if last_node is None:
        last = (first[0], 1 << 60)
    else:
        last = (int(last_node, 36), int(last_part, 36) if last_part else 1 << 60)
    # Runs stand in the order of their nodes, and of the parts of these.
    runs = range(len(doc.run_node))
    start = bisect_left(runs, first, key=lambda run: (doc.run_node[run], doc.run_part[run]))
    stop = bisect_right(runs, last, key=lambda run: (doc.run_node[run], doc.run_part[run]))
    if start >= stop:
        raise NotFound(f"this snapshot has nothing under {ref!r}", field="ref")
    return start, stop - 1
