"""What the finders look up in a judged document, and what they find."""

from __future__ import annotations

import json
import re
from bisect import bisect_left
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Literal

from extractor.regions import Regions
from extractor.tree import TEXT, Attrs, semantic
from extractor.units import Doc

Kind = Literal[
    "details", "tab", "accordion", "until_found", "menu", "load_more", "pagination", "scroller",
    "virtual_list", "lazy_images", "growth",
]  # fmt: skip

LABEL_CHARS = 80
#: A control says what it does in a few words.
CONTROL_CHARS = 60
_CONTROLS = frozenset({"a", "button", "input"})
_TELLING = frozenset(
    {"data-pf-c", "data-pf-more", "aria-expanded", "aria-setsize", "aria-rowcount"}
)


@dataclass(frozen=True, slots=True)
class Found:
    """One find; ``node`` is the control or the part, ``count`` the items behind it."""

    kind: Kind
    node: int
    label: str
    control: str = ""
    count: int = 1


class Lookup:
    """A judged document, read once.

    ``opener`` maps the id of a part to the control that names it, ``by_id`` ids to nodes. ``telling`` lists
    elements that say something of closed parts or of more rows, ``controls`` links and buttons, both in
    document order.
    """

    def __init__(self, doc: Doc, regions: Regions) -> None:
        self.doc, self.tree, self.regions = doc, doc.tree, regions
        self.opener: dict[str, int] = {}
        self.by_id: dict[str, int] = {}
        self._before: dict[int, dict[int, int]] = {}
        self._called: dict[int, str] = {}
        self.telling: list[int] = []
        self.controls: list[int] = []
        for node, attrs in enumerate(self.tree.attrs):
            if attrs:
                self._read(node, attrs)
                role = attrs.get("role")
                if role == "button" or attrs.get("data-pf-tag") == "a":
                    self.controls.append(node)
                    continue
            if self.tree.tag[node] in _CONTROLS:
                self.controls.append(node)

    def _read(self, node: int, attrs: Attrs) -> None:
        if "id" in attrs:
            self.by_id.setdefault(attrs["id"], node)
        if "aria-controls" in attrs:
            for name in attrs["aria-controls"].split():
                self.opener.setdefault(name, node)
        if not _TELLING.isdisjoint(attrs) or attrs.get("role") == "tab":
            self.telling.append(node)

    def before(self, node: int) -> int:
        """The previous sibling element; -1 where there is none."""
        above = self.tree.parent[node]
        if above not in self._before:
            found, last, child = self._before.setdefault(above, {}), -1, above + 1
            while above >= 0 and child < self.tree.end[above]:
                if self.tree.tag[child] != TEXT:
                    found[child] = last
                    last = child
                child = self.tree.end[child]
        return self._before[above].get(node, -1)

    def text(self, node: int, most: int = LABEL_CHARS) -> str:
        """The beginning of a subtree's visible text, or its label where it has no text."""
        low, high = self.runs(node)
        text = ""
        for run in range(low, high):
            text = f"{text} {self.doc.run_text[run]}".strip()
            if len(text) > most:
                return text[: most - 1].rstrip() + "…"
        return text or self.attr(node, "aria-label")[:most]

    def called(self, control: int) -> str:
        """What a control is called; one character more than ``CONTROL_CHARS`` where that is too long."""
        if control not in self._called:
            self._called[control] = self.text(control, CONTROL_CHARS + 1)
        return self._called[control]

    def runs(self, node: int) -> tuple[int, int]:
        """First run inside a node and the one past the last."""
        nodes = self.doc.run_node
        return bisect_left(nodes, node), bisect_left(nodes, self.tree.end[node])

    def attr(self, node: int, name: str) -> str:
        """An attribute, empty where there is none."""
        return (self.tree.attrs[node] or {}).get(name, "")

    def tag(self, node: int) -> str:
        """The tag that the page used."""
        return semantic(self.tree, node)


@cache
def words(name: str) -> re.Pattern[str]:
    """What controls of one purpose are called, in many languages; matched against case-folded text."""
    text = files("extractor.unseen").joinpath("words.json").read_text("utf-8")
    return re.compile("(?:" + "|".join(json.loads(text)[name]) + ")")
