"""Consent banners: a box apart from the page, that speaks of cookies, with a button to answer it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from extractor.regions.names import is_consent_choice, speaks_of_consent
from extractor.regions.result import RegionNode
from extractor.regions.semantics import Evidence
from extractor.tree import TEXT

if TYPE_CHECKING:
    from extractor.regions.score import Scene

#: A consent box has at most this many characters (long lists of partners included) and is read so far.
MAX_CHARS, MAX_READ = 6_000, 150
_APART = frozenset({"dialog", "overlay"})
_BUTTONS = frozenset({"button", "a", "input"})


def asks_consent(scene: Scene, node: int, found: list[Evidence]) -> RegionNode | None:
    """The consent region at ``node``, or ``None``. An article about cookies is none: it asks nothing."""
    tree, chars = scene.tree, scene.features.chars[node]
    if chars > MAX_CHARS or chars > 0.7 * scene.whole and chars > 400:
        return None
    attrs = tree.attrs[node] or {}
    name = f"{attrs.get('id', '')} {attrs.get('class', '')} {attrs.get('aria-label', '')}"
    apart = [e.text for e in found if e.role in _APART and e.weight >= 0.3]
    named = "consent" in scene.names.hints(name)
    if not apart and not named:
        return None
    stop = min(tree.end[node], node + MAX_READ)
    words = speaks_of_consent(" ".join(tree.text[node:stop]))
    answers = _answers(scene, node, stop)
    reasons = [*apart]
    if named:
        reasons.append("name:consent")
    if words:
        reasons.append("words:consent")
    if answers:
        reasons.append("controls:consent_choice")
    score = 0.3 * bool(apart) + 0.3 * named + 0.3 * words + 0.3 * answers
    if score < 0.59 or not words and not (named and answers) or not apart and not answers:
        return None
    return RegionNode(node, "consent", round(min(score, 0.99), 2), tuple(reasons))


def _answers(scene: Scene, node: int, stop: int) -> bool:
    tree = scene.tree
    for inner in range(node + 1, stop):
        if tree.tag[inner] in _BUTTONS and tree.tag[inner] != TEXT:
            attrs = tree.attrs[inner] or {}
            label = "".join(tree.text[inner : min(tree.end[inner], stop)]) or attrs.get("value", "")
            if is_consent_choice(label):
                return True
    return False
