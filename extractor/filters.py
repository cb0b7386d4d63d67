"""Ways to choose what of a page counts: ours, none, or one of another package.

Another filter is a function ``(html, url) -> html`` under the entry-point group ``pagefold.filters``. It gets
what people can see of the page. What it gives back is made well-formed and bounded like any page.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from importlib.metadata import entry_points

from extractor.errors import InvalidRequest
from extractor.nesting import normalise
from extractor.regions import RegionNode, Regions
from extractor.serialise import serialise
from extractor.snapshot import Snapshot
from extractor.tree import Tree, parse
from extractor.visibility import HIDDEN, VISIBLE, Verdicts

Filter = Callable[[str, str], str]

OURS = "pagefold"
#: Those that look at the snapshot itself, so that nodes keep their places.
_IN_PLACE = (OURS, "visible", "raw")
GROUP = "pagefold.filters"


@cache
def _others() -> dict[str, Callable[[], Filter]]:
    found = {entry.name: entry.load for entry in entry_points(group=GROUP)}
    return {"readability": lambda: _readability} | found


def filter_names() -> tuple[str, ...]:
    """Every filter there is: ours first, those of other packages last, by name."""
    return (*_IN_PLACE, *sorted(set(_others()) - set(_IN_PLACE)))


def source_for(name: str, snapshot: Snapshot, visible: Callable[[], str]) -> Snapshot:
    """What the stages after the capture work on: the snapshot, or what another filter made of it.

    Raises:
        InvalidRequest: there is no such filter.
    """
    if name in _IN_PLACE:
        return snapshot
    if name not in _others():
        raise InvalidRequest(
            f"{name!r} is no filter; there are {', '.join(filter_names())}", field="filter"
        )
    html = _others()[name]()(visible(), snapshot.meta.final_url)
    return replace(snapshot, html=serialise(normalise(parse(html))))


def all_visible(tree: Tree) -> Verdicts:
    """Verdicts that hide nothing."""
    return Verdicts([VISIBLE] * len(tree), [""] * len(tree))


def one_region(tree: Tree) -> Regions:
    """The page as a single region, all of it main."""
    return Regions([RegionNode(0, "other", 1.0, ())], [0] * len(tree), [True] * len(tree))


def visible_html(tree: Tree, verdicts: Verdicts) -> str:
    """The document without what no one can see and without annotations. Linear."""
    out = Tree([], [], [], [], [])
    moved = [-1] * len(tree)
    node = 0
    while node < len(tree):
        if verdicts.state[node] == HIDDEN:
            node = tree.end[node]
            continue
        moved[node] = len(out)
        attrs = tree.attrs[node] or {}
        out.tag.append(tree.tag[node])
        out.parent.append(moved[tree.parent[node]] if node else -1)
        out.end.append(0)
        out.attrs.append({k: v for k, v in attrs.items() if not k.startswith("data-pf-")} or None)
        out.text.append(tree.text[node])
        node += 1
    for index in range(len(out) - 1, -1, -1):
        out.end[index] = max(out.end[index], index + 1)
        above = out.parent[index]
        if above >= 0:
            out.end[above] = max(out.end[above], out.end[index])
    return serialise(out)


def _readability(html: str, url: str) -> str:
    from readability import Document  # reading lxml takes a while, and few ask for it
    from readability.readability import Unparseable

    try:
        return str(Document(html, url=url).summary(html_partial=True))
    except Unparseable:
        return ""
