"""Rows of a data set as documents of datatrove: the ``adapter`` of its readers."""

from __future__ import annotations

from typing import Any

from batch.markers import without_markers

#: What becomes of a row besides its text: enough to tell where it is from and whether it may be used.
_METADATA = ("url", "final_url", "fetched_at", "title", "lang", "status")


def row_to_document(
    reader: object, data: dict[str, Any], path: str, id_in_file: int | str
) -> dict[str, Any]:
    """A row as datatrove wants it; hand it to ``JsonlReader`` or ``ParquetReader`` as ``adapter``.

    Args:
        reader: the reader; its ``text_key`` names the field that becomes the text: ``markdown`` or ``text``.
        data: a row.
        path: of its shard.
        id_in_file: its number there; not used, since rows have a key of their own.

    Returns:
        ``text`` without markers, ``id`` and ``metadata``. A row without a page has an empty text, and readers
        leave it out.
    """
    rights = data.get("rights")
    return {
        "text": without_markers(data.get(getattr(reader, "text_key", "markdown")) or ""),
        "id": data["key"],
        "metadata": {name: data.get(name) for name in _METADATA}
        | {"rights": rights, "shard": path},
    }
