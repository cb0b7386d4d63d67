"""Characters that no one sees, used to smuggle or to reorder text; those that writing needs stay.

A stretch of invisible characters is judged by what stands on either side of it. To allow a character
in one more script, add the script to the class that needs it; a new trick is a new branch of ``_stays``.
Sources: UTS 39 (security), UTS 51 (emoji), UAX 9 (bidi), UAX 31 2.3 (joiners).
"""

from __future__ import annotations

from dataclasses import dataclass

import regex

#: Tag characters and all else of their plane but selectors, which come below.
_TAGS = "\U000e0000-\U000e00ff\U000e01f0-\U000e0fff"
_SELECTORS = "\ufe00-\ufe0f\U000e0100-\U000e01ef"
_ZERO_WIDTH = "\u200b\u2060\ufeff\u180e\u2061-\u2065\u034f"
#: Characters that stand for a letter, a vowel, a note or a form and draw nothing.
_FILLERS = (
    "\u115f\u1160\u17b4\u17b5\u180b-\u180d\u180f\u3164\uffa0\ufff9-\ufffb\U0001d173-\U0001d17a"
)
_MARKS = "\u200e\u200f\u061c"
_BIDI = "\u202a-\u202e\u2066-\u2069"
_INVISIBLE = f"\u00ad\u200c\u200d\u206a-\u206f{_TAGS}{_SELECTORS}{_ZERO_WIDTH}{_FILLERS}{_MARKS}"
#: Without a meaning of their own: glyphs of an icon font, or nothing that anyone else can read.
_PRIVATE = "\ue000-\uf8ff\U000f0000-\U000ffffd\U00100000-\U0010fffd"
_RUN = regex.compile(f"[{_INVISIBLE}]+")
_ANY = regex.compile(f"[{_INVISIBLE}{_BIDI}{_PRIVATE}]")
_ICON = regex.compile(f"[{_PRIVATE}]")
#: Jamo of old Korean, which have a filler where a syllable lacks its first letter or its vowel.
_LEADING, _VOWEL = (
    regex.compile(r"[\u1100-\u115e\ua960-\ua97c]"),
    regex.compile(r"[\u1161-\u11a7\ud7b0-\ud7c6]"),
)
#: The subdivision flags that fonts draw; the same letters after any other base are a hidden message.
_FLAGS = regex.compile(
    "\U0001f3f4("
    + "|".join(
        "".join(chr(0xE0000 + ord(letter)) for letter in name) + "\U000e007f"
        for name in ("gbeng", "gbsct", "gbwls")
    )
    + ")"
)

_JOINING = regex.compile(
    r"[\p{Arabic}\p{Syriac}\p{Nko}\p{Mongolian}\p{Mandaic}\p{Manichaean}\p{Thaana}\p{Adlam}\p{Hebrew}"
    r"\p{Devanagari}\p{Bengali}\p{Gurmukhi}\p{Gujarati}\p{Oriya}\p{Tamil}\p{Telugu}\p{Kannada}"
    r"\p{Malayalam}\p{Sinhala}\p{Khmer}\p{Myanmar}\p{Tibetan}\p{Balinese}\p{Javanese}]"
)
_UNSPACED = regex.compile(
    r"[\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}\p{Tibetan}\p{Javanese}\p{Balinese}\p{Tai_Tham}\p{Tai_Viet}"
    r"\p{Han}\p{Hiragana}\p{Katakana}\p{Bopomofo}\p{Yi}]"
)
_RIGHT_TO_LEFT = regex.compile(
    # Not the marks of these scripts: a mark must not be its own reason to stay.
    r"(?!\p{Cf})[\p{Hebrew}\p{Arabic}\p{Syriac}\p{Thaana}\p{Nko}\p{Adlam}\p{Mandaic}]"
)
_EMOJI = regex.compile(r"[\p{Extended_Pictographic}\p{Emoji_Modifier}\p{Regional_Indicator}]")
_WORD = regex.compile(r"[\p{L}\p{N}\p{M}]")
_SELECTED = regex.compile(
    r"[\p{S}\p{P}\p{Han}\p{Mongolian}\p{Myanmar}\p{Phags_Pa}\p{Manichaean}0-9]"
)
_IDEOGRAPH = regex.compile(r"[\p{Han}\p{Mongolian}]")
#: More invisible characters than this in a row carry a message, whatever script they stand in.
LONGEST_RUN = 3
#: Directions nested deeper than this have no effect (UAX 9, max_depth).
MAX_DEPTH = 125
_OPENERS = {"\u202a": "\u202c", "\u202b": "\u202c", "\u202d": "\u202c", "\u202e": "\u202c",
            "\u2066": "\u2069", "\u2067": "\u2069", "\u2068": "\u2069"}  # fmt: skip
_OVERRIDES, _RTL_OPENERS = frozenset("\u202d\u202e"), frozenset("\u202b\u2067")


@dataclass(frozen=True, slots=True)
class Stripped:
    """A text without its tricks, and the characters taken out of it, in order.

    ``icons`` are those of private use: people see a picture there, and text cannot say which.
    """

    text: str
    removed: str
    icons: str = ""


def suspicious(text: str) -> bool:
    """Whether there is any character to look at; most pages have none."""
    return not text.isascii() and _ANY.search(text) is not None


def strip_tricks(text: str) -> Stripped:
    """``text`` without invisible characters that nothing in it needs, and without icons. Linear.

    Soft hyphens stay one at a time: they are where a word may break. Byte-order marks never do. Embeddings
    and isolates stay when they are closed in the same text and change no order of Latin words.
    """
    if not suspicious(text):
        return Stripped(text, "")
    icons = "".join(_ICON.findall(text))
    if icons:
        found = strip_tricks(_ICON.sub("", text))
        return Stripped(found.text, found.removed, icons)
    drop = _reordering(text)
    flags = {i for match in _FLAGS.finditer(text) for i in range(match.start() + 1, match.end())}
    rtl = _RIGHT_TO_LEFT.search(text) is not None
    for match in _RUN.finditer(text):
        start, stop = match.span()
        before, after = text[start - 1 : start], text[stop : stop + 1]
        stay = [i for i in range(start, stop) if i in flags or _stays(text, i, before, after, rtl)]
        if len([i for i in stay if i not in flags]) > LONGEST_RUN:
            stay = [i for i in stay if i in flags]
        drop.update(set(range(start, stop)).difference(stay))
    if not drop:
        return Stripped(text, "")
    kept = "".join(char for i, char in enumerate(text) if i not in drop)
    return Stripped(kept, "".join(text[i] for i in sorted(drop)))


def _stays(text: str, index: int, before: str, after: str, rtl: bool) -> bool:
    """Whether writing needs this character, between ``before`` and ``after`` the stretch it is in."""
    char = text[index]
    if char == text[index - 1 : index]:
        return False
    if regex.match(f"[{_SELECTORS}]", char):
        return text[index - 1 : index] == before and _takes_selector(before, char)
    if char == "\u200d" and _EMOJI.match(before):
        return _EMOJI.match(after) is not None or after in ("\u2640", "\u2642", "\u2695")
    if char in "\u200c\u200d":
        return bool(_JOINING.match(before) or _JOINING.match(after))
    if char in "\u200e\u200f\u061c":
        return rtl or not _within_word(before, after)
    if char in "\u180b\u180c\u180d\u180e\u180f":
        return bool(regex.match(r"\p{Mongolian}", before))
    if char in "\u115f\u1160":
        jamo = _VOWEL.match(after) if char == "\u115f" else _LEADING.match(before)
        return jamo is not None and _alone(text, index)
    if char == "\u00ad":
        return _alone(text, index)
    if "\u2061" <= char <= "\u2064":
        # Between the parts of a formula: f(x), 2x; not inside a word, nor after a space.
        letters = regex.match(r"\p{L}", before) and regex.match(r"\p{L}", after)
        return not letters and not before.isspace() and _alone(text, index)
    if char == "\u034f":
        return bool(regex.match(r"\p{M}|\p{Hebrew}", before))
    if char in "\u200b\u2060":
        unspaced = _UNSPACED.match(before) or _UNSPACED.match(after)
        return _alone(text, index) and bool(unspaced or not _within_word(before, after))
    return False


def _takes_selector(base: str, selector: str) -> bool:
    if selector >= "\U000e0100":
        return _IDEOGRAPH.match(base) is not None
    return bool(_SELECTED.match(base) or _EMOJI.match(base))


def _within_word(before: str, after: str) -> bool:
    return bool(_WORD.match(before) and _WORD.match(after))


def _alone(text: str, index: int) -> bool:
    return not _RUN.match(text[index - 1 : index]) and not _RUN.match(text[index + 1 : index + 2])


def _reordering(text: str) -> set[int]:
    """Places of direction characters that are not closed, or that turn Latin text round."""
    drop: set[int] = set()
    stack: list[int] = []
    for index, char in enumerate(text):
        if char in _OPENERS:
            if len(stack) < MAX_DEPTH:
                stack.append(index)
            else:
                drop.add(index)
        elif char in "\u202c\u2069":
            if not stack or _OPENERS[text[stack[-1]]] != char:
                drop.add(index)
                continue
            opened = stack.pop()
            inside = text[opened:index]
            turned = text[opened] in _RTL_OPENERS and not _RIGHT_TO_LEFT.search(inside)
            if text[opened] in _OVERRIDES or turned:
                drop |= {opened, index}
    return drop | set(stack)
