"""The oracle's answers, kept beside the pages with a digest of each, so that tests need not look again."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path

from playwright.async_api import Browser
from pydantic import BaseModel, ConfigDict, TypeAdapter

from testbed.oracle.labels import FOLDER, Target, digest_of, pages_of
from testbed.oracle.pixels import THRESHOLD, Seen, look

_NAME = "pixels.json"
#: Pages are looked at side by side: each has a context, and so a window, of its own.
_PAGES_AT_ONCE = 2


class _Looked(BaseModel):
    """What the oracle saw on one page at one width: the largest contrast ratio by words."""

    model_config = ConfigDict(extra="forbid")

    file: str
    width: int
    sha256: str
    ratios: dict[str, float]


_PAGES = TypeAdapter(list[_Looked])


def recorded(targets: Sequence[Target], folder: Path = FOLDER) -> dict[str, Seen]:
    """The kept answers, by words.

    Raises:
        ValueError: a page has changed since, or has a text that was not looked at.
    """
    pages = _PAGES.validate_json((folder / _NAME).read_bytes())
    known = {(page.file, page.width): page for page in pages}
    seen: dict[str, Seen] = {}
    for (file, width), group in pages_of(targets).items():
        page = known.get((file, width))
        if page is None or page.sha256 != digest_of(file, folder):
            raise ValueError(f"{file} has changed: run `python -m testbed.oracle --look --write`")
        missing = [target.words for target in group if target.words not in page.ratios]
        if missing:
            raise ValueError(f"{file}: not looked at: {missing}")
        seen |= {target.words: Seen(page.ratios[target.words]) for target in group}
    return seen


def record(targets: Sequence[Target], seen: dict[str, Seen], folder: Path = FOLDER) -> None:
    """Write the answers for all pages."""
    pages = [
        _Looked(
            file=file,
            width=width,
            sha256=digest_of(file, folder),
            ratios={target.words: seen[target.words].ratio for target in group},
        )
        for (file, width), group in pages_of(targets).items()
    ]
    (folder / _NAME).write_bytes(_PAGES.dump_json(pages, indent=1) + b"\n")


async def look_at_all(
    browser: Browser, base_url: str, targets: Sequence[Target], *, pictures: Path | None = None
) -> dict[str, Seen]:
    """Ask the pixel oracle about every target, page by page, below ``base_url``."""
    seen: dict[str, Seen] = {}
    room = asyncio.Semaphore(_PAGES_AT_ONCE)

    async def one(file: str, group: Sequence[Target]) -> None:
        async with room:
            seen.update(await look(browser, f"{base_url}/{file}", group, pictures=pictures))

    async with asyncio.TaskGroup() as tasks:
        for (file, _), group in pages_of(targets).items():
            tasks.create_task(one(file, group))
    return seen


def mislabelled(targets: Sequence[Target], seen: dict[str, Seen]) -> list[str]:
    """Targets whose hand label the pixels do not bear out: the oracle or the label is wrong."""
    return [
        f"{target.file}: {target.words!r} is labelled {target.label}, contrast {seen[target.words].ratio}"
        f" (threshold {THRESHOLD})"
        for target in targets
        if target.by_pixels and seen[target.words].visible != (target.label == "visible")
    ]
