"""Paths in the place of large files, and one entry for a history that was moved out."""

from __future__ import annotations

from collections.abc import Sequence

from compactor.archive import Archive
from compactor.messages import Json
from compactor.trust import one_line

FOLD_FROM_BYTES = 50_000
_LINE = 120


def fold_file(
    path: str, text: str, ref: str, *, version: str = "", from_bytes: int = FOLD_FROM_BYTES
) -> str:
    """What stands for a file: path, size, version, one line of it, how to expand. The text itself if it
    has less than ``from_bytes`` bytes.
    """
    size = len(text.encode("utf-8", "surrogatepass"))
    if size < from_bytes:
        return text
    first = next((one_line(line) for line in text.split("\n") if line.strip()), "")
    lines = text.count("\n") + 1
    said = f", version {version}" if version else ""
    what = f"file {path}, {size:,} bytes, {lines:,} lines{said}, begins {first[:_LINE]!r}"
    return f"[{what}; expand, peek or grep ref={ref}]"


def offloaded(raws: Sequence[Json], archive: Archive, *, dates: Sequence[str] = ()) -> str:
    """One entry for messages that were moved out together: count, date range, ref. The whole is archived."""
    ref = archive.put(list(raws))
    when = f", {dates[0]} to {dates[-1]}" if dates else ""
    return (
        f"[{len(raws):,} earlier messages{when} are in the archive; expand, peek or grep ref={ref}]"
    )
