"""What kinds of addresses the small web has, how often, and what becomes of each.

The outcomes are what HTTP, RFC 9309 and the documented error codes say of such an answer; they are written
down here, not taken from the code that is tested.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from random import Random

#: The row has a page.
OK = "ok"


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of address.

    Attributes:
        share: how many of ``CYCLE`` addresses are of it.
        outcome: ``ok``, or the code of the error that its row has.
        status: of the last answer that is read; ``None`` where there is none.
        every: only each so manieth turn of the cycle has it; the others have a plain page there.
    """

    share: int
    outcome: str = OK
    status: int | None = 200
    every: int = 1


#: A prime, and so without a common factor with the number of hosts: every kind meets every host.
CYCLE = 97

KINDS: dict[str, Kind] = {
    "page": Kind(37),
    "same": Kind(4),
    "near": Kind(4),
    "script": Kind(2),
    "chain": Kind(3),
    "cross": Kind(3),
    "slow": Kind(3),
    "flaky": Kind(3),
    "healing": Kind(2),
    "big": Kind(1),
    "image": Kind(1),
    "gzip": Kind(2),
    "windows-1251": Kind(1),
    "koi8-r": Kind(1),
    "shift_jis": Kind(1),
    "gb18030": Kind(1),
    "utf-16": Kind(1),
    "noindex": Kind(1),
    "reserved": Kind(1),
    "licence": Kind(1),
    "cut": Kind(1),
    "missing": Kind(5, "http_404", 404),
    "gone": Kind(2, "http_410", 410),
    "broken": Kind(1, "http_500", 500),
    "reset": Kind(1, "connect", None),
    "loop": Kind(1, "too_many_redirects", None),
    "inside": Kind(1, "blocked_address", None),
    "private": Kind(4, "robots_disallowed", None),
    "trap": Kind(1, "robots_disallowed", None),
    "binary": Kind(2, "unsupported_media", 200),
    "attachment": Kind(1, "download", 200),
    "empty": Kind(1, "empty", 200),
    "garbled": Kind(1, "http_protocol", None),
    "huge": Kind(1, "too_large", None, every=5),
    "stalled": Kind(1, "deadline", None, every=5),
}
#: These repeat the page before them, so one has to stand there.
_REPEATING = ("same", "near")


def kind_of(index: int) -> str:
    """The kind of the address with this number, counted from 0."""
    turn, place = divmod(index, CYCLE)
    name = _cycle()[place]
    return name if turn % KINDS[name].every == 0 else "page"


@cache
def _cycle() -> tuple[str, ...]:
    groups = [["page", name] for name in _REPEATING for _ in range(KINDS[name].share)]
    left = KINDS["page"].share - len(groups)
    groups += [["page"] for _ in range(left)]
    groups += [
        [name]
        for name, kind in KINDS.items()
        if name not in ("page", *_REPEATING)
        for _ in range(kind.share)
    ]
    Random(7).shuffle(groups)
    made = tuple(name for group in groups for name in group)
    assert len(made) == CYCLE
    return made
