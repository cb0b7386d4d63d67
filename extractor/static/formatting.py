"""Formatting that is never closed, which a parser opens anew in every block that follows.

A page of a few thousand characters can so become millions of elements; it is the number of these that is
bounded here, before anything is parsed.
"""

from __future__ import annotations

import re
from collections import Counter

#: Elements that HTML's parsing rules open anew; of ``a`` and ``nobr`` there is one at a time.
_FORMATTING = re.compile(
    r"<(/?)(b|big|code|em|font|i|s|small|strike|strong|tt|u)(?=[\s/>])[^<>]*>", re.I
)
#: What opens it and a few tags more, which is quicker to look for.
_NEARLY = re.compile(r"<[bcefistu](?:ig|ode|m|ont|mall|trike|trong|t)?[\s/>]", re.I)
#: So many at a time are ordinary carelessness and cost little.
_FEW = 4


def bounded_formatting(text: str, most: int) -> tuple[str, int]:
    """Markup in which unclosed formatting makes no more than ``most`` elements, and how many tags went.

    From where there would be more, no formatting is left; the text is. Linear.
    """
    tags = text.count("<")
    # No more of it can be open than was opened, and each of these is made anew at most at every tag.
    if tags < most and tags * len(_NEARLY.findall(text)) <= most:
        return text, 0
    open_tags: Counter[str] = Counter()
    total = last = copies = 0
    for tag in _FORMATTING.finditer(text):
        if total > _FEW:
            copies += total * text.count("<", last, tag.start())
            if copies > most:
                break
        last = tag.end()
        name = tag[2].lower()
        if not tag[1]:
            open_tags[name] += 1
            total += 1
        elif open_tags[name]:
            open_tags[name] -= 1
            total -= 1
    else:
        copies += total * text.count("<", last) if total > _FEW else 0
    if copies <= most:
        return text, 0
    closed = "".join(f"</{name}>" * count for name, count in open_tags.items())
    rest, taken = _FORMATTING.subn("", text[last:])
    return f"{text[:last]}{closed}{rest}", taken
