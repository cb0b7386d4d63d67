"""What the markup itself says of a block: HTML5 sections, ARIA landmarks, schema.org types."""

from __future__ import annotations

from typing import NamedTuple

from extractor.tree import Attrs


class Evidence(NamedTuple):
    """Something that speaks for a role (``weight`` above 0) or against it (below)."""

    role: str
    weight: float
    text: str


#: What encloses an element, as bits.
IN_ARTICLE, IN_MAIN, IN_SECTION = 1, 2, 4
SECTIONING = frozenset({"article", "main", "section"})

_TAGS = {
    "main": ("main", 0.95), "nav": ("nav", 0.9), "search": ("search", 0.95),
    "dialog": ("dialog", 0.9), "article": ("article", 0.8), "table": ("table", 0.9),
    "header": ("header", 0.9), "footer": ("footer", 0.9), "aside": ("aside", 0.8),
    "form": ("form", 0.8), "ins": ("ad", 0.3), "menu": ("nav", 0.2),
}  # fmt: skip
_ARIA = {
    "main": ("main", 0.95), "navigation": ("nav", 0.9), "complementary": ("aside", 0.8),
    "banner": ("header", 0.9), "contentinfo": ("footer", 0.9), "search": ("search", 0.95),
    "dialog": ("dialog", 0.9), "alertdialog": ("dialog", 0.95), "form": ("form", 0.8),
    "article": ("article", 0.8), "doc-toc": ("toc", 0.95), "doc-pagelist": ("pagination", 0.7),
    "menubar": ("nav", 0.7), "menu": ("nav", 0.5), "toolbar": ("nav", 0.4), "tablist": ("nav", 0.2),
}  # fmt: skip
_SCHEMA = {
    "WPSideBar": ("aside", 0.6), "WPFooter": ("footer", 0.8), "WPHeader": ("header", 0.8),
    "SiteNavigationElement": ("nav", 0.7), "BreadcrumbList": ("nav", 0.8), "WPAdBlock": ("ad", 0.9),
    "Comment": ("comments", 0.6), "UserComments": ("comments", 0.7), "Review": ("comments", 0.4),
    "SearchAction": ("search", 0.6), "Table": ("table", 0.3),
    "Article": ("article", 0.5), "NewsArticle": ("article", 0.6), "BlogPosting": ("article", 0.5),
    "Recipe": ("article", 0.4), "Product": ("article", 0.2), "TechArticle": ("article", 0.6),
}  # fmt: skip
_PROPERTIES = {
    "comment": ("comments", 0.6), "review": ("comments", 0.4), "reviews": ("comments", 0.4),
    "articleBody": ("article", 0.5), "breadcrumb": ("nav", 0.6), "mainEntity": ("article", 0.2),
    "mainContentOfPage": ("main", 0.7), "keywords": ("nav", 0.3),
}  # fmt: skip
#: Landmarks of the page that are ordinary content inside an article or section.
_OF_THE_PAGE = frozenset({"header", "footer", "aside"})


def said(tag: str, attrs: Attrs, inside: int) -> list[Evidence]:
    """Evidence from tag, ``role``, ``itemtype`` and ``itemprop``; ``inside`` is a sum of ``IN_*``."""
    found = []
    if tag in _TAGS:
        role, weight = _TAGS[tag]
        found.append(Evidence(role, _in_place(role, weight, inside), f"tag:{tag}"))
    if not attrs:
        return found
    aria = attrs.get("role")
    if aria in _ARIA:
        role, weight = _ARIA[aria]
        found.append(Evidence(role, _in_place(role, weight, inside), f"aria:{aria}"))
    if "itemtype" in attrs:
        kind = attrs["itemtype"].rstrip("/").rpartition("/")[2]
        if kind in _SCHEMA:
            found.append(Evidence(*_SCHEMA[kind], f"schema:{kind}"))
    if "itemprop" in attrs and attrs["itemprop"] in _PROPERTIES:
        name = attrs["itemprop"]
        found.append(Evidence(*_PROPERTIES[name], f"schema:{name}"))
    return found


def _in_place(role: str, weight: float, inside: int) -> float:
    """A header, footer or aside says much about a page and little about an article in it."""
    if role not in _OF_THE_PAGE or not inside:
        return weight
    if inside & IN_ARTICLE or role != "aside":
        return 0.2
    return 0.45


def enclosing(tag: str, attrs: Attrs | None) -> int:
    """The bit that an element adds to ``inside`` for what stands in it."""
    if tag == "article":
        return IN_ARTICLE
    if tag == "section":
        return IN_SECTION
    if tag == "main" or attrs and attrs.get("role") == "main":
        return IN_MAIN
    return IN_ARTICLE if attrs and attrs.get("role") == "article" else 0
