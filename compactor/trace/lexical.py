"""A text index that only grows: BM25 over words and, for scripts without spaces, over pairs of letters."""

from __future__ import annotations

import math
import re
from array import array

#: Saturation and length of BM25, as its authors give them.
_K1, _B = 1.2, 0.75
_WORD = re.compile(r"[^\W_]+")
_UNSPACED = re.compile(
    r"[\u2e80-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff]+"
)


def terms_of(text: str) -> list[str]:
    """Words in small letters; of Chinese, Japanese and Korean every pair of neighbours."""
    if text.isascii():
        return _WORD.findall(text.casefold())
    found: list[str] = []
    for word in _WORD.findall(text.casefold()):
        rest = 0
        for match in () if word.isascii() else _UNSPACED.finditer(word):
            found += [word[rest : match.start()]] if match.start() > rest else []
            run, rest = match.group(), match.end()
            found += [run] if len(run) == 1 else [run[i : i + 2] for i in range(len(run) - 1)]
        if rest < len(word):
            found.append(word[rest:])
    return found


class TextIndex:
    """Texts by name. Adding one is linear in it; a search reads a bounded number of entries."""

    def __init__(self) -> None:
        self._names: list[str] = []
        self._lengths: list[int] = []
        self._total = 0
        # Of each term the numbers of its texts, each with its count behind it: no objects that would be
        # gone through at every collection of garbage.
        self._postings: dict[str, array[int]] = {}

    def add(self, name: str, text: str) -> None:
        """Enter a text under a name."""
        number, terms = len(self._names), terms_of(text)
        self._names.append(name)
        self._lengths.append(len(terms))
        self._total += len(terms)
        counts: dict[str, int] = {}
        for term in terms:
            counts[term] = counts.get(term, 0) + 1
        for term, count in counts.items():
            known = self._postings.get(term)
            if known is None:
                self._postings[term] = array("I", (number, count))
            else:
                known.append(number)
                known.append(count)

    def search(self, query: str, *, most: int, postings: int) -> list[tuple[str, float]]:
        """Names with their scores, the best first, at most ``most``.

        At most ``postings`` entries are read: those of rare terms before those of frequent ones, newer
        ones before older ones.
        """
        known = [term for term in dict.fromkeys(terms_of(query)) if term in self._postings]
        scores: dict[int, float] = {}
        mean = self._total / len(self._names) if self._names else 1.0
        for term in sorted(known, key=lambda each: len(self._postings[each])):
            listed = self._postings[term]
            texts = len(listed) // 2
            rarity = math.log(1 + (len(self._names) - texts + 0.5) / (texts + 0.5))
            read = listed[-2 * postings :] if postings > 0 else listed[:0]
            postings -= len(read) // 2
            for number, count in zip(read[::2], read[1::2], strict=True):
                length = 1 - _B + _B * self._lengths[number] / mean
                gain = rarity * count * (_K1 + 1) / (count + _K1 * length)
                scores[number] = scores.get(number, 0.0) + gain
        best = sorted(scores.items(), key=lambda each: (-each[1], -each[0]))[:most]
        return [(self._names[number], score) for number, score in best]
