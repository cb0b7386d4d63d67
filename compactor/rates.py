"""Tokens for one of each piece of a text, by vocabulary.

Fitted by non-negative least squares on relative error to the published byte-pair tables of these
vocabularies, over prose, program messages, web pages, code, JSON and numbers in 18 languages.
``python -m testbed.tokens`` measures what they are worth.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

#: o200k: GPT-4o and later; cl100k: GPT-4; claude2: the last table that Anthropic published; claude:
#: its rates times 1.26, the median of what the provider counted in 13 recorded coding sessions.
VOCABULARIES = ("o200k", "cl100k", "claude2", "deepseek", "claude")
RATES: Mapping[str, tuple[float, ...]] = MappingProxyType(
    {
        "words": (0.899, 0.899, 0.948, 0.897, 1.194),
        "word_letters": (0.136, 0.170, 0.190, 0.128, 0.239),
        "capitals": (0.207, 0.000, 0.042, 0.317, 0.053),
        "digits": (1.268, 1.296, 1.183, 1.312, 1.491),
        "marks": (0.674, 0.667, 0.758, 0.634, 0.955),
        "mark_more": (0.245, 0.251, 0.237, 0.340, 0.299),
        "lines": (2.063, 1.774, 2.065, 2.313, 2.602),
        "spaces": (0.015, 0.025, 0.000, 0.038, 0.000),
        "ideograph": (0.812, 1.200, 1.020, 0.637, 1.285),
        "rare_ideograph": (1.138, 1.711, 1.584, 0.829, 1.996),
        "hiragana": (0.820, 0.980, 0.986, 0.732, 1.242),
        "katakana": (0.329, 0.713, 0.628, 0.348, 0.791),
        "hangul": (0.477, 0.660, 0.819, 0.688, 1.032),
        "hangul_words": (0.755, 1.743, 1.765, 0.503, 2.224),
        "cyrillic": (0.096, 0.164, 0.325, 0.031, 0.410),
        "cyrillic_words": (1.116, 2.010, 1.513, 1.769, 1.906),
        "arabic": (0.340, 0.640, 0.726, 0.370, 0.915),
        "arabic_words": (0.000, 0.792, 1.491, 0.183, 1.879),
        "greek": (0.382, 1.036, 1.330, 0.514, 1.676),
        "hebrew": (0.449, 1.180, 1.043, 0.544, 1.314),
        "thai": (0.395, 0.953, 1.780, 0.366, 2.243),
        "devanagari": (0.351, 1.216, 1.344, 0.687, 1.693),
        "latin": (0.121, 1.176, 2.174, 0.853, 2.739),
        "wide": (0.213, 0.559, 1.070, 0.409, 1.348),
        "letters": (0.365, 1.565, 1.707, 0.547, 2.151),
        "other": (1.187, 1.622, 1.574, 1.080, 1.983),
    }
)
