"""What a text is compared by: the words that it has in a row, as a MinHash signature.

Source: Broder, "On the resemblance and containment of documents" (1997); the hashing is datasketch's.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import regex

from batch.errors import extra
from batch.markers import without_markers

Signature = npt.NDArray[np.uint32]
#: Scripts without spaces between words count character by character.
_TOKEN = regex.compile(
    r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}]|[\p{L}\p{M}\p{N}_]+"
)
#: Where a link leads is not what a page says, and differs from copy to copy.
_LINK_TARGET = regex.compile(r"(?<=\])\([^()\s]*(?:\s+\"[^\"]*\")?\)")
_SEED = 1


def shingles(text: str, words: int) -> list[bytes]:
    """Every run of so many words, each once, in the order of the text; all words where there are fewer.

    Case, punctuation, the targets of Markdown links and the filter's own markers do not count. Empty for a
    text without words.
    """
    found = _TOKEN.findall(_LINK_TARGET.sub("", without_markers(text)).casefold())
    if not found:
        return []
    runs = (" ".join(found[at : at + words]) for at in range(max(1, len(found) - words + 1)))
    return [run.encode() for run in dict.fromkeys(runs)]


class Signer:
    """Makes signatures that can be compared with each other.

    Args:
        size: numbers in a signature. The similarity of two is estimated with a standard error of at most
            ``0.5 / sqrt(size)``.
        words: of one shingle.

    Raises:
        MissingExtra: datasketch is not installed.
    """

    def __init__(self, size: int, words: int) -> None:
        self._words = words
        self._empty: Any = extra("datasketch").MinHash(num_perm=size, seed=_SEED)

    def sign(self, text: str) -> Signature | None:
        """The signature of a text; ``None`` for one without words."""
        found = shingles(text, self._words)
        if not found:
            return None
        made = self._empty.copy()
        made.update_batch(found)
        return np.asarray(made.hashvalues, dtype="<u4")


def similarity(one: Signature, other: Signature) -> float:
    """Estimated Jaccard similarity of two texts' shingles, 0 to 1."""
    return float(np.count_nonzero(one == other)) / len(one)


def bands_for(threshold: float, size: int) -> tuple[int, int]:
    """Number and width of the bands in which two signatures are looked for.

    Candidates are compared in full afterwards, so one too many costs a little time, and one too few is
    a duplicate that is missed: misses weigh nine times as much.
    """
    lsh = extra("datasketch").MinHashLSH(threshold=threshold, num_perm=size, weights=(0.1, 0.9))
    return int(lsh.b), int(lsh.r)
