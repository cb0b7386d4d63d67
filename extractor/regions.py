"""Which part of the page plays which role, with the evidence for it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from extractor.tree import TEXT, Tree, body_of, semantic
from extractor.visibility import HIDDEN, Verdicts

_BY_TAG = {
    "main": "main", "nav": "nav", "aside": "aside", "header": "header", "footer": "footer",
    "search": "search", "dialog": "dialog", "form": "form", "table": "table",
}  # fmt: skip
_BY_ARIA = {
    "main": "main", "navigation": "nav", "complementary": "aside", "banner": "header",
    "contentinfo": "footer", "search": "search", "dialog": "dialog", "alertdialog": "dialog",
    "form": "form",
}  # fmt: skip
_NAMES = (
    ("consent", re.compile(r"cookie|consent|gdpr|cmp\b|onetrust|didomi", re.I)),
    ("comments", re.compile(r"\bcomments?\b|\bdiscuss|disqus|kommentare|commentaires", re.I)),
    ("nav", re.compile(r"\bnav|menu|breadcrumb|sidebar|toolbar", re.I)),
    ("footer", re.compile(r"foot(er)?\b|copyright|impressum", re.I)),
    ("share", re.compile(r"\bshare|social", re.I)),
    ("ad", re.compile(r"\bads?\b|advert|sponsor|promo", re.I)),
    ("pagination", re.compile(r"pag(er|ination)", re.I)),
    ("toc", re.compile(r"\btoc\b|table-of-contents|contents-list", re.I)),
)
_CONSENT_WORDS = re.compile(r"cookies?|consent|partners|privacy|einwillig|datenschutz|同意", re.I)
_SECTIONING = frozenset({"article", "main", "section"})
#: A named block counts as what its name says only when most of its text is links, or it is this short.
LINKY = 0.5
SHORT = 400


@dataclass(frozen=True, slots=True)
class RegionNode:
    """A subtree with a role; ``confidence`` is 0 to 1."""

    node: int
    role: str
    confidence: float
    evidence: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Regions:
    """Regions of a page. ``role_of`` maps each node to the innermost region; item 0 is the page."""

    items: list[RegionNode]
    role_of: list[int]
    main: list[bool]

    def is_main(self, node: int) -> bool:
        """Whether a node belongs to the main content."""
        return self.main[node]


def find_regions(tree: Tree, verdicts: Verdicts, chars: Sequence[int]) -> Regions:
    """Roles from semantics first, then from names that the text statistics bear out. Linear."""
    links = _link_chars(tree, verdicts, chars)
    found: dict[int, RegionNode] = {}
    for node in range(body_of(tree) + 1, len(tree)):
        if tree.tag[node] != TEXT and verdicts.state[node] != HIDDEN and chars[node]:
            region = _role(tree, node, chars, links, found)
            if region is not None:
                found[node] = region
    mains = _mains(tree, chars, links, found)
    for node in mains:
        found[node] = RegionNode(node, "main", 0.9 if node in found else 0.6, ("main content",))
    return _assemble(tree, found, mains)


def _link_chars(tree: Tree, verdicts: Verdicts, chars: Sequence[int]) -> list[int]:
    size = len(tree)
    links = [0] * size
    for node in range(size - 1, 0, -1):
        if tree.tag[node] == "a" or tree.tag[node] == "button":
            links[node] = chars[node]
        links[tree.parent[node]] += links[node]
    return links


def _role(
    tree: Tree, node: int, chars: Sequence[int], links: Sequence[int], found: dict[int, RegionNode]
) -> RegionNode | None:
    tag, attrs = semantic(tree, node), tree.attrs[node] or {}
    name = f"{attrs.get('id', '')} {attrs.get('class', '')} {attrs.get('aria-label', '')}"
    role = _BY_ARIA.get(attrs.get("role", "")) or _BY_TAG.get(tag)
    share = links[node] / max(chars[node], 1)
    if role in ("dialog", "other", None) and chars[node] < 4000:
        fixed = "data-pf-pos" in attrs or role == "dialog"
        if (
            fixed
            and _NAMES[0][1].search(name)
            or fixed
            and _CONSENT_WORDS.search(_start(tree, node))
        ):
            return RegionNode(node, "consent", 0.9, ("fixed or dialog", "consent words"))
    if role in ("header", "footer", "aside") and _inside(tree, node, _SECTIONING):
        return None
    if role == "form" and (chars[node] > SHORT * 2 or "main" in tree.tag[node : tree.end[node]]):
        return None
    if role == "table" and chars[node] < SHORT // 4:
        return None
    if role:
        return RegionNode(node, role, 0.95, (attrs.get("role") and "aria role" or f"<{tag}>",))
    if tag in ("div", "section", "ul", "ol"):
        for guess, pattern in _NAMES[1:]:
            if pattern.search(name) and (share > LINKY or guess == "comments"):
                return RegionNode(node, guess, 0.6, ("name", f"link share {share:.2f}"))
    return None


def _start(tree: Tree, node: int) -> str:
    return " ".join(tree.text[node : min(tree.end[node], node + 60)])


def _inside(tree: Tree, node: int, tags: frozenset[str]) -> bool:
    node = tree.parent[node]
    while node > 0:
        if semantic(tree, node) in tags or (tree.attrs[node] or {}).get("role") == "main":
            return True
        node = tree.parent[node]
    return False


def _mains(
    tree: Tree, chars: Sequence[int], links: Sequence[int], found: dict[int, RegionNode]
) -> list[int]:
    """Every visible main; else articles; else the block that holds most of the running text."""
    body = body_of(tree)
    declared = [n for n, region in found.items() if region.role == "main"]
    if sum(chars[n] for n in declared) >= 0.1 * chars[body]:
        return declared
    score = [0.0] * len(tree)
    skip = 0
    for node in range(body + 1, len(tree)):
        if node < skip:
            continue
        if node in found and found[node].role not in ("main", "form", "table", "dialog"):
            skip = tree.end[node]
            continue
        if tree.tag[node] == TEXT and chars[node]:
            above = tree.parent[node]
            share = links[above] / max(chars[above], 1)
            score[node] = chars[node] * (1 - share)
    for node in range(len(tree) - 1, body, -1):
        score[tree.parent[node]] += score[node]
    if score[body] < 1:
        return [body]
    best = body
    child = body
    while child:
        best, child = child, 0
        node = best + 1
        while node < tree.end[best]:
            if tree.tag[node] != TEXT and score[node] > 0.85 * score[best]:
                child = node
            node = tree.end[node]
    return [best]


def _assemble(tree: Tree, found: dict[int, RegionNode], mains: list[int]) -> Regions:
    items = [RegionNode(0, "other", 1.0, ())]
    role_of, main = [0] * len(tree), [False] * len(tree)
    chosen = set(mains)
    for node in range(1, len(tree)):
        above = tree.parent[node]
        role_of[node], main[node] = role_of[above], main[above]
        region = found.get(node)
        if region is None:
            continue
        items.append(region)
        role_of[node] = len(items) - 1
        if node in chosen:
            main[node] = True
        elif region.role in ("nav", "consent", "ad", "share", "footer", "comments"):
            main[node] = region.role == "comments" and main[above]
    return Regions(items, role_of, main)
