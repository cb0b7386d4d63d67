"""What kind of page it is, as far as numbers tell: the same for all its blocks."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import urlsplit

import numpy as np

from extractor.regions.features import Features
from extractor.regions.learned.arrays import Floats
from extractor.regions.learned.blocks import SAID, Blocks
from extractor.tree import Tree

#: What a page says of itself is looked for in so many characters of its JSON-LD.
_LD_CHARS = 100_000
_TYPE = re.compile(r'"@type"\s*:\s*\[?\s*"(?:https?://schema\.org/)?(\w+)"')
_TOLD = re.compile(
    r'"(?:description|articleBody|text|name|headline)"\s*:\s*"((?:[^"\\]|\\.){3,2000})"'
)
_WORD = re.compile(r"[^\W\d_]{3,}")
_LD = {
    "article": re.compile(r"\w*Article|BlogPosting|Report"),
    "product": re.compile(r"Product\w*|Offer|AggregateOffer"),
    "list": re.compile(r"ItemList|CollectionPage|OfferCatalog|SearchResultsPage"),
    "forum": re.compile(r"DiscussionForumPosting|QAPage|Question|Comment"),
    "faq": re.compile(r"FAQPage"),
    "business": re.compile(r"LocalBusiness|Service|Organization|Person"),
    "recipe": re.compile(r"Recipe|HowTo|Event|JobPosting|VideoObject|Course"),
}
_PATHS = {
    "shop": re.compile(r"product|/p/|/dp/|item|shop|store|buy|kaufen", re.I),
    "set": re.compile(r"categor|collection|/c/|/tag|archive|browse|list|catalog", re.I),
    "forum": re.compile(
        r"forum|thread|topic|question|discussion|/t/|/r/|community|viewtopic", re.I
    ),
    "docs": re.compile(r"docs?[./]|guide|reference|manual|api|wiki|help|learn|tutorial", re.I),
    "blog": re.compile(r"blog|news|article|post|story|/20\d\d/", re.I),
    "about": re.compile(r"service|about|contact|pricing|solution|team|company|industr", re.I),
    "jobs": re.compile(r"job|career|real-?estate|hotel|listing|event|directory|homes", re.I),
}
_OG = ("article", "product", "website", "profile")


@dataclass(frozen=True, slots=True)
class Told:
    """What a page says of itself: types of its JSON-LD, ``og:type``, and words of its descriptions."""

    types: tuple[str, ...]
    og_type: str
    title: frozenset[str]
    words: frozenset[str]


def told_by(tree: Tree, json_ld: Sequence[str]) -> Told:
    """Read from the head's ``meta`` elements, its title, and JSON-LD."""
    data = "\n".join(json_ld)[:_LD_CHARS]
    texts, og_type, title = _TOLD.findall(data), "", ""
    for node, tag in enumerate(tree.tag):
        if tag == "body":
            break
        attrs = tree.attrs[node]
        if tag == "meta" and attrs and "content" in attrs:
            name = attrs.get("property") or attrs.get("name") or ""
            if name == "og:type":
                og_type = attrs["content"].lower()
            elif name in ("description", "og:description"):
                texts.append(attrs["content"])
            elif name == "og:title":
                title += " " + attrs["content"]
        elif tag == "title" and node + 1 < len(tree):
            title += " " + tree.text[node + 1]
    return Told(
        tuple(dict.fromkeys(_TYPE.findall(data))),
        og_type,
        frozenset(_WORD.findall(title.lower())),
        frozenset(_WORD.findall(" ".join(texts).lower())),
    )


def page_facts(
    tree: Tree, features: Features, blocks: Blocks, url: str, told: Told
) -> dict[str, float]:
    """Numbers of the page as a whole, by name."""
    count = max(len(blocks), 1)
    chars = max(float(blocks.chars.sum()), 1.0)
    said = dict(zip(SAID, blocks.said.sum(axis=0).tolist(), strict=True))
    address = urlsplit(url)
    path = address.path + ("?" + address.query if address.query else "")
    words = (address.hostname or "") + path
    found = {
        "chars": chars,
        "blocks": float(count),
        "link_share": float(blocks.links.sum()) / chars,
        "prose": features.prose[0] / chars,
        "body_prose": features.body_prose / chars,
        "prices": said["price"] / count,
        "dates": said["date"] / count,
        "ends": said["ends"] / count,
        "digits": said["digits"] / chars,
        "headings": features.headings[0] / count,
        "images": features.images[0] / count,
        "controls": features.controls[0] / count,
        "entries": float(features.entries[0]),
        "repeat": float(max(features.repeat, default=0)),
        "path_depth": float(path.strip("/").count("/") + bool(path.strip("/"))),
        "path_length": float(len(path)),
        "path_digits": sum(map(str.isdigit, path)) / max(len(path), 1),
        "path_dashes": float(path.count("-")),
    }
    for name, pattern in _LD.items():
        found[f"ld_{name}"] = float(any(map(pattern.fullmatch, told.types)))
    for name in _OG:
        found[f"og_{name}"] = float(told.og_type.startswith(name))
    for name, pattern in _PATHS.items():
        found[f"at_{name}"] = float(pattern.search(words) is not None)
    return found


def echoed(blocks: Blocks, told: Told) -> tuple[Floats, Floats]:
    """Per block, the share of its first words that stand in the page's title, and in its descriptions."""
    title, words = told.title, told.words
    shares = [
        (
            sum(map(title.__contains__, first)) / (len(first) or 1),
            sum(map(words.__contains__, first)) / (len(first) or 1),
        )
        for first in blocks.first_words
    ]
    found = np.asarray(shares, dtype=np.float32).reshape(len(blocks), 2)
    return found[:, 0], found[:, 1]
