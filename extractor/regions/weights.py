"""How much each kind of evidence counts. Plain numbers, so that they can be fitted offline.

A role is given from ``THRESHOLD`` on. ``NAME`` alone and ``LEAD`` alone stay below it: neither a class
name nor a heading decides without something in the block's shape that bears it out.
"""

from __future__ import annotations

THRESHOLD = 0.6
NAME, LEAD = 0.35, 0.4
#: What a name or heading of an aside counts less where the page is no article.
DOUBT = 0.15

#: What shape adds to a role that something else already speaks for, by role and trait.
SHAPE: dict[str, dict[str, float]] = {
    "nav": {"linky": 0.3, "prose": -0.6, "short": 0.1, "sentence": -0.3},
    "header": {"linky": 0.25, "prose": -0.5},
    "footer": {"linky": 0.3, "short": 0.25, "prose": -0.5, "sentence": -0.15},
    "aside": {
        "linky": 0.25, "repeat": 0.2, "images": 0.1, "controls": 0.25, "wordy": -0.4, "short": 0.05,
    },
    "comments": {"repeat": 0.25, "controls": 0.2, "linky": 0.05, "prose": 0.05},
    "share": {"tiny": 0.25, "linky": 0.1, "prose": -0.6, "sentence": -0.3},
    "ad": {"tiny": 0.2, "images": 0.1, "linky": 0.15, "prose": -0.6, "sentence": -0.3},
    "pagination": {"linky": 0.25, "tiny": 0.1, "prose": -0.6, "sentence": -0.3},
    "toc": {"linky": 0.3, "prose": -0.6},
    "search": {"controls": 0.3, "linky": 0.25, "prose": -0.6, "images": -0.4},
    "dialog": {"fields": 0.25, "tiny": 0.1, "wordy": -0.3},
}  # fmt: skip

#: Traits of shape: link share, like children, weighted characters of running text, characters.
LINKY, REPEATS, PROSE, WORDY, TINY, SHORT, FORM = 0.5, 3, 200, 600, 200, 400, 2_500
#: Below this share of links a block is no share bar, pager or table of contents.
SOME_LINKS = 0.3
#: Weighted characters of running text that a short article has.
ARTICLE_PROSE = 800
#: An article's body holds this share of the page's running text.
ARTICLE_SHARE = 0.35
#: On the page of an article this share of the text outside links is running text.
TOLD_SHARE = 0.5

#: For blocks in the main content of an article that nothing names: what shape says for an aside.
BESIDE = {
    "linky": 0.35, "repeat": 0.15, "images": 0.1, "fields": 0.25, "wordy": -0.6, "prose": -0.2,
}  # fmt: skip
OUTSIDE, SILENT = 0.25, 0.05
MAIN_TOLD = 0.2
#: Facets: at least so many things to pick, in a block that is hardly anything else.
PICKS, ALL_CHOICES, CHOICES = 5, 0.8, 0.35
#: What holds more of the page than this is no small part of it.
PART = 0.5
