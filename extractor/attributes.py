"""What may stand in HTML that is handed out: elements, attributes and their values.

The lists here are all that can come out, so nothing that runs, loads or is styled is in them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from extractor.render.addresses import data_label, short_url
from extractor.render.roles import IMPLIED_ROLES, ROLES
from extractor.tree import TEXT, Attrs, Tree

#: Elements by name; any other is written as ``div`` or ``span``.
ELEMENTS = frozenset(
    "a abbr acronym address article aside b bdi bdo big blockquote body br button caption center cite code "
    "col colgroup data datalist dd del details dfn dialog dir div dl dt em fieldset figcaption figure font "
    "footer form h1 h2 h3 h4 h5 h6 head header hgroup hr html i img input ins kbd label legend li main "
    "mark menu meter nav ol optgroup option output p picture pre progress q rp rt ruby s samp search "
    "section select slot small span strike strong sub summary sup table tbody td textarea tfoot th thead "
    "time tr tt u ul var wbr pf-fold pf-frame pf-url".split()
)
_EVERYWHERE = (
    "lang", "dir", "role", "aria-label", "aria-expanded", "aria-selected", "aria-checked", "aria-pressed",
    "aria-current", "aria-disabled", "contenteditable", "data-pf-tag", "data-pf-tex", "data-pf-before",
    "data-pf-after", "data-pf-number",
)  # fmt: skip
_BY_TAG = {
    "a": ("href", "title"),
    "abbr": ("title",),
    "acronym": ("title",),
    "blockquote": ("cite",),
    "button": ("type", "name", "disabled", "title"),
    "details": ("open",),
    "dfn": ("title",),
    "dialog": ("open",),
    "form": ("action", "method"),
    "img": ("alt", "src", "title"),
    "input": ("type", "name", "value", "placeholder", "checked", "disabled", "readonly", "required",
              "alt", "title"),
    "label": ("for",),
    "li": ("value",),
    "meter": ("value", "min", "max"),
    "ol": ("start", "reversed", "type"),
    "optgroup": ("label",),
    "option": ("value", "selected", "disabled"),
    "pf-frame": ("data-pf-url", "data-pf-error", "title"),
    "progress": ("value", "max"),
    "q": ("cite",),
    "select": ("name", "multiple", "disabled", "required", "title"),
    "span": ("href", "title"),
    "td": ("colspan", "rowspan"),
    "textarea": ("name", "placeholder", "disabled", "readonly", "required", "title"),
    "th": ("colspan", "rowspan", "scope"),
    "time": ("datetime", "title"),
}  # fmt: skip
_OURS = ("id", "data-pf-href", "data-pf-data", "data-pf-url-chars", "data-pf-shadow", "data-pf-label",
         "data-pf-state", "data-pf-region")  # fmt: skip
#: Attributes by element, ``*`` for those that may stand on any.
ATTRIBUTES = {
    "*": frozenset((*_EVERYWHERE, *_OURS)),
    "pf-fold": frozenset({"ref", "items", "chars", "region", "what"}),
    "pf-url": frozenset({"href"}),
    "html": frozenset({"data-pf-snapshot", "data-pf-markup"}),
    **{tag: frozenset(names) for tag, names in _BY_TAG.items()},
}
#: Longest value of any attribute that is not an address; the rest is cut and an ellipsis says so.
MAX_VALUE_CHARS = 500
#: For each element the attributes that may stay, in the order in which they are written.
_ORDER = {
    tag: {name: place for place, name in enumerate(dict.fromkeys((*names, *_EVERYWHERE)))}
    for tag, names in {**_BY_TAG, "*": ()}.items()
}
#: What says something beside those.
_APART = frozenset({"data-pf-l", "data-pf-shadow"})
_URLS = frozenset({"href", "src", "action", "cite", "data-pf-url"})
_TRIVIAL = {
    ("button", "type", "submit"), ("form", "method", "get"), ("input", "type", "text"),
    ("img", "alt", ""), ("td", "colspan", "1"), ("td", "rowspan", "1"), ("th", "colspan", "1"),
    ("th", "rowspan", "1"), ("aria-label", ""), ("title", ""), ("aria-current", "false"),
    ("aria-disabled", "false"), ("contenteditable", "false"), ("contenteditable", "inherit"),
}  # fmt: skip
#: Names of elements that say more than the ``div`` or ``span`` that stands for them.
_TELLING = frozenset(
    "a audio button canvas dd dt form h1 h2 h3 h4 h5 h6 iframe li math option optgroup select svg table td "
    "th tr video".split()
)
_ECHO_NODES = 40
_SPACE = re.compile(r"\s+")


def output_tags(tree: Tree, blocks: Sequence[bool]) -> list[str]:
    """The name under which each element is written.

    One that is not in ``ELEMENTS`` becomes ``div`` where it is a block, unless a paragraph around it
    would be closed by that; else ``span``. Parsers treat it the same under either name.
    """
    names, in_p, parents = list(tree.tag), [False] * len(tree), tree.parent
    for node in range(1, len(tree)):
        tag = names[node]
        if tag == TEXT:
            continue
        in_p[node] = tag == "p" or in_p[parents[node]]
        if tag not in ELEMENTS:
            names[node] = "div" if blocks[node] and not in_p[node] else "span"
    return names


def targets(tree: Tree, base_url: str) -> frozenset[str]:
    """Ids that a link or label of the page points to."""
    found = set()
    for node in range(1, len(tree)):
        attrs = tree.attrs[node]
        if not attrs:
            continue
        if "for" in attrs:
            found.add(attrs["for"])
        if "#" in attrs.get("href", ""):
            short = short_url(attrs["href"], base_url)
            if short.startswith("#"):
                found.add(short[1:])
    return frozenset(found)


def kept_attributes(
    tree: Tree, node: int, base_url: str, pointed_at: frozenset[str] = frozenset()
) -> Attrs:
    """What a reader or an actor needs of an element's attributes; addresses made short or dropped.

    An ``id`` stays where something points at it; a title or label that only repeats the element's text
    goes.
    """
    tag, attrs, kept = tree.tag[node], tree.attrs[node] or {}, Attrs()
    if not attrs and tag != "button":
        return kept
    order = _ORDER.get(tag) or _ORDER["*"]
    plain = _APART.isdisjoint(attrs) and order.keys().isdisjoint(attrs) and tag != "button"
    if plain and attrs.get("id") not in pointed_at:
        # Most elements have a class alone.
        return kept
    names = [name for name in attrs if name in order]
    if len(names) > 1:
        names.sort(key=order.__getitem__)
    for name in names:
        if name in _URLS:
            kept.update(_address(tag, name, attrs, base_url))
        elif _tells(tag, name, attrs[name]):
            kept[name] = shorter(attrs[name])
    if "id" in attrs and attrs["id"] in pointed_at:
        kept["id"] = attrs["id"]
    if attrs.get("data-pf-l"):
        kept["data-pf-label"] = attrs["data-pf-l"]
    if tag == "button" and _is_unnamed(tree, node):
        kept["data-pf-label"] = f"{kept.get('data-pf-label', '')} unnamed".strip()
    if "data-pf-shadow" in attrs and attrs["data-pf-shadow"] == "closed":
        kept["data-pf-shadow"] = "closed"
    if "aria-label" in kept or "title" in kept:
        _drop_echoes(tree, node, kept)
    return kept


def _address(tag: str, name: str, attrs: Attrs, base_url: str) -> Attrs:
    raw = attrs[name]
    if tag == "span" and name == "href":
        if attrs.get("data-pf-tag") != "a":
            return {}
        name = "data-pf-href"
    if label := data_label(raw.strip()):
        return {"data-pf-data": label} if tag == "img" else {}
    url = short_url(raw, base_url)
    if url:
        return {name: url}
    too_long = short_url(raw[:200], "") if len(raw) > 200 else ""
    return {"data-pf-url-chars": str(len(raw))} if too_long else {}


def _is_unnamed(tree: Tree, button: int) -> bool:
    """Whether neither text nor any attribute says what a button does."""
    inside = range(button, tree.end[button])
    if any(tree.text[node].strip() for node in inside):
        return False
    return not any(
        (tree.attrs[node] or {}).get(name)
        for node in inside
        for name in ("aria-label", "title", "alt")
    )


def _tells(tag: str, name: str, value: str) -> bool:
    if (tag, name, value) in _TRIVIAL or (name, value) in _TRIVIAL:
        return False
    if name == "role":
        return value in ROLES and IMPLIED_ROLES.get(tag) != value
    return name != "data-pf-tag" or value in _TELLING


def shorter(value: str, limit: int = MAX_VALUE_CHARS) -> str:
    """A value in at most ``limit`` characters; an ellipsis says that it was longer."""
    return value if len(value) <= limit else value[: limit - 1] + "\u2026"


def _drop_echoes(tree: Tree, node: int, kept: Attrs) -> None:
    said = {name: _plain(kept[name]) for name in ("aria-label", "title") if name in kept}
    if not said or tree.end[node] - node > _ECHO_NODES:
        return
    text = _plain("".join(tree.text[node + 1 : tree.end[node]])) or _plain(kept.get("alt", ""))
    if "aria-label" in said and said["aria-label"] == text:
        del kept["aria-label"]
    if "title" in said and said["title"] in (text, said.get("aria-label")):
        del kept["title"]


def _plain(text: str) -> str:
    return _SPACE.sub(" ", text).strip().casefold()
