"""Leave hidden text where it stands and say of it that people cannot see it, for callers who ask for that."""

from __future__ import annotations

from dataclasses import replace

from extractor.tree import TEXT, Attrs, Tree, body_of
from extractor.units import Hidden
from extractor.units.spacing import collapsed
from extractor.visibility import HIDDEN, VISIBLE, Verdicts

#: Begins the label of hidden text; the reason follows.
LABEL = "hidden_"
#: In these nothing can be labelled: what is hidden there stays away.
_CLOSED = frozenset({"select", "optgroup", "option", "textarea", "title"})


def unhidden(tree: Tree, verdicts: Verdicts) -> tuple[Tree, Verdicts, list[Hidden]]:
    """The document with hidden text labelled ``hidden_<reason>`` and visible, and the report of it. Linear.

    Text that is hidden by itself, not with its element, gets a ``span`` to carry the label.
    """
    out, state, reason = Tree([], [], [], [], []), list[int](), list[str]()
    found: list[Hidden] = []
    moved, open_nodes = [-1] * len(tree), list[tuple[int, int]]()
    labelled, body = 0, body_of(tree)

    def add(tag: str, parent: int, attrs: Attrs | None, text: str) -> int:
        out.tag.append(tag)
        out.parent.append(parent)
        out.end.append(len(out.tag))
        out.attrs.append(attrs)
        out.text.append(text)
        return len(out.tag) - 1

    for node in range(len(tree)):
        _close(out, open_nodes, node)
        why = verdicts.reason[node] if verdicts.state[node] == HIDDEN and node > body else ""
        tag, above, attrs = tree.tag[node], tree.parent[node], tree.attrs[node]
        held = tag in _CLOSED - {"select"} or above >= 0 and tree.tag[above] in _CLOSED
        if why and held:
            why = ""
        elif why and node >= labelled:
            labelled, text = tree.end[node], " ".join(tree.text[node : tree.end[node]])
            if text.strip():
                found.append(Hidden.of(len(out), collapsed(text).strip(), why, shown=True))
            if tag != TEXT:
                words = f"{(attrs or {}).get('data-pf-l', '')} {LABEL}{why}".strip()
                attrs = {**(attrs or {}), "data-pf-l": words}
        parent = moved[above] if above >= 0 else -1
        if why and tag == TEXT and verdicts.state[above] != HIDDEN:
            parent = add("span", parent, {"data-pf-l": f"{LABEL}{why}"}, "")
            state.append(VISIBLE)
            reason.append("")
            out.end[parent] = len(out) + 1
        # A listing could not say in its midst what is hidden.
        moved[node] = add("div" if why and tag == "pre" else tag, parent, attrs, tree.text[node])
        state.append(VISIBLE if why else verdicts.state[node])
        reason.append("" if why else verdicts.reason[node])
        if tag != TEXT:
            open_nodes.append((tree.end[node], moved[node]))
    _close(out, open_nodes, len(tree))
    return out, replace(verdicts, state=state, reason=reason), found


def _close(out: Tree, open_nodes: list[tuple[int, int]], node: int) -> None:
    while open_nodes and open_nodes[-1][0] <= node:
        out.end[open_nodes.pop()[1]] = len(out)
