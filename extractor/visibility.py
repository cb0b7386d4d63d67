"""What no one can see: verdicts from the facts that the capture wrote down."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from extractor.tree import TEXT, Tree

VISIBLE, COLLAPSED, HIDDEN = 0, 1, 2


@dataclass(frozen=True, slots=True)
class Verdicts:
    """Per node: ``state`` (0 visible, 1 collapsed, 2 hidden) and the ``reason`` (empty when visible).

    For an element the state is that of its subtree; what is hidden by text run alone shows on the text
    nodes only.
    """

    state: list[int]
    reason: list[str]


def judge(tree: Tree, *, collapsed: Literal["keep", "drop"] = "keep") -> Verdicts:
    """Verdicts for every node of a snapshot. Linear.

    With ``collapsed="drop"`` what is closed (details, tabs, accordions) counts as hidden with the reason
    ``collapsed``.
    """
    size = len(tree)
    state, reason = [VISIBLE] * size, [""] * size
    own_text: list[str] = [""] * size
    for node in range(1, size):
        above = tree.parent[node]
        state[node], reason[node] = state[above], reason[above]
        if state[above] == HIDDEN:
            continue
        if tree.tag[node] == TEXT:
            if own_text[above]:
                state[node], reason[node] = HIDDEN, own_text[above]
            continue
        attrs = tree.attrs[node]
        if not attrs:
            continue
        if "data-pf-h" in attrs:
            state[node], reason[node] = HIDDEN, attrs["data-pf-h"] or "display"
        elif "data-pf-c" in attrs:
            state[node] = HIDDEN if collapsed == "drop" else COLLAPSED
            reason[node] = "collapsed"
        own_text[node] = attrs.get("data-pf-t", "")
    return Verdicts(state, reason)
