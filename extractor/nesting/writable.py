"""Text and attributes that can be written and read back."""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import chain

from extractor.tree import Attrs, Tree

_ATTRIBUTE = re.compile(r"[a-z_][a-z0-9_.:-]*\Z")
_BAD_TEXT = re.compile("[\r\0\ud800-\udfff]")


def clean_text(data: str) -> str:
    """CR and CR LF become LF; NUL and lone surrogates become U+FFFD."""
    if _BAD_TEXT.search(data) is None:
        return data
    data = data.replace("\r\n", "\n").replace("\r", "\n")
    return _BAD_TEXT.sub("\ufffd", data)


@lru_cache(maxsize=4_096)
def _is_writable(name: str) -> bool:
    return _ATTRIBUTE.match(name) is not None and not name.startswith("on")


def all_writable(tree: Tree) -> bool:
    """Whether all text and attributes of a tree can be written as they stand: told at once, since they
    nearly always can."""
    names = frozenset[str]().union(*filter(None, tree.attrs))
    if not all(map(_is_writable, names)):
        return False
    values = chain.from_iterable([attrs.values() for attrs in tree.attrs if attrs])
    data = "".join(chain(tree.text, values))
    # Searching for a class of characters takes ten times as long as these.
    if "\r" in data or "\0" in data:
        return False
    try:
        data.encode()
    except UnicodeEncodeError:
        return False
    return True


def attributes(raw: Attrs | None, renamed_from: str | None) -> Attrs | None:
    """Attributes that can be written and read back; ``data-pf-tag`` for a renamed element.

    What needs no change is given back itself, not as a copy.
    """
    if renamed_from is None:
        if not raw:
            return None
        if all(map(_is_writable, raw)) and _BAD_TEXT.search("".join(raw.values())) is None:
            return raw
    kept: Attrs = {}
    if renamed_from is not None and not (raw and "data-pf-tag" in raw):
        kept["data-pf-tag"] = clean_text(renamed_from)
    for name, value in (raw or {}).items():
        if _is_writable(name):
            kept[name] = clean_text(value)
    return kept or None
