"""Run the whole browser path over pages that others wrote, and check what must hold of each.

``python -m testbed.real_pages FOLDER:PAGE … --warc FILE=URL`` serves each folder on loopback, extracts
the page, and prints one row a page: sizes, folds, milliseconds by stage, and which checks failed.
"""

from __future__ import annotations

import argparse
import asyncio
import functools
import http.server
import re
import tempfile
import threading
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import lxml.html

from batch.warc import WarcResponses
from extractor import Extractor, ExtractorSettings, Page, PageRequest, filter_snapshot, unfold
from extractor.errors import ExtractorError
from extractor.tree import parse
from testbed.guarantees import MARKER, is_fixpoint, put_back, sums_are_exact, text_of

_STAGES = ("navigate", "settle", "clone", "compose", "filter")


@dataclass(frozen=True, slots=True)
class Subject:
    """A page to run: served from ``folder``, or replayed from ``archive``."""

    name: str
    url: str
    archive: Path | None = None
    sentences: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Row:
    """What came back for one page; ``failed`` names the checks that did not hold."""

    name: str
    page: Page | None
    failed: tuple[str, ...]
    found: str = "-"


class _Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:
        """Nothing: the table is the output."""


@contextmanager
def served(folder: Path) -> Iterator[int]:
    """Serve a folder on loopback for the block; the port."""
    handler = functools.partial(_Quiet, directory=str(folder))
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield server.server_address[1]
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def checks(page: Page) -> tuple[str, ...]:
    """Names of the guarantees that this page breaks; empty when all hold."""
    html, failed = page.content["html"], []
    if len(html) > 35_000:
        failed.append("budget")
    if not is_fixpoint(html):
        failed.append("fixpoint")
    again = filter_snapshot(page.snapshot, format=("html", "markdown", "text"))
    if again.content != {name: page.content[name] for name in again.content}:
        failed.append("replay")
    whole = filter_snapshot(page.snapshot, budget=0)
    if text_of(put_back(html, lambda ref: unfold(page.snapshot, ref))) != text_of(
        whole.content["html"]
    ):
        failed.append("unfold")
    small = filter_snapshot(page.snapshot, budget=4_000)
    if len(small.content["html"]) > 4_000 or not _subset(small, page):
        failed.append("nesting")
    if not sums_are_exact(page):
        failed.append("ledger")
    return tuple(failed)


def _subset(small: Page, large: Page) -> bool:
    """Whether every line of text under the small budget is there under the large one."""
    kept = text_of(large.content["html"])
    lines = (re.sub(r"\s+", "", text) for text in parse(MARKER.sub("", small.content["html"])).text)
    title = re.sub(r"\s+", "", small.title)
    return all(line in kept or line.rstrip("\u2026") in title for line in lines if line)


async def run(subjects: Sequence[Subject], allow: Sequence[str]) -> list[Row]:
    """Extract every subject with one browser for the served ones, and one for each archive."""
    rows: list[Row] = []
    with tempfile.TemporaryDirectory(prefix="pagefold-") as folder:
        settings = ExtractorSettings(allow_hosts=tuple(allow), data_dir=Path(folder))
        async with Extractor(settings) as extractor:
            for subject in subjects:
                if subject.archive is None:
                    rows.append(await _row(extractor, subject))
        for subject in subjects:
            if subject.archive is not None:
                async with Extractor(
                    settings, source=WarcResponses.load(subject.archive)
                ) as extractor:
                    rows.append(await _row(extractor, subject))
    return rows


async def _row(extractor: Extractor, subject: Subject) -> Row:
    try:
        page = await extractor.extract(
            PageRequest(url=subject.url, format=("html", "markdown", "text"))
        )
    except ExtractorError as error:
        return Row(subject.name, None, (error.code,))
    failed = await asyncio.to_thread(checks, page)
    whole = text_of(filter_snapshot(page.snapshot, budget=0).content["html"])
    kept = text_of(page.content["html"])
    wanted = [re.sub(r"\s+", "", sentence) for sentence in subject.sentences]
    if any(sentence not in whole for sentence in wanted):
        failed = (*failed, "sentences")
    return Row(subject.name, page, failed, f"{sum(s in kept for s in wanted)}/{len(wanted)}")


def sentences_of(html: bytes, count: int = 3) -> tuple[str, ...]:
    """Long paragraphs of plain text, evenly spaced over a document, read with lxml alone."""
    root = lxml.html.document_fromstring(html)
    texts = [p.text.strip() for p in root.iter("p") if p.text and not len(p) and not _hidden(p)]
    long = [text for text in texts if len(text) > 60]
    if len(long) < count:
        return tuple(long)
    return tuple(long[index * (len(long) - 1) // (count - 1)] for index in range(count))


def _hidden(element: Any) -> bool:
    """Whether a style attribute hides it: such a paragraph says nothing about the filter."""
    return any(
        "display" in (above.get("style") or "") for above in [element, *element.iterancestors()]
    )


def table(rows: Sequence[Row]) -> str:
    """Rows as a Markdown table."""
    head = ["page", "raw", "visible", "kept", "html", "folds", *_STAGES, "sentences", "checks"]
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    for row in rows:
        if row.page is None:
            cells = [row.name, *["-"] * (len(head) - 2), "error " + row.failed[0]]
        else:
            stats = row.page.stats
            sizes = (
                stats.raw_chars,
                stats.visible_chars,
                stats.kept_chars,
                stats.output_chars["html"],
            )
            times = (f"{stats.timings_ms.get(stage, 0):.0f}" for stage in _STAGES)
            verdict = ", ".join(row.failed) or "ok"
            cells = [
                row.name,
                *map(str, sizes),
                str(len(row.page.folds)),
                *times,
                row.found,
                verdict,
            ]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the table; 1 when a check failed."""
    parser = argparse.ArgumentParser(prog="python -m testbed.real_pages", description=__doc__)
    parser.add_argument(
        "pages", nargs="*", help="FOLDER:PAGE, e.g. /usr/share/doc/x/html:index.html"
    )
    parser.add_argument(
        "--warc", action="append", default=[], help="FILE=URL, replayed from the file"
    )
    given = parser.parse_args(arguments)
    subjects, allow = [], []
    with _serving(given.pages) as found:
        for name, port, path, sentences in found:
            allow.append(f"127.0.0.1:{port}")
            subjects.append(Subject(name, f"http://127.0.0.1:{port}/{path}", sentences=sentences))
        for item in given.warc:
            file, _, url = item.partition("=")
            subjects.append(Subject(Path(file).name, url, Path(file)))
        rows = asyncio.run(run(subjects, allow))
    print(table(rows))
    return 1 if any(row.failed for row in rows) else 0


@contextmanager
def _serving(pages: Sequence[str]) -> Iterator[list[tuple[str, int, str, tuple[str, ...]]]]:
    with ExitStack() as stack:
        found = []
        for page in pages:
            folder, _, path = page.partition(":")
            port = stack.enter_context(served(Path(folder)))
            path = path or "index.html"
            sentences = sentences_of((Path(folder) / path).read_bytes())
            found.append((f"{Path(folder).name}/{path}", port, path, sentences))
        yield found


if __name__ == "__main__":
    raise SystemExit(main())
