"""What a person can open with one click, told apart from what nobody is meant to see.

The kinds are those of the page script (``js/collapsed.js``).
"""

from __future__ import annotations

import re

from extractor.styles import Shown
from extractor.tree import Attrs, Tree

_TABBED = re.compile(
    r"(?:^|[\s_-])(?:tabs?|tab-?pane|tab-?panel|tab-?content|tab-?item|swiper-slide|slide)(?:$|[\s_-])",
    re.I,
)
_ACCORDION = re.compile(
    r"(?:^|[\s_-])(?:accordion|collapse|collapsible|expandable|panel-collapse)(?:$|[\s_-])", re.I
)
_MENU_ROLES = frozenset({"navigation", "menubar", "menu"})
#: What names the part that a control opens.
_OPENS = frozenset({"aria-controls", "data-target", "data-bs-target"})
_LISTS = frozenset({"ul", "ol", "menu"})
_NONE: Attrs = {}
#: Siblings, and nodes inside, that are looked at for one element.
_MOST = 200


class Openers:
    """The controls of a document and what each would open."""

    def __init__(self, tree: Tree, shown: Shown) -> None:
        self.tree, self.shown = tree, shown
        self._kinds: dict[str, str] | None = None

    def kind_of(self, node: int, before: int) -> str:
        """``details``, ``tab``, ``accordion``, ``until_found``, ``menu``, or "" when nothing opens it.

        Args:
            before: the element before ``node`` under the same parent, or -1.
        """
        tree = self.tree
        attrs = tree.attrs[node] or _NONE
        if attrs.get("hidden") == "until-found":
            return "until_found"
        role = attrs.get("role", "")
        if role == "tabpanel":
            return "tab"
        kind = self._controlled().get(attrs.get("id", ""), "")
        if kind:
            return kind
        opener = self._opener(before) if before >= 0 else ""
        if opener in ("menu", "accordion"):
            return opener
        named = attrs.get("class", "")
        if _ACCORDION.search(named):
            return "accordion"
        if self._has_shown_twin(node, named):
            return "tab"
        return "menu" if self._is_menu(node, role) else ""

    def _controlled(self) -> dict[str, str]:
        if self._kinds is None:
            self._kinds = {}
            for attrs in self.tree.attrs:
                if attrs is None or _OPENS.isdisjoint(attrs):
                    continue
                names = [attrs[name] for name in _OPENS if name in attrs]
                kind = _kind_of_control(attrs)
                for name in re.split(r"[\s#]+", " ".join(names)) if kind else ():
                    if name:
                        self._kinds[name] = kind
        return self._kinds

    def _opener(self, node: int) -> str:
        tree = self.tree
        own = _kind_of_control(tree.attrs[node] or _NONE)
        if own:
            return own
        for inner in range(node + 1, min(tree.end[node], node + _MOST)):
            attrs = tree.attrs[inner]
            if attrs and attrs.get("aria-expanded") == "false":
                return _kind_of_control(attrs)
        return ""

    def _has_shown_twin(self, node: int, named: str) -> bool:
        """Whether a sibling of the same make is shown where names speak of tabs."""
        tree = self.tree
        parent = tree.parent[node]
        around = (tree.attrs[parent] or _NONE).get("class", "")
        if not _TABBED.search(named) and not _TABBED.search(around):
            return False
        sibling, looked = parent + 1, 0
        while sibling < tree.end[parent] and looked < _MOST:
            if tree.tag[sibling] == tree.tag[node] and sibling != node:
                hidden = sibling in self.shown.subtree or "hidden" in (tree.attrs[sibling] or _NONE)
                if not hidden:
                    return True
            sibling, looked = tree.end[sibling], looked + 1
        return False

    def _is_menu(self, node: int, role: str) -> bool:
        tree = self.tree
        if tree.tag[node] not in _LISTS and role != "menu":
            tags = tree.tag[node : min(tree.end[node], node + _MOST)]
            if "a" not in tags or "li" not in tags:
                return False
        above = node
        while above > 0:
            attrs = tree.attrs[above] or _NONE
            if tree.tag[above] in ("nav", "header") or attrs.get("role") in _MENU_ROLES:
                return True
            above = tree.parent[above]
        return False


def _kind_of_control(attrs: Attrs) -> str:
    if attrs.get("role") == "tab":
        return "tab"
    popup = attrs.get("aria-haspopup", "")
    if popup and popup not in ("false", "dialog"):
        return "menu"
    return "accordion" if attrs.get("aria-expanded") == "false" else ""


def is_shut_details(tree: Tree, node: int) -> bool:
    """Whether ``node`` is a ``details`` that shows its summary alone."""
    return tree.tag[node] == "details" and "open" not in (tree.attrs[node] or _NONE)


def summary_of(tree: Tree, details: int) -> int:
    """The first ``summary`` under a ``details``, or -1."""
    child = details + 1
    while child < tree.end[details]:
        if tree.tag[child] == "summary":
            return child
        child = tree.end[child]
    return -1
