"""Whole values of scripts: kept in the tenant's archive, never at a place that a caller names."""

from __future__ import annotations

from typing import Any

from compactor import ObjectArchive
from compactor.errors import NotFound as NotArchived
from extractor.errors import NotFound

#: Tells them from what sessions keep in the same archive.
_KIND = "tab_value"


def save(archive: ObjectArchive, text: str, kind: str) -> str:
    """Keep a value; its ref. The same value has the same ref.

    Raises:
        CompactorError: there is no room for it.
    """
    return archive.put({"kind": _KIND, "type": kind, "text": text})


def load(archive: ObjectArchive, ref: str) -> dict[str, Any]:
    """The value behind a ref: its ``type`` and ``text``.

    Raises:
        NotFound: there is none, or it is something else.
        CompactorError: what is stored is damaged.
    """
    try:
        found = archive.get(ref)
    except NotArchived:
        found = None
    if not isinstance(found, dict) or found.get("kind") != _KIND:
        raise NotFound("There is no such value.")
    return found
