"""What the addresses of a block's links say: shares, page numbers, a table of contents, advertisements."""

from __future__ import annotations

import re
from urllib.parse import urldefrag

from extractor.regions.names import advertises, shares
from extractor.regions.semantics import Evidence
from extractor.tree import Attrs, Tree

#: Blocks with more links than this are lists of pages, never one of these small parts.
MAX_LINKS = 300
#: A page number or step is labelled no longer than this.
MAX_LABEL = 24
_NUMBER = re.compile(r"\d{1,4}\Z")
_STEP = re.compile(
    r"(?:[\u00ab\u00bb\u2039\u203a<>\u2190\u2192]+|(?:page )?(?:prev(?:ious)?|next|older|newer|first|last|"
    r"weiter|zur\u00fcck|vorherige|n\u00e4chste|suivante?|pr\u00e9c\u00e9dente?|siguiente|anterior|"
    r"successiv[ao]|precedente|volgende|vorige|nast\u0119pna|\u0432\u043f\u0435\u0440\u0451\u0434|"
    r"\u0441\u043b\u0435\u0434\u0443\u044e\u0449\u0430\u044f|"
    r"\u6b21\u3078?|\u524d\u3078?|\u4e0b\u4e00\u9875|\u4e0a\u4e00\u9875|\ub2e4\uc74c|\uc774\uc804|"
    r"\u0627\u0644\u062a\u0627\u0644\u064a|\u0627\u0644\u0633\u0627\u0628\u0642)"
    r"(?: (?:page|posts?|entries))?)[\s\u00bb\u203a\u2192>]*\Z",
    re.I,
)


#: What one link says: whether it shares, advertises, leads to a place on this page, and is labelled with a
#: page number, or as a step to one.
Said = tuple[bool, bool, bool, bool, bool]


def addressed(
    tree: Tree, node: int, ids: set[str], base: str, known: dict[int, Said]
) -> list[Evidence]:
    """Evidence from the links of one small block. ``ids`` are the ids of this page's elements, ``known``
    keeps what its links say: a link stands in several blocks.
    """
    total = share = numbers = steps = fragments = ads = 0
    for inner in range(node, tree.end[node]):
        attrs = tree.attrs[inner]
        if tree.tag[inner] not in ("a", "iframe", "button", "pf-frame") or attrs is None:
            continue
        total += 1
        if total > MAX_LINKS:
            return []
        said = known.get(inner)
        if said is None:
            said = known[inner] = _said(tree, inner, attrs, ids, base)
        share, ads, fragments = share + said[0], ads + said[1], fragments + said[2]
        numbers, steps = numbers + said[3], steps + said[4]
    return _judge(total, {"share": share, "ad": ads, "toc": fragments}, numbers, steps)


def _said(tree: Tree, node: int, attrs: Attrs, ids: set[str], base: str) -> Said:
    address = attrs.get("href") or attrs.get("src") or ""
    here = "#" in address and _leads_here(address, ids, base)
    label = _label(tree, node, attrs)
    short = len(label) <= MAX_LABEL
    return (
        bool(address) and shares(address),
        bool(address) and advertises(address),
        here,
        short and _NUMBER.match(label) is not None,
        short and _STEP.match(label) is not None,
    )


def _judge(total: int, hits: dict[str, int], numbers: int, steps: int) -> list[Evidence]:
    found = []
    if hits["share"] >= 2 and hits["share"] >= 0.4 * total:
        found.append(Evidence("share", 0.7, f"share_links:{hits['share']}"))
    if hits["toc"] >= 3 and hits["toc"] >= 0.8 * total:
        found.append(Evidence("toc", 0.7, f"own_fragments:{hits['toc']}"))
    if hits["ad"] and hits["ad"] >= 0.5 * total:
        found.append(Evidence("ad", 0.7, f"ad_links:{hits['ad']}"))
    if total and numbers + steps >= 0.8 * total and (numbers >= 2 or steps and total >= 2):
        found.append(Evidence("pagination", 0.7, f"page_links:{numbers + steps}"))
    return found


def _leads_here(address: str, ids: set[str], base: str) -> bool:
    page, fragment = urldefrag(address)
    return fragment in ids and page in ("", base)


def _label(tree: Tree, node: int, attrs: Attrs) -> str:
    label = " ".join("".join(tree.text[node : tree.end[node]]).split())
    return label or attrs.get("aria-label", "")
