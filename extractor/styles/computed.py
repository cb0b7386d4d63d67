"""From declarations to verdicts.

The reasons are those of the browser path; without layout only what the declarations alone prove is said.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, field

from extractor.styles.boxes import box_reason, may_escape
from extractor.styles.cascade import Styles
from extractor.styles.handed import Handed, Own, handed_by
from extractor.styles.media import Viewport
from extractor.tree import TEXT, Tree

#: Shown as pictures, fields and frames: ``visibility`` hides them whole.
_ATOMS = frozenset(
    {"img", "iframe", "canvas", "video", "audio", "svg", "math", "input", "textarea"}
)
_PICTURES = frozenset({"img", "picture", "video", "canvas", "svg", "iframe", "object", "embed"})
#: A page that hides itself will be shown by a script: it cannot be meant never to be seen. So of these
#: elements only what text inherits, and what it stands on, is believed.
_PAGE = frozenset({"html", "body"})
_OF_PAGE = frozenset(
    {"color", "background-color", "background-image", "white-space", "text-fill-color"}
)


@dataclass(slots=True)
class Shown:
    """By node: why its subtree is hidden, why its own text is, labels, and whether white space stays."""

    subtree: dict[int, str] = field(default_factory=dict)
    text: dict[int, str] = field(default_factory=dict)
    label: dict[int, str] = field(default_factory=dict)
    keeps_space: dict[int, bool] = field(default_factory=dict)
    #: Elements that a declaration of ``display`` shows, whatever ``hidden`` says.
    displayed: set[int] = field(default_factory=set)


def shown_by(tree: Tree, styles: Styles, viewport: Viewport, *, complete: bool = True) -> Shown:
    """Verdicts of the declarations. Linear.

    Args:
        complete: whether ``styles`` holds all sheets of the page. Where some are not known, text is
            called unreadable only when one element declares both its colours.
    """
    walk = _Walk(tree, styles, viewport)
    if styles.of:
        walk.run(Handed(complete=complete))
    return walk.found


class _Walk:
    def __init__(self, tree: Tree, styles: Styles, viewport: Viewport) -> None:
        self.tree, self.styles, self.viewport = tree, styles, viewport
        self.found = Shown()
        self.overlaid: dict[int, bool] = {}
        self.shown_again = sorted(node for node, own in styles.of.items() if "visibility" in own)

    def run(self, start: Handed) -> None:
        """Top down; elements that nothing is declared for share what was handed down to them."""
        handed: dict[int, Handed] = {}
        known: dict[tuple[int, int], Handed] = {}
        tags, parents, styles = self.tree.tag, self.tree.parent, self.styles.of
        for node, tag in enumerate(tags):
            if tag == TEXT:
                continue
            above = handed.get(parents[node], start)
            own = styles.get(node)
            here = above
            if own is not None:
                if tag in _PAGE:
                    own = {name: value for name, value in own.items() if name in _OF_PAGE}
                # Elements that the same declarations hold for share them: what stands in the same place
                # comes out the same. Both keys live as long as this walk.
                key = (id(above), id(own))
                cached = known.get(key)
                here = handed_by(own, above, self.viewport) if cached is None else cached
                if tag not in _PAGE:
                    known[key] = here
                reason = self._reason(node, own, here)
                if reason:
                    self.found.subtree[node] = reason
                self._note(node, own, here, above)
            if here is not start:
                handed[node] = here
                if here.unread and not (here.unread == "contrast" and self._overlaid(node)):
                    self.found.text[node] = here.unread

    def _overlaid(self, node: int) -> bool:
        """Whether a picture, or a box laid over others, may stand behind the text: then its ground is not
        known. Only what shares a box that others are placed in can come to lie there."""
        tree, styles = self.tree, self.styles.of
        own = styles.get(node, {})
        if "background-color" in own and "color" in own:
            return False
        around = node
        while around > 0 and styles.get(around, {}).get("position", "static") == "static":
            around = tree.parent[around]
        if around <= 0 or tree.tag[around] in _PAGE:
            return False
        if around not in self.overlaid:
            inside = range(around + 1, tree.end[around])
            self.overlaid[around] = any(
                tree.tag[inner] in _PICTURES
                or styles.get(inner, {}).get("position") in ("absolute", "fixed")
                for inner in inside
            )
        return self.overlaid[around]

    def _reason(self, node: int, own: Own, here: Handed) -> str:
        tag, end = self.tree.tag[node], self.tree.end[node]
        reason = box_reason(own, here, self.viewport)
        if reason == "sr_only":
            self.found.label[node] = reason
            return ""
        if reason == "zero_box" and may_escape(self.styles, node, end, own):
            reason = ""
        if not reason and not here.visible:
            later = bisect_right(self.shown_again, node)
            alone = later == len(self.shown_again) or self.shown_again[later] >= end
            reason = "visibility" if alone or tag in _ATOMS else ""
        return reason

    def _note(self, node: int, own: Own, here: Handed, above: Handed) -> None:
        if here.keeps_space != above.keeps_space:
            self.found.keeps_space[node] = here.keeps_space
        if own.get("display", "none") != "none":
            self.found.displayed.add(node)
