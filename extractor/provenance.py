"""Which part of the output stems from which place of the page."""

from __future__ import annotations

from collections.abc import Iterable

from extractor.page import Span
from extractor.paths import Paths
from extractor.tree import TEXT
from extractor.units import Doc

#: Start and stop in the output, first and last run that stand there.
Written = tuple[int, int, int, int]


def spans_of(doc: Doc, written: Iterable[Written]) -> tuple[Span, ...]:
    """Stretches of the output in order; neighbours from one element are one stretch."""
    paths, found = Paths(doc.tree), list[Span]()
    last = -1
    for start, stop, first, final in written:
        node = _around(doc, first, final)
        if node == last:
            found[-1] = _joined(found[-1], stop)
            continue
        found.append(
            Span(
                start,
                stop,
                paths.of(node),
                paths.frame_of(node),
                tuple(paths.of(host) for host in paths.hosts_of(node)),
                _box(doc, node),
            )
        )
        last = node
    return tuple(found)


def _joined(span: Span, stop: int) -> Span:
    return Span(span.start, stop, span.path, span.frame, span.shadow, span.box)


def _around(doc: Doc, first: int, final: int) -> int:
    """The innermost element that holds both runs."""
    tree = doc.tree
    node, target = doc.run_node[first], doc.run_node[final]
    if tree.tag[node] == TEXT:
        node = tree.parent[node]
    while node > 0 and not node <= target < tree.end[node]:
        node = tree.parent[node]
    return node


def _box(doc: Doc, node: int) -> tuple[float, float, float, float] | None:
    while node > 0:
        parts = (doc.tree.attrs[node] or {}).get("data-pf-box", "").split(",")
        if len(parts) == 4:
            try:
                x, y, width, height = map(float, parts)
            except ValueError:
                return None
            return x, y, width, height
        node = doc.tree.parent[node]
    return None
