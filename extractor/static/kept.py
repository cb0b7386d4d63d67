"""The attributes that a reader or an actor needs, with addresses resolved."""

from __future__ import annotations

from sys import maxsize

from extractor.static.addresses import Base
from extractor.static.atoms import image_address
from extractor.tree import Attrs

#: Elements that nobody reads where they stand.
NEVER = frozenset(
    "script style template link meta base noembed noframes param source track col colgroup".split()
)
_KEPT = frozenset(
    "id class role href src alt title lang dir type name value placeholder for colspan rowspan headers "
    "scope datetime open checked selected disabled multiple readonly required start reversed action "
    "method rel itemprop itemtype itemscope content property cite label abbr contenteditable "
    "http-equiv hreflang sizes data-pf-shadow data-pf-h".split()
)
_MAX_DATA = 80
_ADDRESSES = ("href", "action", "cite")
_ADDRESSED = frozenset({*_ADDRESSES, "src"})
#: Names that are remembered; a page may make up any number of them.
_MOST_NAMES = 4_096


class _Longest(dict[str, int]):
    """How long the value of an attribute may be to be kept, by its name; -1 for one that is not."""

    def __missing__(self, name: str) -> int:
        if name in _KEPT or name.startswith("aria-") and name != "aria-hidden":
            longest = maxsize
        elif name.startswith("data-") and not name.startswith("data-pf-"):
            longest = _MAX_DATA
        else:
            longest = -1
        if len(self) < _MOST_NAMES:
            self[name] = longest
        return longest


_LONGEST = _Longest()


def kept_attributes(tag: str, raw: Attrs, base: Base) -> Attrs:
    """A new mapping; passwords and the page's own ``data-pf-*`` never stand in it."""
    longest = _LONGEST
    kept = {name: value for name, value in raw.items() if len(value) <= longest[name]}
    if _ADDRESSED.isdisjoint(kept) and tag not in ("img", "input"):
        return kept
    for name in _ADDRESSES:
        if name in kept:
            address = base.absolute(kept[name])
            if address or not kept[name].strip():
                kept[name] = address
            else:
                del kept[name]
    if tag == "img":
        source = image_address(raw, base)
        if source:
            kept["src"] = source
        else:
            kept.pop("src", None)
    elif "src" in kept:
        kept["src"] = base.absolute(kept["src"])
    if tag == "input" and raw.get("type", "").strip().lower() in ("password", "file"):
        kept.pop("value", None)
    return kept
