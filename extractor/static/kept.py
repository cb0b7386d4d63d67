"""The attributes that a reader or an actor needs, with addresses resolved."""

from __future__ import annotations

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


def _is_selectable(name: str, value: str) -> bool:
    """Whether an attribute is kept for selectors alone: short data of the page's own."""
    if name.startswith("aria-"):
        return name != "aria-hidden"
    return len(value) <= _MAX_DATA and not name.startswith("data-pf-")


def kept_attributes(tag: str, raw: Attrs, base: Base) -> Attrs:
    """A new mapping; passwords and the page's own ``data-pf-*`` never stand in it."""
    kept = {
        name: value
        for name, value in raw.items()
        if name in _KEPT or name[:5] in ("aria-", "data-") and _is_selectable(name, value)
    }
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
