"""How variants of one page differ."""

from __future__ import annotations

from collections import Counter

from extractor.page import PageVariant
from extractor.relevance import tokens
from extractor.tree import TEXT, parse


def words_of(content: str, name: str) -> Counter[str]:
    """The words that a reader sees, each with its number; of unspaced scripts pairs of characters."""
    if name != "html":
        return Counter(tokens(content))
    tree = parse(content)
    head = next((tree.end[node] for node, tag in enumerate(tree.tag) if tag == "head"), 0)
    return Counter(
        tokens(" ".join(tree.text[n] for n in range(head, len(tree)) if tree.tag[n] == TEXT))
    )


def compared(
    first: Counter[str], content: str, settings: tuple[str, str, int], kept_chars: int
) -> PageVariant:
    """A variant beside the page's first format. ``settings``: format, filter, budget."""
    name, filter_name, budget = settings
    words = words_of(content, name)
    return PageVariant(
        format=name,
        filter=filter_name,
        budget=budget,
        content=content,
        output_chars=len(content),
        kept_chars=kept_chars,
        shared_words=(first & words).total(),
        missing_words=(first - words).total(),
        extra_words=(words - first).total(),
    )
