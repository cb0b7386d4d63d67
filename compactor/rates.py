"""Tokens for one of each piece of a text, by family of tokenizers, and how far off that may be.

Fitted by bounded least squares on relative error to the published byte-pair tables of these families,
over prose, manuals, program messages, code, JSON, logs and markup in 25 languages. No number fits all
families: Chinese takes twice as many tokens in one as in another. ``python -m testbed.tokens`` measures
what the rates are worth on texts that they were not fitted to.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

#: claude: the rates of claude2, the last table that Anthropic published, times 1.25, the median of what
#: the provider counted in 13 recorded coding sessions.
FAMILIES = (
    *("o200k", "cl100k", "claude2", "deepseek", "qwen", "llama3", "llama4", "mistral"),
    "claude",
)
#: Beginnings of model names, longest first where one begins another.
_MODELS = (
    *(("gpt-4o", "o200k"), ("gpt-4.", "o200k"), ("gpt-5", "o200k"), ("gpt-oss", "o200k")),
    *(("chatgpt-4o", "o200k"), ("o1", "o200k"), ("o3", "o200k"), ("o4", "o200k")),
    *(("gpt-4", "cl100k"), ("gpt-3.5", "cl100k"), ("text-embedding", "cl100k")),
    *(("claude-2", "claude2"), ("claude-instant", "claude2"), ("claude", "claude")),
    *(("deepseek", "deepseek"), ("qwen", "qwen"), ("qwq", "qwen")),
    *(("llama-4", "llama4"), ("llama4", "llama4"), ("llama-3", "llama3"), ("llama3", "llama3")),
    *(("meta-llama-3", "llama3"), ("ministral", "mistral"), ("mistral", "mistral")),
    *(("pixtral", "mistral"), ("codestral", "mistral"), ("devstral", "mistral")),
)
RATES: Mapping[str, tuple[float, ...]] = MappingProxyType(
    {
        "words": (0.848, 0.940, 0.967, 0.921, 0.797, 0.789, 0.830, 0.826, 1.209),
        "word_letters": (0.190, 0.184, 0.278, 0.212, 0.343, 0.372, 0.225, 0.284, 0.348),
        "capitals": (0.368, 0.345, 0.434, 0.425, 0.334, 0.437, 0.364, 0.383, 0.542),
        "digits": (1.261, 1.267, 1.075, 1.186, 1.947, 1.312, 1.278, 1.974, 1.344),
        "digit_more": (0.000, 0.000, 0.000, 0.000, 0.397, 0.000, 0.000, 0.299, 0.000),
        "marks": (0.720, 0.709, 0.968, 0.840, 0.665, 0.685, 0.703, 0.739, 1.210),
        "mark_more": (0.238, 0.142, 0.102, 0.221, 0.208, 0.217, 0.226, 0.323, 0.127),
        "lines": (1.150, 0.901, 0.940, 1.135, 1.110, 1.003, 1.127, 1.249, 1.175),
        "spaces": (0.059, 0.041, 0.000, 0.017, 0.074, 0.065, 0.064, 0.046, 0.000),
        "han_common": (1.050, 1.217, 1.076, 1.050, 1.050, 1.050, 1.050, 1.074, 1.345),
        "han_usual": (1.097, 2.244, 2.068, 0.787, 1.021, 1.169, 0.908, 1.527, 2.585),
        "han_listed": (2.093, 2.413, 2.201, 1.060, 0.937, 2.071, 1.542, 1.630, 2.751),
        "han_rare": (1.672, 1.948, 1.817, 1.415, 1.192, 1.711, 1.942, 2.137, 2.271),
        "han_words": (-1.026, -0.463, -0.288, -1.691, -1.728, -0.828, -1.269, -0.660, -0.360),
        "han_terms": (-0.845, -0.939, -1.148, -1.116, -0.772, -0.858, -1.386, -0.193, -1.436),
        "hiragana": (0.777, 0.934, 0.926, 0.721, 0.672, 0.640, 0.598, 0.625, 1.157),
        "katakana": (0.518, 0.891, 0.881, 0.476, 0.460, 0.543, 0.248, 0.545, 1.101),
        "hangul_common": (0.000, 0.196, 0.558, 0.000, 0.000, 0.008, 0.000, 0.219, 0.698),
        "hangul_usual": (0.931, 2.318, 2.289, 1.137, 1.050, 0.688, 0.695, 0.364, 2.861),
        "hangul_rare": (1.838, 2.517, 2.497, 2.265, 1.053, 2.105, 1.807, 1.490, 3.121),
        "hangul_words": (1.161, 1.078, 0.864, 1.309, 1.517, 1.382, 1.038, 1.037, 1.080),
        "cyrillic": (0.067, 0.121, 0.330, 0.029, 0.099, 0.121, 0.021, 0.114, 0.413),
        "cyrillic_words": (1.150, 2.090, 1.384, 1.713, 1.433, 1.150, 1.215, 1.150, 1.730),
        "arabic": (0.294, 0.758, 0.518, 0.372, 0.000, 0.367, 0.362, 0.222, 0.647),
        "arabic_words": (0.220, 0.276, 2.502, 0.200, 1.823, 0.200, 0.200, 0.416, 3.128),
        "greek": (0.376, 1.015, 1.257, 0.514, 0.905, 0.400, 0.356, 0.401, 1.571),
        "greek_words": (0.000, 0.095, 0.262, 0.000, 0.516, 0.000, 0.000, 0.000, 0.328),
        "hebrew": (0.490, 0.934, 0.744, 0.582, 0.488, 1.012, 0.573, 0.558, 0.930),
        "hebrew_words": (0.000, 1.155, 1.396, 0.000, 0.000, 0.832, 0.000, 0.000, 1.745),
        "devanagari": (0.348, 0.923, 1.140, 0.470, 0.840, 0.616, 0.377, 0.420, 1.425),
        "devanagari_words": (0.000, 1.152, 0.812, 0.882, 1.114, 0.000, 0.000, 0.000, 1.015),
        "indic": (0.382, 1.450, 2.097, 0.515, 1.200, 1.442, 0.550, 0.459, 2.621),
        "thai": (0.400, 0.960, 1.789, 0.375, 0.550, 0.481, 0.331, 0.543, 2.236),
        "vietnamese": (0.000, 0.315, 1.803, 0.000, 0.000, 0.000, 0.000, 0.000, 2.254),
        "latin": (0.749, 1.103, 1.134, 1.056, 1.051, 1.002, 0.501, 0.951, 1.417),
        "wide": (0.401, 0.705, 1.085, 0.545, 0.400, 0.400, 0.401, 0.403, 1.356),
        "letters": (0.361, 1.955, 1.354, 0.804, 1.072, 1.928, 0.438, 0.508, 1.692),
        "emoji": (1.704, 2.354, 2.690, 1.929, 2.030, 2.293, 1.708, 2.981, 3.363),
        "other": (1.200, 1.363, 1.580, 1.324, 1.101, 1.228, 1.047, 1.410, 1.975),
    }
)
#: How far off a rate may be, as a share of it, either way: for one sample of about 2,000 characters.
MARGINS: Mapping[str, float] = MappingProxyType(
    {
        **dict.fromkeys(RATES, 0.12),
        **dict.fromkeys(("words", "word_letters", "marks", "mark_more"), 0.16),
        **dict.fromkeys(("lines", "spaces"), 0.15),
        **dict.fromkeys(("cyrillic", "cyrillic_words", "vietnamese"), 0.25),
        **dict.fromkeys(("capitals", "digits", "digit_more"), 0.2),
        # Words with marks on their letters are split where others are whole.
        **dict.fromkeys(("latin", "emoji", "other"), 0.4),
    }
)


def family_of(model: str) -> str:
    """The family of a model's tokenizer by the model's name, or a family's own; empty when unknown.

    A prefix that ends in a slash or a dot, as routers and clouds put before names, is left out.
    """
    name = model.strip().lower().rsplit("/", 1)[-1]
    for prefix in ("anthropic.", "us.anthropic.", "eu.anthropic.", "meta.", "mistral.", "openai."):
        name = name.removeprefix(prefix)
    if name in FAMILIES:
        return name
    return next((family for start, family in _MODELS if name.startswith(start)), "")
