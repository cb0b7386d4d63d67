"""Which pages are duplicates of which, decided in the order of the input.

The answer depends on the set of documents alone: not on the order in which they come, nor on who read them,
nor on how often a run was broken off. A document is compared with those before it that are themselves no
duplicates, so every duplicate points to one that is kept, and likeness does not drift from copy to copy.

Memory stays flat: signatures and bands lie in a SQLite file, some 1.5 kB a document.
"""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np

from batch.duplicates.signatures import Signature, Signer, bands_for, similarity
from batch.plan import DuplicateRules

_TABLES = """
pragma journal_mode = off;
pragma synchronous = off;
pragma cache_size = -32000;
create table documents (idx integer primary key, url text, digest blob, signature blob);
create table digests (digest blob primary key, idx integer) without rowid;
create table bands (band blob, idx integer, primary key (band, idx)) without rowid;
"""


@dataclass(frozen=True, slots=True)
class Document:
    """One text. ``index``: its position in the input, by which it is known."""

    index: int
    url: str
    text: str


@dataclass(frozen=True, slots=True)
class Duplicate:
    """A document that another one before it makes superfluous.

    Attributes:
        index: position of the document in the input.
        url: its address.
        duplicate_of: position of the first document that it is like, which is kept.
        duplicate_of_url: the address of that one.
        kind: ``exact``: the same text; ``near``: nearly the same.
        similarity: estimated Jaccard similarity of their shingles; 1 for ``exact``.
    """

    index: int
    url: str
    duplicate_of: int
    duplicate_of_url: str
    kind: Literal["exact", "near"]
    similarity: float


def find_duplicates(
    documents: Iterable[Document], rules: DuplicateRules, *, working: Path | None = None
) -> Iterator[Duplicate]:
    """Every duplicate, in the order of the input. Texts without words are no duplicates of each other.

    Args:
        documents: in any order, each index once.
        rules: what counts.
        working: the working file, which is removed in the end; where the system keeps such by default.

    Raises:
        MissingExtra: datasketch is not installed.
        ValueError: an index comes twice.
    """
    if working is not None:
        working.unlink(missing_ok=True)
    try:
        # Without a name SQLite makes a file of its own that goes with the connection.
        with closing(sqlite3.connect(working or "")) as store:
            store.executescript(_TABLES)
            _sign(store, documents, rules)
            yield from _decided(store, rules)
    finally:
        if working is not None:
            working.unlink(missing_ok=True)


def _sign(store: sqlite3.Connection, documents: Iterable[Document], rules: DuplicateRules) -> None:
    signer = Signer(rules.signature, rules.words)
    for document in documents:
        signature = signer.sign(document.text)
        if signature is None:
            continue
        digest = hashlib.sha256(document.text.encode("utf-8", "surrogatepass")).digest()
        row = (document.index, document.url, digest, signature.tobytes())
        try:
            store.execute("insert into documents values (?, ?, ?, ?)", row)
        except sqlite3.IntegrityError as error:
            raise ValueError(f"two documents have index {document.index}") from error


def _decided(store: sqlite3.Connection, rules: DuplicateRules) -> Iterator[Duplicate]:
    count, width = bands_for(rules.threshold, rules.signature)
    rows = store.execute("select idx, url, digest, signature from documents order by idx")
    for index, url, digest, blob in rows:
        signature = np.frombuffer(blob, dtype="<u4")
        bands = [
            band.to_bytes(2, "big") + signature[band * width : (band + 1) * width].tobytes()
            for band in range(count)
        ]
        found = _exact(store, digest) or _near(store, bands, signature, rules)
        if found is None:
            store.execute("insert into digests values (?, ?)", (digest, index))
            store.executemany("insert into bands values (?, ?)", [(band, index) for band in bands])
            continue
        first, likeness = found
        (first_url,) = store.execute("select url from documents where idx = ?", (first,)).fetchone()
        kind: Literal["exact", "near"] = "near" if likeness is not None else "exact"
        yield Duplicate(
            index, url, first, first_url, kind, likeness if likeness is not None else 1.0
        )


def _exact(store: sqlite3.Connection, digest: bytes) -> tuple[int, None] | None:
    row = store.execute("select idx from digests where digest = ?", (digest,)).fetchone()
    return (row[0], None) if row else None


def _near(
    store: sqlite3.Connection, bands: list[bytes], signature: Signature, rules: DuplicateRules
) -> tuple[int, float] | None:
    """The kept document that is most like this one, and how much; the first of several."""
    candidates: set[int] = set()
    for band in bands:
        rows = store.execute(
            "select idx from bands where band = ? order by idx limit ?",
            (band, rules.most_candidates),
        )
        candidates.update(index for (index,) in rows)
    best: tuple[int, float] | None = None
    for index in sorted(candidates):
        (blob,) = store.execute(
            "select signature from documents where idx = ?", (index,)
        ).fetchone()
        likeness = similarity(signature, np.frombuffer(blob, dtype="<u4"))
        if likeness >= rules.threshold and (best is None or likeness > best[1]):
            best = (index, likeness)
    return best
