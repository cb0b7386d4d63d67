"""A page with what is known of its content."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from testbed.compare.text import html_to_text, markdown_to_text

_LANGUAGE = re.compile(rb"""<html[^>]*?\blang\s*=\s*["']?([A-Za-z]{2,3})""", re.I)


@dataclass(frozen=True, slots=True)
class Gold:
    """What a good output holds.

    Attributes:
        text: the main content as plain text; ``None`` when the data set has none.
        wanted: passages that must be there.
        unwanted: passages that must not.
        fields: values by name, each with the spellings that count; any one of them is enough.
    """

    text: str | None = None
    wanted: tuple[str, ...] = ()
    unwanted: tuple[str, ...] = ()
    fields: dict[str, tuple[str, ...]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class GoldPage:
    """One page of a data set. ``site`` groups pages that must not be split between folds."""

    dataset: str
    id: str
    body: bytes
    gold: Gold
    url: str | None = None
    site: str = ""
    kind: str = "page"
    split: str = "dev"

    @property
    def language(self) -> str:
        """Two or three letters of the page's own ``lang``; ``?`` without one."""
        found = _LANGUAGE.search(self.body[:8_192])
        return found[1].decode("ascii").lower() if found else "?"


def gold_of(entry: dict[str, object]) -> Gold:
    """Gold from a record that holds one of ``gold_text``, ``gold_html``, ``gold_md`` and more."""
    return Gold(
        text=_text(entry),
        wanted=_strings(entry.get("with")),
        unwanted=_strings(entry.get("without")),
        fields={name: _strings(values) for name, values in _mapping(entry.get("fields"))},
    )


def digest(pages: Iterable[GoldPage]) -> str:
    """One SHA-256 over ids, bytes and gold, whatever the order: names the data that was measured."""
    each = sorted(
        hashlib.sha256(
            repr((page.dataset, page.id, page.gold)).encode("utf-8", "surrogatepass") + page.body
        ).hexdigest()
        for page in pages
    )
    return hashlib.sha256("".join(each).encode("ascii")).hexdigest()


def _text(entry: dict[str, object]) -> str | None:
    for name, read in (
        ("gold_text", str),
        ("gold_html", html_to_text),
        ("gold_md", markdown_to_text),
    ):
        if isinstance(value := entry.get(name), str):
            return read(value)
    return None


def _strings(value: object) -> tuple[str, ...]:
    return tuple(str(each) for each in value) if isinstance(value, list) else ()


def _mapping(value: object) -> list[tuple[str, object]]:
    return list(value.items()) if isinstance(value, dict) else []
