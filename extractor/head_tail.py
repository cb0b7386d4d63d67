"""The plainest order of value: from both ends of the page inwards."""

from __future__ import annotations

from collections.abc import Sequence

#: Share of the characters kept that stand at the beginning.
HEAD_SHARE = 0.7


def head_tail(chars: Sequence[int], head_share: float = HEAD_SHARE) -> list[int]:
    """All units, from the first and the last inwards; ``chars`` are their sizes in code points.

    Any prefix of the order is a head and a tail of the page, in about this proportion, with one gap
    between. As with every order, units are whole: a cut falls between sentences, lines, items or rows,
    never inside a grapheme cluster. Linear.
    """
    low, high = 0, len(chars) - 1
    head = tail = 0
    order: list[int] = []
    while low <= high:
        if head * (1 - head_share) <= tail * head_share:
            head += chars[low] + 1
            order.append(low)
            low += 1
        else:
            tail += chars[high] + 1
            order.append(high)
            high -= 1
    return order
