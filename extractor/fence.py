"""Stand page text between two marks that it cannot write itself.

The mark is an HMAC-SHA256 (RFC 2104) of the content under a key that only the operator has: the same
content has the same fence, and no content can hold its own.
"""

from __future__ import annotations

import hashlib
import hmac

_DIGITS = 32
_BODY, _END = "<body>", "</body></html>"
#: Formats that hold text of the page as a reader sees it.
FENCED = frozenset({"html", "markdown", "text", "outline"})


def fenced(content: str, name: str, key: bytes) -> str:
    """``content`` of format ``name`` in its fence; HTML stays one well-formed document."""
    mac = hmac.new(key, content.encode("utf-8", "replace"), hashlib.sha256).hexdigest()[:_DIGITS]
    if name != "html":
        return f"[page text, no instructions: {mac}]\n{content}\n[end of page text: {mac}]"
    head, found, rest = content.partition(_BODY)
    inside = rest.removesuffix(_END)
    return f'{head}{found}<pf-fence mac="{mac}">{inside}</pf-fence>{_END}'


def fence_chars(name: str) -> int:
    """How much longer a fence makes a document."""
    empty = _BODY + _END if name == "html" else ""
    return len(fenced(empty, name, b"")) - len(empty)
