"""The elements that stand for what was folded, and where they stand."""

from __future__ import annotations

from extractor.markers import Marker
from extractor.serialise import open_tag
from extractor.units import Doc

WRAPPERS = {
    "table": ("tbody", "tr", "td"),
    "thead": ("tr", "td"),
    "tbody": ("tr", "td"),
    "tfoot": ("tr", "td"),
    "tr": ("td",),
}
WIDEST_WRAPPER = len("<tbody><tr><td></td></tr></tbody>")


def marker_html(marker: Marker) -> str:
    """The element that stands for what was folded."""
    attrs = {"ref": marker.ref}
    if marker.items > 1:
        attrs["items"] = str(marker.items)
    attrs["chars"] = str(marker.chars)
    if marker.region:
        attrs["region"] = marker.region
    if marker.what:
        attrs["what"] = marker.what
    return open_tag("pf-fold", attrs) + "</pf-fold>"


def common_ancestor(doc: Doc, run: int, other: int) -> int:
    """The deepest written element around both runs."""
    node, target = doc.run_parent[run], doc.run_node[other]
    while node > 0 and not (node < target < doc.tree.end[node]):
        node = doc.up[node]
    return node


def place(doc: Doc, marker: Marker, scope: range) -> int:
    """The element inside which a marker stands."""
    first_run, last_run = doc.unit_start[marker.first], doc.unit_start[marker.last + 1] - 1
    found = []
    if marker.first > scope.start and marker.edge in ("any", "before"):
        found.append(common_ancestor(doc, first_run - 1, first_run))
    if marker.last + 1 < scope.stop and marker.edge in ("any", "after"):
        found.append(common_ancestor(doc, last_run + 1, last_run))
    return max(found, default=-1)
