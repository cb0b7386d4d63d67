"""How well visible text is told from hidden text on real pages with their style sheets.

``python -m testbed.visibility_gold [SITE …]`` serves each page of ``offline_pages`` on loopback, captures it,
and compares with what a browser was seen to show: ``must`` strings that were kept and ``must_not`` strings
that were let through. Closed parts count as hidden and labels for screen readers as no text; ``--defaults``
counts both as text, ``--misses`` prints the strings that differ.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import re
import statistics
import tempfile
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from extractor import Extractor, ExtractorSettings, Page, PageRequest
from extractor.errors import ExtractorError
from extractor.request import Viewport
from extractor.tree import TEXT, Tree, parse
from extractor.visibility import HIDDEN, judge
from testbed.real_pages import served

_SPACE = re.compile(r"\s+")


@dataclass(frozen=True, slots=True)
class Gold:
    """What a browser showed of one page, and what it did not (with the reason)."""

    site: str
    must: tuple[str, ...]
    must_not: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Row:
    """Strings of one page that the capture got wrong; ``share`` is output over raw characters."""

    gold: Gold
    lost: tuple[str, ...] = ()
    leaked: tuple[tuple[str, str], ...] = ()
    share: float = 0.0
    error: str = ""


def folder() -> Path:
    """Where the pages lie: ``PAGEFOLD_SHARED``, or ``shared`` beside the checkout."""
    beside = Path(__file__).resolve().parents[2] / "shared"
    return Path(os.environ.get("PAGEFOLD_SHARED", beside)) / "data" / "offline_pages"


def load_gold(path: Path) -> Iterator[Gold]:
    """Read ``gold_visible.jsonl``."""
    for line in path.read_text("utf-8").splitlines():
        record = json.loads(line)
        pairs = tuple((str(text), str(why)) for text, why in record["must_not"])
        yield Gold(record["id"], tuple(record["must"]), pairs)


def visible_text(tree: Tree, *, defaults: bool) -> str:
    """Text that can be seen, without white space, texts apart from each other.

    Without ``defaults``, what is closed and labels for screen readers are left out.
    """
    verdicts = judge(tree, collapsed="keep" if defaults else "drop")
    label = [False] * len(tree)
    parts: list[str] = []
    for node in range(1, len(tree)):
        labels = (tree.attrs[node] or {}).get("data-pf-l", "").split()
        label[node] = label[tree.parent[node]] or "sr_only" in labels
        if (
            tree.tag[node] == TEXT
            and verdicts.state[node] != HIDDEN
            and (defaults or not label[node])
        ):
            parts.append(tree.text[node])
    return _SPACE.sub("", "".join(parts))


def compare(gold: Gold, page: Page, *, defaults: bool) -> Row:
    """What of one page's gold does not hold."""
    text = visible_text(parse(page.snapshot.html), defaults=defaults)
    lost = tuple(must for must in gold.must if _SPACE.sub("", must) not in text)
    leaked = tuple(pair for pair in gold.must_not if _SPACE.sub("", pair[0]) in text)
    share = page.stats.output_chars["html"] / max(1, page.stats.raw_chars)
    return Row(gold, lost, leaked, share)


async def run(golds: Sequence[Gold], *, defaults: bool) -> AsyncIterator[Row]:
    """Capture every page in one browser, one at a time, and compare."""
    with tempfile.TemporaryDirectory(prefix="pagefold-") as data, ExitStack() as stack:
        ports = [stack.enter_context(served(folder() / "pages" / gold.site)) for gold in golds]
        allow = tuple(f"127.0.0.1:{port}" for port in ports)
        settings = ExtractorSettings(allow_hosts=allow, data_dir=Path(data))
        async with Extractor(settings) as extractor:
            for gold, port in zip(golds, ports, strict=True):
                request = PageRequest(
                    url=f"http://127.0.0.1:{port}/index.html",
                    viewport=Viewport(width=1280, height=900),
                )
                try:
                    page = await extractor.extract(request)
                except ExtractorError as error:
                    yield Row(gold, error=error.code)
                    continue
                yield await asyncio.to_thread(compare, gold, page, defaults=defaults)


def line_of(row: Row) -> str:
    """One page as a line of a Markdown table."""
    if row.error:
        return f"| {row.gold.site} | error {row.error} | | |"
    kept = f"{len(row.gold.must) - len(row.lost)}/{len(row.gold.must)}"
    return f"| {row.gold.site} | {kept} | {len(row.leaked)}/{len(row.gold.must_not)} | {row.share:.3f} |"


def total_of(rows: Sequence[Row]) -> str:
    """Shares over all strings of all pages."""
    good = [row for row in rows if not row.error]
    must, must_not = (
        sum(len(getattr(row.gold, name)) for row in good) for name in ("must", "must_not")
    )
    lost, leaked = sum(len(row.lost) for row in good), sum(len(row.leaked) for row in good)
    share = statistics.median(row.share for row in good) if good else 0.0
    return (
        f"{len(good)} pages of {len(rows)}: visible kept {1 - lost / max(1, must):.4f} "
        f"({must - lost}/{must}), hidden let through {leaked / max(1, must_not):.4f} "
        f"({leaked}/{must_not}), median output/raw {share:.3f}"
    )


async def _main(given: argparse.Namespace) -> list[Row]:
    golds = list(load_gold(folder() / "gold_visible.jsonl"))
    rows = []
    print("| page | visible kept | hidden let through | output/raw |\n|---|---|---|---|")
    async for row in run(
        [gold for gold in golds if not given.sites or gold.site in given.sites],
        defaults=given.defaults,
    ):
        rows.append(row)
        print(line_of(row), flush=True)
        if given.misses:
            for text in row.lost:
                print(f"    lost: {text[:150]}")
            for text, why in row.leaked:
                print(f"    let through ({why}): {text[:150]}")
    return rows


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the table and the totals; 1 when a page could not be captured."""
    parser = argparse.ArgumentParser(prog="python -m testbed.visibility_gold", description=__doc__)
    parser.add_argument("sites", nargs="*", help="names of pages (default: all)")
    parser.add_argument("--defaults", action="store_true", help="closed parts and labels are text")
    parser.add_argument("--misses", action="store_true", help="print the strings that differ")
    rows = asyncio.run(_main(parser.parse_args(arguments)))
    print(total_of(rows))
    return 1 if any(row.error for row in rows) else 0


if __name__ == "__main__":
    raise SystemExit(main())
