"""What the capture of a very large page left where it did not read on."""

from __future__ import annotations

from extractor.tree import Attrs

#: Stands for neighbours that were not read. A page's own elements of this name are renamed at capture.
LEFT = "pf-left"
#: About how many characters these have, and how many they are.
SIZES = "data-pf-left"


def unread_chars(attrs: Attrs) -> int:
    """About how many characters of text were not read here, at least one."""
    chars = attrs.get(SIZES, "").partition(" ")[0]
    return max(int(chars), 1) if chars.isascii() and chars.isdigit() else 1
