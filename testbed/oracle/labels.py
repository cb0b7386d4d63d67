"""The hand labels: which text stands on which page, and what a person can see of it."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, TypeAdapter

#: ``visible`` and ``hidden`` are judged by pixels; the others are kept text of a kind of its own.
Label = Literal["visible", "hidden", "collapsed", "sr_only", "under_overlay"]

FOLDER = Path(__file__).parents[2] / "fixtures_html" / "visibility"


class _Entry(BaseModel):
    """One text of a page: ``reason`` holds every reason that would be right, ``policy`` says that the
    hand label is the truth, whatever the pixels show, and ``note`` why. ``sought`` is what must be in the
    output, or must not, where that is not the words themselves (they are then a name only).
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    label: Label
    reason: tuple[str, ...] = ()
    kind: str = ""
    policy: bool = False
    note: str = ""
    sought: str = ""


class _PageEntry(BaseModel):
    """A page file with its texts by their words; one file may stand at several ``width``s.

    ``wait_ms`` is for pages that change by time alone: how long after loading they are read.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    file: str
    family: str
    width: int = 1280
    wait_ms: int = 0
    texts: dict[str, _Entry]


@dataclass(frozen=True, slots=True)
class Target:
    """One text to judge. Its ``words`` are its name: unique in the set, and all of its text node (or all
    before a colon). ``kind`` is that of collapsed text, empty where any will do.
    """

    words: str
    file: str
    width: int
    family: str
    label: Label
    reasons: tuple[str, ...] = ()
    kind: str = ""
    policy: bool = False
    note: str = ""
    sought: str = ""
    wait_ms: int = 0

    @property
    def by_pixels(self) -> bool:
        """Whether pixels are the truth: not for policies, nor for what is kept though it is not seen."""
        return not self.policy and self.label in ("visible", "hidden")


def load_targets(folder: Path = FOLDER) -> list[Target]:
    """All targets, page by page.

    Raises:
        ValueError: words stand twice, or one target's words stand in another's on the same page.
    """
    pages = TypeAdapter(list[_PageEntry]).validate_json((folder / "labels.json").read_bytes())
    targets = [
        Target(
            words=words,
            file=page.file,
            width=page.width,
            family=page.family,
            label=entry.label,
            reasons=entry.reason,
            kind=entry.kind,
            policy=entry.policy,
            note=entry.note,
            sought=entry.sought,
            wait_ms=page.wait_ms,
        )
        for page in pages
        for words, entry in page.texts.items()
    ]
    _check(targets)
    return targets


def pages_of(targets: Sequence[Target]) -> dict[tuple[str, int], list[Target]]:
    """Targets by page file and width, in order: what is loaded once."""
    pages: dict[tuple[str, int], list[Target]] = {}
    for target in targets:
        pages.setdefault((target.file, target.width), []).append(target)
    return pages


def digest_of(file: str, folder: Path = FOLDER) -> str:
    """SHA-256 of a page file and of the set's pictures, as hexadecimal."""
    digest = hashlib.sha256((folder / file).read_bytes())
    for picture in sorted(folder.glob("*.svg")):
        digest.update(picture.read_bytes())
    return digest.hexdigest()


def _check(targets: Sequence[Target]) -> None:
    for group in pages_of(targets).values():
        for one in group:
            for other in group:
                if one is not other and one.words in other.words:
                    raise ValueError(f"{one.file}: {one.words!r} stands in {other.words!r}")
    names = [target.words for target in targets]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise ValueError(f"these words stand twice: {twice}")
