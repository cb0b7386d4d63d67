"""Pages that say the same: to the letter, or nearly so."""

from batch.duplicates.find import Document, Duplicate, find_duplicates
from batch.duplicates.side_file import DUPLICATES, rows_of, write_duplicates

__all__ = [
    "DUPLICATES",
    "Document",
    "Duplicate",
    "find_duplicates",
    "rows_of",
    "write_duplicates",
]
