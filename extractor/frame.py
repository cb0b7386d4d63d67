"""What a fold may touch, from what the caller wants left out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from extractor.judged import Judged
from extractor.markers import NOT_READ, Frame
from extractor.units import cut_at


def frame_of(
    page: Judged,
    *,
    main_only: bool,
    included: Sequence[bool] | None = None,
    excluded: Sequence[bool] | None = None,
    scope: range | None = None,
) -> Frame:
    """Each unit's region, and why it may not stay: what is excluded, not included, not main."""
    doc, regions = page.doc, page.regions
    outer = _outermost(page)
    rules, roles, parts = [], [], []
    for unit in range(doc.units):
        node = doc.run_node[doc.unit_start[unit]]
        part = regions.role_of[node]
        # What was not read counts as main where what stands around it does.
        unread = doc.unit_start[unit] in doc.unread
        main = regions.main[node] or unread and regions.main[doc.tree.parent[node]]
        if main_only and not main:
            part = outer[part]
        parts.append(part)
        roles.append(regions.items[part].role)
        if unread and (main or not main_only):
            rules.append(NOT_READ)
        elif excluded is not None and excluded[node]:
            rules.append("excluded")
        elif included is not None and not included[node]:
            rules.append("not_included")
        else:
            rules.append("main_only" if main_only and not main else "")
    return Frame(scope if scope is not None else range(doc.units), rules, roles, parts)


def parted(page: Judged, *marks: Sequence[bool] | None) -> Judged:
    """The page with its units cut where a selection begins or ends inside one. Linear."""
    doc = cut_at(page.doc, *(marked for marked in marks if marked is not None))
    return replace(page, doc=doc) if doc is not page.doc else page


def _outermost(page: Judged) -> list[int]:
    """For each region, the largest one around it in which nothing is main: it is folded as one."""
    tree, regions = page.doc.tree, page.regions
    outer = list(range(len(regions.items)))
    around: list[int] = []
    for index, item in enumerate(regions.items):
        while around and tree.end[regions.items[around[-1]].node] <= item.node:
            around.pop()
        above = around[-1] if around else 0
        if above and not regions.main[regions.items[above].node]:
            outer[index] = outer[above]
        around.append(index)
    return outer
