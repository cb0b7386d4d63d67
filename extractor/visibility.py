"""What no one can see: verdicts from the facts that the capture wrote down.

Whether a run of text can be seen is found out where style and layout are known: in the page
(``js/verdict.js`` says where a new hiding trick goes there) or by the static path. Both write the closed
list of ``REASONS``. Here the facts become states of nodes, and policy is added: how much text may stand in
the shape of a label for screen readers, and whether what is closed counts.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from extractor.tree import TEXT, Attrs, Tree

VISIBLE, COLLAPSED, HIDDEN = 0, 1, 2

REASONS = frozenset(
    "display visibility opacity content_visibility zero_box clip offscreen covered contrast font_size "
    "text_indent transform unicode not_slotted comment".split()
)

#: Kinds of collapsed text of which a part is in view: the rest of a strip of slides, of a text that was cut.
IN_PART = frozenset({"slide", "more"})

#: Code points of text that one label for screen readers may hold; more is no label, but hidden text.
SR_ONLY_CHARS = 200


@dataclass(frozen=True, slots=True)
class Verdicts:
    """Per node: ``state`` (0 visible, 1 collapsed, 2 hidden) and the ``reason`` (empty when visible).

    For an element the state is that of its subtree; what is hidden by text run alone shows on the text
    nodes only.
    """

    state: list[int]
    reason: list[str]


def judge(
    tree: Tree,
    *,
    collapsed: Literal["keep", "drop"] = "keep",
    sr_only_chars: int = SR_ONLY_CHARS,
) -> Verdicts:
    """Verdicts for every node of a snapshot. Linear.

    With ``collapsed="drop"`` what is closed (details, tabs, accordions, menus) counts as hidden with the
    reason ``collapsed``; what is collapsed but in view ``IN_PART`` stays. A subtree
    labelled ``sr_only`` with more than ``sr_only_chars`` code points of text is hidden with the reason
    ``clip``.
    """
    size = len(tree)
    state, reason = [VISIBLE] * size, [""] * size
    own_text: list[str] = [""] * size
    tags, parents, all_attrs = tree.tag, tree.parent, tree.attrs
    for node in range(1, size):
        above = parents[node]
        if state[above]:
            state[node], reason[node] = state[above], reason[above]
            if state[above] == HIDDEN:
                continue
        if tags[node] == TEXT:
            if own_text[above]:
                state[node], reason[node] = HIDDEN, own_text[above]
            continue
        attrs = all_attrs[node]
        if not attrs:
            continue
        told = "data-pf-h" in attrs or "data-pf-l" in attrs
        hidden = _reason(tree, node, attrs, sr_only_chars) if told else ""
        if hidden:
            state[node], reason[node] = HIDDEN, hidden
        elif "data-pf-c" in attrs:
            shut = collapsed == "drop" and attrs["data-pf-c"] not in IN_PART
            state[node] = HIDDEN if shut else COLLAPSED
            reason[node] = "collapsed"
        if "data-pf-t" in attrs:
            own_text[node] = _known(attrs["data-pf-t"])
    return Verdicts(state, reason)


def _reason(tree: Tree, node: int, attrs: Attrs, sr_only_chars: int) -> str:
    """Why all of an element is hidden; empty when it is not."""
    if "data-pf-h" in attrs:
        return _known(attrs["data-pf-h"])
    labels = attrs.get("data-pf-l")
    if labels and "sr_only" in labels.split():
        texts = (tree.text[i].strip() for i in range(node + 1, tree.end[node]))
        if sum(map(len, texts)) > sr_only_chars:
            return "clip"
    return ""


def _known(reason: str) -> str:
    return reason if reason in REASONS else "display"
