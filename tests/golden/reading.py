"""What a check reads out of a page, through a parser that is not the program's own."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from justhtml import JustHTML

from extractor import Page, filter_snapshot, unfold
from extractor.snapshot import Snapshot

_INLINE = frozenset(
    "a abbr b bdi bdo cite code del dfn em font i ins kbd label mark q ruby rt rp s samp small span "
    "strong sub sup time tt u var wbr".split()
)
_NAMING = ("aria-label", "alt", "title", "value", "placeholder", "label", "data-pf-tex")
_MARKS = re.compile(r"[\\*_`~]")
FORMATS = ("html", "markdown", "text", "outline", "links", "metadata")


def squeeze(text: str) -> str:
    """One space wherever white space stood."""
    return re.sub(r"[ \t\n\f\r]+", " ", text).strip()


def unmarked(markdown: str) -> str:
    """Markdown without emphasis and escapes, in one line."""
    return squeeze(_MARKS.sub("", markdown))


def pieces(root: Any) -> Iterator[tuple[Any, str, str]]:
    """Each text and its parent; and with an element its naming attributes. Block ends give a space."""
    stack: list[Any] = [root]
    while stack:
        node = stack.pop()
        if isinstance(node, str):
            yield None, node, ""
        elif node.name == "#text":
            yield node.parent, node.data or "", ""
        elif node.name not in ("head", "#comment", "!doctype"):
            attrs = getattr(node, "attrs", None) or {}
            names = [attrs[name] or "" for name in _NAMING if name in attrs]
            if names:
                yield node, "", " ".join(names)
            edge = "" if node.name in _INLINE else " "
            stack += [edge, *reversed(node.children), edge]


@dataclass
class Reading:
    """The outputs of one snapshot under some options, and views of them."""

    snapshot: Snapshot
    options: dict[str, Any] = field(default_factory=dict)

    @cached_property
    def page(self) -> Page:
        """Every format of it."""
        return filter_snapshot(self.snapshot, format=FORMATS, **self.options)

    @property
    def html(self) -> str:
        return self.page.content["html"]

    @cached_property
    def tree(self) -> Any:
        """The HTML output as a second parser sees it."""
        return JustHTML(self.html, sanitize=False).root

    @cached_property
    def words(self) -> str:
        """The text of the HTML output in one line."""
        return squeeze("".join(text for _, text, _ in pieces(self.tree)))

    @cached_property
    def names(self) -> str:
        """What attributes of the HTML output say: labels, alternatives, values."""
        return squeeze(" ".join(name for _, _, name in pieces(self.tree)))

    @cached_property
    def everything(self) -> str:
        """All outputs, markup and all."""
        parts = [str(part) for part in self.page.content.values()]
        return "\n".join([*parts, self.words, self.names])

    @cached_property
    def main(self) -> str:
        """What a reader who asks for the main content gets."""
        options = {**self.options, "main_only": True}
        html = filter_snapshot(self.snapshot, format="html", **options).content["html"]
        found = list(pieces(JustHTML(html, sanitize=False).root))
        return squeeze("".join(text for _, text, _ in found) + " ".join(name for *_, name in found))

    @cached_property
    def full_markdown(self) -> str:
        """Markdown of all regions."""
        options = {**self.options, "main_only": False}
        page = filter_snapshot(self.snapshot, format="markdown", **options)
        return page.content["markdown"]

    def region_texts(self, role: str) -> list[str]:
        """The text of each region of a role."""
        return [
            squeeze(unfold(self.snapshot, region.ref, format="text"))
            for region in self.page.regions
            if region.role == role
        ]

    def around(self, words: str) -> list[dict[str, str | None]]:
        """The attributes of every element around the first text that holds ``words``."""
        for parent, text, _ in pieces(self.tree):
            if words in squeeze(text):
                found, node = [], parent
                while node is not None:
                    found.append(getattr(node, "attrs", None) or {})
                    node = node.parent
                return found
        return []
