"""Data sets in the layouts of their publishers, and in one simple layout for anybody's own.

A folder is recognised by what lies in it; ``read`` also looks one level down, so a folder of data sets
is a data set too. The simple layout is ``gold.jsonl`` beside ``pages/<id>.html[.gz]``: one JSON object a
line with ``id`` and any of ``gold_text``, ``gold_html``, ``gold_md``, ``with``, ``without``, ``fields``,
``url``, ``kind``, ``domain``, ``split``.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from testbed.compare.pages import Gold, GoldPage, gold_of
from testbed.compare.prices import spellings


class LayoutError(Exception):
    """A folder in no layout that is known, or a file of it that cannot be read."""


def read(folder: Path) -> list[GoldPage]:
    """Every page under a folder, in a fixed order.

    Raises:
        LayoutError: neither the folder nor a folder in it is a data set.
    """
    if not folder.is_dir():
        raise LayoutError(f"{folder} is no folder")
    here = _layout(folder)
    parts = [folder] if here else sorted(each for each in folder.iterdir() if _is_set(each))
    if not parts:
        raise LayoutError(f"{folder} holds no data set; layouts: {', '.join(LAYOUTS)}")
    pages: list[GoldPage] = []
    for part in parts:
        layout = _layout(part)
        assert layout is not None
        pages += sorted(LAYOUTS[layout][1](part), key=lambda page: page.id)
    return pages


def _is_set(folder: Path) -> bool:
    return folder.is_dir() and _layout(folder) is not None


def _layout(folder: Path) -> str | None:
    return next((name for name, (marks, _) in LAYOUTS.items() if marks(folder)), None)


#: What a page of the plain layout can be judged by; one of these at least.
_GOLDS = ("gold_text", "gold_html", "gold_md", "with", "without", "fields")


def _simple(folder: Path) -> Iterator[GoldPage]:
    for entry in _json_lines(folder / "gold.jsonl", needs="id", one_of=_GOLDS):
        if entry.get("dup_of"):
            # The same page twice would count twice.
            continue
        if "price" in (fields := entry.get("fields") or {}):
            fields["price"] = spellings(fields["price"])
        yield GoldPage(
            dataset=str(entry.get("dataset") or folder.name),
            id=str(entry["id"]),
            body=_body(folder / "pages", str(entry["id"])),
            gold=gold_of(entry),
            url=entry.get("url"),
            site=str(entry.get("domain") or _site(entry.get("url")) or entry["id"]),
            kind=str(entry.get("kind") or "page"),
            split=str(entry.get("split") or "dev"),
        )


def _wcxb(folder: Path) -> Iterator[GoldPage]:
    for truth in sorted(folder.glob("*/ground-truth/*.json")):
        entry = _json(truth)
        gold, inner = entry["ground_truth"], entry.get("_internal", {}).get("page_type", {})
        yield GoldPage(
            dataset="wcxb",
            id=truth.stem if truth.parts[-3] == "dev" else f"t{truth.stem}",
            body=_body(truth.parents[1] / "html", truth.stem),
            gold=gold_of({"gold_text": gold["main_content"], **gold}),
            url=entry.get("url"),
            site=_site(entry.get("url")),
            kind=inner.get("primary") or "page",
            split=truth.parts[-3],
        )


def _scrapinghub(folder: Path) -> Iterator[GoldPage]:
    for name, entry in _json(folder / "ground-truth.json").items():
        gold = {"gold_text": entry["articleBody"], **entry}
        yield _article("scrapinghub", name, _body(folder / "html", name), gold, entry.get("url"))


def _trafilatura(folder: Path) -> Iterator[GoldPage]:
    for url, entry in _json(folder / "evaldata.json").items():
        file = next(
            (
                each
                for part in ("cache", "eval")
                if (each := folder / part / entry["file"]).is_file()
            ),
            None,
        )
        if file is not None:
            yield _article("trafilatura", entry["file"], file.read_bytes(), entry, url)


def _readability(folder: Path) -> Iterator[GoldPage]:
    for expected in sorted(folder.glob("*/expected.html")):
        body = (expected.parent / "source.html").read_bytes()
        entry = {"gold_html": expected.read_text("utf-8")}
        yield _article("readability", expected.parent.name, body, entry, None)


def _offline(folder: Path) -> Iterator[GoldPage]:
    for entry in _json_lines(folder / "gold_visible.jsonl"):
        gold = Gold(
            wanted=tuple(entry["must"]),
            unwanted=tuple(string for string, _ in entry["must_not"]),
        )
        body = (folder / "pages" / entry["id"] / "index.html").read_bytes()
        site = entry["id"].partition("_")[0]
        yield GoldPage("offline", entry["id"], body, gold, f"https://{site}/", site, "visibility")


#: Name, how a folder of it is known, how it is read; the first that fits is taken.
LAYOUTS: dict[str, tuple[Callable[[Path], bool], Callable[[Path], Iterator[GoldPage]]]] = {
    "simple": (lambda folder: (folder / "gold.jsonl").is_file(), _simple),
    "offline pages": (lambda folder: (folder / "gold_visible.jsonl").is_file(), _offline),
    "wcxb": (lambda folder: any(folder.glob("*/ground-truth/*.json")), _wcxb),
    "scrapinghub": (lambda folder: (folder / "ground-truth.json").is_file(), _scrapinghub),
    "trafilatura": (lambda folder: (folder / "evaldata.json").is_file(), _trafilatura),
    "readability": (lambda folder: any(folder.glob("*/expected.html")), _readability),
}


def _article(
    dataset: str, name: str, body: bytes, gold: dict[str, Any], url: str | None
) -> GoldPage:
    return GoldPage(dataset, name, body, gold_of(gold), url, _site(url) or name, "article")


def _body(folder: Path, name: str) -> bytes:
    for file in (folder / f"{name}.html.gz", folder / f"{name}.html"):
        if file.is_file():
            body = file.read_bytes()
            return gzip.decompress(body) if file.suffix == ".gz" else body
    raise LayoutError(f"{folder} has no page {name}.html or {name}.html.gz")


def _json(file: Path) -> Any:
    try:
        return json.loads(file.read_text("utf-8"))
    except ValueError as error:
        raise LayoutError(f"{file}: {error}") from error


def _json_lines(
    file: Path, *, needs: str = "", one_of: Sequence[str] = ()
) -> Iterator[dict[str, Any]]:
    # Not splitlines(): JSON strings may hold other line separators as they are.
    for number, line in enumerate(file.read_text("utf-8").split("\n"), start=1):
        try:
            entry = json.loads(line) if line.strip() else None
        except ValueError as error:
            raise LayoutError(f"{file}, line {number}: {error}") from error
        if entry is None:
            continue
        if not isinstance(entry, dict) or (needs and needs not in entry):
            raise LayoutError(f"{file}, line {number}: an object with {needs or 'names'} is wanted")
        if one_of and not any(name in entry for name in one_of):
            raise LayoutError(f"{file}, line {number}: none of {', '.join(one_of)}")
        yield entry


def _site(url: str | None) -> str:
    return (urlsplit(url).hostname or "").removeprefix("www.") if url else ""
