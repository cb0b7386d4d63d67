"""The static path against what a real browser shows of the same pages.

``python -m testbed.static_gold`` reads the offline pages under the data folder (``PAGEFOLD_SHARED``) without
a browser and prints, over all pages, the share of strings kept that a browser shows, and the share of strings
let through that it does not: with the page's own ``style`` elements alone, and with its linked sheets given.
"""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal
from urllib.parse import unquote, urlsplit

from extractor.pipeline import Options, filter_judged, judged
from extractor.static import StaticOptions, snapshot_from_bytes
from testbed.conservation import SHARED

_LINKED = re.compile(r"""<link[^>]*?href\s*=\s*["']?([^"'\s>]+\.css[^"'\s>]*)""", re.I)
_BASE = "https://offline.test/"


@dataclass(frozen=True, slots=True)
class Score:
    """Counts of one page: strings that must and must not be there, and how many are."""

    name: str
    must: int
    kept: int
    must_not: int
    let_through: int
    missing: tuple[str, ...] = ()
    leaked: tuple[str, ...] = ()


def squeezed(text: str) -> str:
    """Text as it is compared: without white space."""
    return re.sub(r"\s+", "", text)


def _as_meant(text: str) -> str:
    """A string that the browser read as windows-1252 for want of a label, as UTF-8."""
    try:
        return text.encode("cp1252").decode("utf-8")
    except UnicodeError:
        return text


def linked_sheets(folder: Path, html: str) -> dict[str, str]:
    """Style sheets that a page links and that lie beside it, by absolute address."""
    found = {}
    for address in _LINKED.findall(html):
        file = folder / unquote(urlsplit(address).path).lstrip("/")
        if file.is_file():
            found[_BASE + address.lstrip("/")] = file.read_text("utf-8", "replace")
    return found


def score(gold: dict[str, Any], folder: Path, *, linked: bool, collapsed: bool) -> Score:
    """One page; ``collapsed`` says whether what a click would open counts as shown."""
    body = (folder / "index.html").read_bytes()
    sheets = linked_sheets(folder, body.decode("utf-8", "replace")) if linked else {}
    snapshot = snapshot_from_bytes(
        body,
        url=_BASE + "index.html",
        content_type="text/html",
        options=StaticOptions(sheets=sheets),
    )
    keep: Literal["keep", "drop"] = "keep" if collapsed else "drop"
    page = filter_judged(judged(snapshot, collapsed=keep), Options(("text",), 0, collapsed=keep))
    text = squeezed(page.content["text"])
    missing = tuple(
        must
        for must in gold["must"]
        if squeezed(must) not in text and squeezed(_as_meant(must)) not in text
    )
    leaked = tuple(string for string, _ in gold["must_not"] if squeezed(string) in text)
    return Score(
        gold["id"],
        len(gold["must"]),
        len(gold["must"]) - len(missing),
        len(gold["must_not"]),
        len(leaked),
        missing,
        leaked,
    )


def scores(shared: Path, *, linked: bool, collapsed: bool) -> Iterator[Score]:
    """All pages of the gold that are there."""
    root = shared / "data" / "offline_pages"
    for line in (root / "gold_visible.jsonl").read_text("utf-8").splitlines():
        gold = json.loads(line)
        folder = root / "pages" / gold["id"]
        if (folder / "index.html").is_file():
            yield score(gold, folder, linked=linked, collapsed=collapsed)


def summary(found: Sequence[Score]) -> str:
    """Shares over all strings, and as the mean of pages."""
    must, must_not = sum(s.must for s in found), sum(s.must_not for s in found)
    kept, leaked = sum(s.kept for s in found), sum(s.let_through for s in found)
    kept_mean = _mean([s.kept / s.must for s in found if s.must])
    leaked_mean = _mean([s.let_through / s.must_not for s in found if s.must_not])
    return (
        f"visible kept {kept / max(must, 1):.3f} (mean {kept_mean:.3f}), "
        f"hidden let through {leaked / max(must_not, 1):.3f} (mean {leaked_mean:.3f})"
    )


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else 0.0


def main(arguments: Sequence[str] | None = None) -> int:
    """Print a line for each way of reading; with ``--misses`` also the strings that went wrong."""
    parser = argparse.ArgumentParser(prog="python -m testbed.static_gold", description=__doc__)
    parser.add_argument("--misses", action="store_true", help="name what went wrong")
    given = parser.parse_args(arguments)
    if not (SHARED / "data" / "offline_pages").is_dir():
        print(f"no offline pages under {SHARED}; set PAGEFOLD_SHARED to the data folder")
        return 1
    for linked in (False, True):
        for collapsed in (True, False):
            found = list(scores(SHARED, linked=linked, collapsed=collapsed))
            ways = f"{'linked sheets' if linked else 'own sheets only'}, collapsed "
            print(
                f"{len(found)} pages, {ways}{'kept' if collapsed else 'dropped'}: {summary(found)}"
            )
            if given.misses and linked and not collapsed:
                for page in found:
                    for string in page.missing[:8]:
                        print(f"  {page.name}: missing: {string[:80]!r}")
                    for string in page.leaked[:8]:
                        print(f"  {page.name}: let through: {string[:80]!r}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
