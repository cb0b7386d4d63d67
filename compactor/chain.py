"""A chain of hashes over a session's log: an edited, moved or missing row no longer fits its neighbours.

It finds damage and careless edits. Who can rewrite the whole log can forge the chain too, unless its
newest link is kept elsewhere.
"""

from __future__ import annotations

import hashlib


def first_link(session_id: str, header: str) -> str:
    """What the chain of a session hangs on: its id, and its settings as they are stored."""
    return _digest("pagefold session", session_id, header)


def next_link(before: str, seq: int, kind: str, body: str) -> str:
    """The link of one row, with its body as it is stored."""
    return _digest(before, str(seq), kind, body)


def _digest(*parts: str) -> str:
    # With lengths, so that no two lists of parts look the same.
    framed = "".join(f"{len(part)}:{part}" for part in parts)
    return hashlib.sha256(framed.encode("utf-8", "surrogatepass")).hexdigest()
