"""From capture strings to a snapshot: graft frames, normalise, write in normal form."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from extractor.nesting import normalise
from extractor.serialise import serialise
from extractor.snapshot import Snapshot, SnapshotMeta
from extractor.tree import Attrs, Tree, body_of, parse

META_ATTRIBUTE = "data-pf-meta"


@dataclass(frozen=True, slots=True)
class Composed:
    """A document in normal form, as markup and as arrays, and the page script's own record of it."""

    html: str
    meta: dict[str, Any]
    tree: Tree

    @property
    def nodes(self) -> int:
        return len(self.tree)


def compose(main: str, frames: Mapping[str, str] | None = None) -> Composed:
    """Join a main document and its frames (by ``data-pf-key``) into one normal document.

    A frame's content stands inside its ``pf-frame``; keys without a document stay empty. Linear.
    """
    tree = parse(main)
    meta = _take_meta(tree)
    if frames:
        grafts = {key: parse(text) for key, text in frames.items()}
        tree = _graft(tree, grafts)
    normal = normalise(tree)
    return Composed(serialise(normal), meta, normal)


def snapshot_of(
    composed: Composed, meta: SnapshotMeta, pictures: Mapping[str, bytes] | None = None
) -> Snapshot:
    """The snapshot of a composed document; ``meta`` is the capture's record of it."""
    built = composed.html, composed.tree
    return Snapshot(composed.html, meta, dict(pictures or {}), built)


def _take_meta(tree: Tree) -> dict[str, Any]:
    attrs = tree.attrs[0] if len(tree) else None
    if not attrs or META_ATTRIBUTE not in attrs:
        return {}
    loaded = json.loads(attrs.pop(META_ATTRIBUTE))
    return loaded if isinstance(loaded, dict) else {}


def _graft(main: Tree, grafts: Mapping[str, Tree]) -> Tree:
    """Copy ``main``, each frame's body content in its place. Keys may stand inside frames too."""
    out = Tree([], [], [], [], [])
    _copy(main, 0, len(main), -1, out, grafts, frozenset())
    return out


def _copy(
    source: Tree,
    start: int,
    stop: int,
    parent: int,
    out: Tree,
    grafts: Mapping[str, Tree],
    inside: frozenset[str],
) -> None:
    """Append ``source[start:stop]``; recursion is as deep as frames are nested, not as nodes are."""
    moved: dict[int, int] = {source.parent[start] if start < stop else -1: parent}
    ends: list[int] = []
    open_nodes: list[int] = []
    for node in range(start, stop):
        while ends and ends[-1] <= node:
            ends.pop()
            out.end[open_nodes.pop()] = len(out)
        index = len(out)
        moved[node] = index
        attrs = source.attrs[node]
        out.tag.append(source.tag[node])
        out.parent.append(moved[source.parent[node]])
        out.end.append(index + 1)
        out.attrs.append(attrs)
        out.text.append(source.text[node])
        ends.append(source.end[node])
        open_nodes.append(index)
        key = attrs.pop("data-pf-key", None) if attrs and source.tag[node] == "pf-frame" else None
        if key is not None and key in grafts and key not in inside:
            _copy_frame(grafts[key], index, out, grafts, inside | {key})
    while open_nodes:
        out.end[open_nodes.pop()] = len(out)


def _copy_frame(
    frame: Tree, index: int, out: Tree, grafts: Mapping[str, Tree], inside: frozenset[str]
) -> None:
    record = _take_meta(frame)
    attrs: Attrs = out.attrs[index] or {}
    if record.get("lang") and "lang" not in attrs:
        attrs["lang"] = str(record["lang"])
    out.attrs[index] = attrs
    body = body_of(frame)
    if body and body + 1 < frame.end[body]:
        _copy(frame, body + 1, frame.end[body], index, out, grafts, inside)
