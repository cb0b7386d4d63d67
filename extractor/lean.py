"""The same document with less markup: runs, units and refs stay, elements and attributes go.

``FULL`` is all that the allow-list permits. ``LEAN`` is without containers that hold nothing but other
blocks, without emphasis of no meaning, addresses of images, titles and machine-readable dates; a long
address of a link gives way to a ref that unfolds to it. ``BARE`` has headings, paragraphs, lists, tables,
code and controls, and no links. What says that text is closed, hidden, lies under something or is a formula
stays in every degree.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import replace

from extractor.attributes import shorter
from extractor.refs import ref_of
from extractor.render.addresses import REF_ADDRESS
from extractor.tree import TEXT, Attrs, body_of
from extractor.units import Doc, ancestors_of, atom

FULL, LEAN, BARE = range(3)
DEGREES = ("full", "lean", "bare")

#: A link's address up to this length costs no more than a ref that stands for it.
SHORT_ADDRESS = 16
#: Most characters of an image's text in the barest degree.
ALT_CHARS = 80

_LEAN_BLOCKS = frozenset(
    "address article center div figure header hgroup picture search section".split()
)
_BARE_BLOCKS = _LEAN_BLOCKS | {"fieldset", "form"}
_LEAN_INLINE = frozenset(
    "abbr acronym big cite data dfn font label picture slot small span time u var".split()
)
_BARE_INLINE = _LEAN_INLINE | {"a", "b", "em", "i", "kbd", "mark", "samp", "strong", "tt"}
_LEAN_ATTRIBUTES = frozenset(
    "href data-pf-href alt type name value placeholder checked disabled selected multiple open readonly "
    "required colspan rowspan start reversed dir id for label role aria-expanded aria-selected "
    "aria-checked aria-pressed min max data-pf-tag data-pf-tex data-pf-before data-pf-after data-pf-number "
    "data-pf-label data-pf-state data-pf-region data-pf-shadow data-pf-error data-pf-url".split()
)
_BARE_ATTRIBUTES = _LEAN_ATTRIBUTES - frozenset(
    "href data-pf-href name id for role aria-expanded required readonly multiple data-pf-shadow "
    "data-pf-url".split()
)
_KEPT = (frozenset[str](), _LEAN_ATTRIBUTES, _BARE_ATTRIBUTES)
_BLOCKS = (frozenset[str](), _LEAN_BLOCKS, _BARE_BLOCKS)
_INLINE = (frozenset[str](), _LEAN_INLINE, _BARE_INLINE)
_CALLED = frozenset({"aria-label", "title"})
_CONTROLS = frozenset({"button", "input", "meter", "progress", "select", "textarea"})
#: Elements that start a line of their own for whoever reads the output without style sheets.
_LINES = frozenset(
    "address article aside blockquote body caption center dd details dialog dir div dl dt fieldset "
    "figcaption figure footer form h1 h2 h3 h4 h5 h6 header hgroup hr legend li main menu nav ol p pre "
    "search section summary table tbody td tfoot th thead tr ul".split()
)


def leaner(doc: Doc, degree: Sequence[int]) -> Doc:
    """The document with each node's markup in its degree. Linear.

    Text, white space between runs, units and refs are those of ``doc``, which is itself returned where
    nothing in it can be leaner.
    """
    if not any(degree):
        return doc
    spoken = {node for node in doc.run_node if doc.tree.tag[node] != TEXT}
    attrs, start = list(doc.attrs), body_of(doc.tree) + 1
    for node in range(start, len(attrs)):
        if attrs[node] and degree[node]:
            attrs[node] = _attributes(doc, node, degree[node], spoken)
    shown = _shown(doc, attrs, degree)
    if shown == doc.shown and attrs == doc.attrs:
        return doc
    up = ancestors_of(doc.tree, shown)
    lean = replace(doc, attrs=attrs, shown=shown, up=up)
    lean.run_parent = [up[node] for node in doc.run_node]
    lean.run_html = _written(lean, doc, degree)
    return lean


def _attributes(doc: Doc, node: int, degree: int, spoken: set[int]) -> Attrs | None:
    """What is left of an element's attributes; of what has no text (``spoken``) also what it is called."""
    attrs, keep = doc.attrs[node] or Attrs(), _KEPT[degree]
    if node in spoken:
        keep = keep | _CALLED
    elif doc.tags[node] in _CONTROLS:
        keep = keep | {"aria-label"}
    kept = Attrs({name: value for name, value in attrs.items() if name in keep})
    if "title" in kept and (kept.get("alt") or kept.get("aria-label")):
        del kept["title"]
    for name in ("href", "data-pf-href"):
        if len(kept.get(name, "")) > SHORT_ADDRESS and kept[name][0] != "#":
            short = _ref_address(doc, node)
            kept[name] = short if short and len(short) < len(kept[name]) else kept[name]
    if degree == BARE:
        if len(kept.get("alt", "")) > ALT_CHARS:
            kept["alt"] = shorter(kept["alt"], ALT_CHARS)
        if kept.get("data-pf-tag") == "a":
            del kept["data-pf-tag"]
    return kept or None


def _ref_address(doc: Doc, node: int) -> str:
    """An address in this page that names what stands in a link; its unfolding has the real one."""
    first = bisect_left(doc.run_node, node)
    last = bisect_left(doc.run_node, doc.tree.end[node]) - 1
    return f"{REF_ADDRESS}{ref_of(doc, first, last)}" if first <= last else ""


def _shown(doc: Doc, attrs: Sequence[Attrs | None], degree: Sequence[int]) -> list[bool]:
    """Which elements are written: not those that part no text from other text and say nothing else."""
    shown, tags, held = list(doc.shown), doc.tags, _holders(doc)
    blocks = set(doc.block)
    for node in range(body_of(doc.tree) + 1, len(shown)):
        level = degree[node]
        if not level or not shown[node] or attrs[node]:
            continue
        tag = tags[node]
        if node in blocks:
            shown[node] = tag not in _BLOCKS[level] or node in held
        else:
            shown[node] = tag not in _INLINE[level]
    return shown


def _holders(doc: Doc) -> set[int]:
    """Blocks that hold text of their own, or blocks whose name alone would not start a line."""
    held = set(doc.run_block)
    for block in list(held):
        while block > 0 and doc.tags[block] not in _LINES:
            block = doc.block[block]
            held.add(block)
    return held


def _written(lean: Doc, doc: Doc, degree: Sequence[int]) -> list[str]:
    """Each run as HTML; an image or link without words says nothing where it has no address."""
    found = list(doc.run_html)
    tags = doc.tree.tag
    for run, node in enumerate(doc.run_node):
        if tags[node] == TEXT or not degree[node]:
            continue
        silent = tags[node] == "img" and not (lean.attrs[node] or {}).get("alt")
        silent = silent or tags[node] == "a" and degree[node] == BARE
        found[run] = "" if silent else atom(lean, node)[0]
    return found


def degrees_of(is_main: Iterable[bool], main: int, rest: int) -> list[int]:
    """A degree for each node: ``main`` where it is main, else ``rest``."""
    return [main if each else rest for each in is_main]


def left_out(doc: Doc, lean: Doc) -> int:
    """How many attributes the leaner document has not, or not as they are."""
    if lean is doc:
        return 0
    return sum(
        sum((now or {}).get(name) != value for name, value in was.items())
        for was, now in zip(doc.attrs, lean.attrs, strict=True)
        if was and was != now
    )
