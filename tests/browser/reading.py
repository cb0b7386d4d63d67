"""What a test reads out of a snapshot."""

from __future__ import annotations

import re

from extractor.snapshot import Snapshot
from extractor.tree import TEXT, Tree, parse
from extractor.visibility import HIDDEN, judge

P = "<p>" + "A ledger of the harbour names every ship and its cargo in blue ink. " * 4 + "</p>"


def shown(snapshot: Snapshot) -> str:
    """Text outside of what is marked as hidden, white space collapsed."""
    tree = parse(snapshot.html)
    out, node = [], 0
    while node < len(tree):
        attrs = tree.attrs[node] or {}
        if "data-pf-h" in attrs or tree.tag[node] in ("head",):
            node = tree.end[node]
            continue
        above = tree.attrs[tree.parent[node]] if tree.parent[node] >= 0 else None
        if tree.tag[node] == TEXT and "data-pf-t" not in (above or {}):
            out.append(tree.text[node])
        node += 1
    return re.sub(r"\s+", " ", " ".join(out)).strip()


def hidden(snapshot: Snapshot) -> dict[str, str]:
    tree = parse(snapshot.html)
    found: dict[str, str] = {}
    for node in range(len(tree)):
        attrs = tree.attrs[node] or {}
        for name in ("data-pf-h", "data-pf-t"):
            if name in attrs:
                found[text_of(tree, node)] = attrs[name]
    return found


def collapsed(snapshot: Snapshot) -> dict[str, str]:
    """Closed text by its kind."""
    tree = parse(snapshot.html)
    return {
        text_of(tree, node): attrs["data-pf-c"]
        for node in range(len(tree))
        if (attrs := tree.attrs[node]) and "data-pf-c" in attrs
    }


def labels_of(snapshot: Snapshot, words: str) -> set[str]:
    """Labels of the elements around the text that holds ``words``."""
    tree = parse(snapshot.html)
    node = next(i for i in range(len(tree)) if words in tree.text[i])
    found: set[str] = set()
    while node > 0:
        found |= set((tree.attrs[node] or {}).get("data-pf-l", "").split())
        node = tree.parent[node]
    return found


def judged(snapshot: Snapshot) -> dict[str, str]:
    """Each text with the reason why it is hidden; empty when it is not."""
    tree = parse(snapshot.html)
    verdicts = judge(tree)
    return {
        tree.text[node].strip(): verdicts.reason[node] if verdicts.state[node] == HIDDEN else ""
        for node in range(len(tree))
        if tree.tag[node] == TEXT and tree.text[node].strip()
    }


def text_of(tree: Tree, node: int) -> str:
    return re.sub(r"\s+", " ", "".join(tree.text[node : tree.end[node]])).strip()


def nodes(snapshot: Snapshot, tag: str) -> list[dict[str, str]]:
    tree = parse(snapshot.html)
    return [tree.attrs[i] or {} for i in range(len(tree)) if tree.tag[i] == tag]
