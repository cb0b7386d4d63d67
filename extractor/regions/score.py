"""From evidence to a role: what speaks for each role of a block is added up, and the best one wins."""

from __future__ import annotations

from dataclasses import dataclass, field

from extractor.regions import weights
from extractor.regions.addresses import Said, addressed
from extractor.regions.consent import asks_consent
from extractor.regions.features import Features
from extractor.regions.geometry import Page, placed
from extractor.regions.names import Names
from extractor.regions.repetition import MANY
from extractor.regions.result import RegionNode
from extractor.regions.semantics import IN_ARTICLE, Evidence, said
from extractor.tree import Attrs, Tree

#: Blocks of more nodes than this are not searched for share links, page numbers and the like.
MAX_SMALL = 600
#: Roles whose first words say something of a small block only: larger ones merely begin with such a block.
_LABELS_OF_SMALL = frozenset({"nav", "share", "ad", "dialog", "footer"})
#: Roles that say more than the general one, which their blocks have as well.
_SPECIAL = {"nav": ("toc", "pagination"), "aside": ("toc", "pagination", "share")}


@dataclass(frozen=True, slots=True)
class Scene:
    """Everything about a page that the score of one block may look at.

    ``inside`` holds what encloses each node (bits of ``semantics.IN_*``), ``ids`` the ids of the page's
    elements, ``titles`` the nodes of ``h1``; ``body`` is the body's index, ``whole``, ``plain`` and
    ``prose`` its visible characters, those outside links, and its running text; ``links`` keeps what its
    links say.
    """

    tree: Tree
    features: Features
    names: Names
    page: Page
    inside: list[int]
    ids: set[str]
    titles: list[int]
    url: str
    body: int
    whole: int
    prose: int
    plain: int
    links: dict[int, Said] = field(default_factory=dict)

    @property
    def is_article(self) -> bool:
        """Whether one block holds much of the running text: on such a page, lists of links are aside."""
        told = self.features.body_prose
        return (
            told >= weights.ARTICLE_PROSE
            and told >= weights.ARTICLE_SHARE * self.prose
            and self.prose >= weights.TOLD_SHARE * self.plain
        )


def score(scene: Scene, node: int, *, small: bool) -> RegionNode | None:
    """The role of one block, or ``None``. ``small`` lets its links be looked at one by one."""
    tree, features = scene.tree, scene.features
    attrs = tree.attrs[node] or {}
    tag = features.tag[node]
    found = said(tag, attrs, scene.inside[tree.parent[node]])
    if attrs:
        found += placed(attrs, scene.page, features.chars, node, scene.whole)
        found += _hinted(scene, node, attrs)
    found += _announced(scene, node)
    if small and features.link_count[node] >= 2 and features.link_share(node) >= weights.SOME_LINKS:
        found += addressed(tree, node, scene.ids, scene.url, scene.links)
    if features.chars[node] <= weights.PART * scene.whole:
        found += _chosen(features, node)
    if not found:
        return None
    consent = asks_consent(scene, node, found)
    if consent is not None:
        return consent
    return _best(scene, node, found)


def _chosen(features: Features, node: int) -> list[Evidence]:
    """Boxes to tick and lists to pick from, with hardly a field to write in: facets, sort orders."""
    picks = features.controls[node] - features.entries[node]
    if picks < weights.PICKS or features.entries[node] > 1 or features.prose[node]:
        return []
    if features.link_share(node) < weights.ALL_CHOICES or features.images[node]:
        return []
    return [Evidence("search", weights.CHOICES, f"choices:{picks}")]


def _hinted(scene: Scene, node: int, attrs: Attrs) -> list[Evidence]:
    if "class" not in attrs and "id" not in attrs and "aria-label" not in attrs:
        return []
    if _is_substance(scene, node):
        return []
    name = f"{attrs.get('id', '')} {attrs.get('class', '')} {attrs.get('aria-label', '')}"
    return [
        Evidence(role, _trust(scene, role, weights.NAME), f"name:{role}")
        for role in scene.names.hints(name)
        if role != "consent"
    ]


def _trust(scene: Scene, role: str, weight: float) -> float:
    """On a page of cards, what is headed "latest" or "popular" may well be the content."""
    return weight if role != "aside" or scene.is_article else weight - weights.DOUBT


def _announced(scene: Scene, node: int) -> list[Evidence]:
    first = scene.features.first_text[node]
    if not first or _is_substance(scene, node):
        return []
    role = scene.names.lead(scene.tree.text[first])
    if not role or scene.tree.tag[scene.tree.parent[first]] in ("a", "button"):
        return []
    if role in _LABELS_OF_SMALL and scene.features.chars[node] > weights.SHORT:
        return []
    return [Evidence(role, _trust(scene, role, weights.LEAD), f"lead:{role}")]


def _is_substance(scene: Scene, node: int) -> bool:
    """Whether a block holds so much of the page that no label can make it a side matter.

    What is left of the page without it must be less than a short article.
    """
    features = scene.features
    if scene.prose - features.prose[node] >= weights.ARTICLE_PROSE:
        return False
    if features.prose[node] > 0.5 * scene.prose:
        return True
    if features.chars[node] <= 0.5 * scene.whole:
        return False
    return features.link_share(node) < weights.LINKY or features.headings[node] >= 3


def traits(features: Features, node: int) -> list[tuple[str, str]]:
    """The shape of a block: names of traits (see ``weights.SHAPE``), each with its evidence."""
    chars, prose = features.chars[node], features.prose[node]
    share = features.link_share(node)
    found = []
    if share >= weights.LINKY:
        found.append(("linky", f"link_share:{share:.2f}"))
    if features.repeat[node] >= weights.REPEATS:
        found.append(("repeat", f"repeat:{features.repeat[node]}"))
    if prose >= weights.WORDY and share < 0.3:
        found.append(("wordy", f"prose:{prose}"))
    if prose:
        found.append(("sentence", f"prose:{prose}"))
    if prose >= weights.PROSE:
        found.append(("prose", f"prose:{prose}"))
    if features.controls[node]:
        found.append(("fields", f"controls:{features.controls[node]}"))
    if features.controls[node] and chars <= weights.FORM:
        found.append(("controls", f"controls:{features.controls[node]}"))
    if features.images[node] >= 2:
        found.append(("images", f"images:{features.images[node]}"))
    if chars <= weights.TINY:
        found.append(("tiny", f"chars:{chars}"))
    if chars <= weights.SHORT:
        found.append(("short", f"chars:{chars}"))
    return found


def _best(scene: Scene, node: int, found: list[Evidence]) -> RegionNode | None:
    totals: dict[str, float] = {}
    for evidence in found:
        totals[evidence.role] = totals.get(evidence.role, 0.0) + evidence.weight
    shape = traits(scene.features, node)
    for role in totals:
        table = weights.SHAPE.get(role)
        if table:
            totals[role] += sum(table.get(trait, 0.0) for trait, _ in shape)
    role = max(totals, key=lambda name: (totals[name], name))
    for special in _SPECIAL.get(role, ()):
        if totals.get(special, 0.0) >= weights.THRESHOLD and _fits(scene, node, special):
            role = special
    if totals[role] < weights.THRESHOLD - 1e-9 or not _fits(scene, node, role):
        return None
    table = weights.SHAPE.get(role, {})
    reasons = [e.text for e in found if e.role == role]
    borne_out = [text for trait, text in shape if table.get(trait, 0.0) > 0]
    if role == "aside" and _only_named(reasons, borne_out):
        return None
    reasons += borne_out
    return RegionNode(node, role, round(min(totals[role], 0.99), 2), tuple(dict.fromkeys(reasons)))


def _only_named(reasons: list[str], borne_out: list[str]) -> bool:
    """Whether nothing but names and first words speaks for a role; how short it is does not count."""
    return all(text.startswith(("name:", "lead:")) for text in reasons) and all(
        text.startswith("chars:") for text in borne_out
    )


def _fits(scene: Scene, node: int, role: str) -> bool:
    """Whether a block may have a role at all, whatever speaks for it."""
    features = scene.features
    chars = features.chars[node]
    if role == "table":
        return chars >= 100
    if role == "form":
        return features.prose[node] < weights.WORDY and chars < 0.5 * scene.whole
    if role == "share":
        return chars <= weights.SHORT
    if role == "toc":
        return features.link_share(node) >= weights.LINKY
    if role == "article":
        above = scene.tree.parent[node]
        return not scene.inside[above] & IN_ARTICLE and features.repeat[above] < MANY
    return role not in ("aside", "comments") or not _is_substance(scene, node)
