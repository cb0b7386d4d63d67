"""What a request costs beside the least that a browser could do: ``goto`` and ``content()`` alone.

``python -m testbed.bench`` runs both in turn on the demo pages, in the same browser, each with a fresh
context, and prints medians and their ratio, time by stage and memory. Ratios are worth quoting; the
milliseconds are this machine's.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import platform
import resource
import statistics
import tempfile
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from api.demo import DemoServer
from extractor import Extractor, ExtractorSettings, Page, PageRequest

DEMO_PAGES = ("article", "shop", "docs", "forum", "consent", "hidden")
STAGES = ("navigate", "settle", "clone", "compose", "filter")


@dataclass(frozen=True, slots=True)
class Result:
    """Medians for one page. Times in milliseconds; ``ratio`` is ours over bare, pair by pair."""

    page: str
    bare_ms: float
    ours_ms: float
    ratio: float
    ratio_low: float
    ratio_high: float
    stages_ms: dict[str, float]


async def bare(extractor: Extractor, url: str, key: str) -> float:
    """Milliseconds of a fresh context, ``goto`` until ``load`` and ``content()``."""
    extractor.proxy.register(key)
    deadline = asyncio.get_running_loop().time() + 60
    started = time.perf_counter()
    try:
        async with extractor.pool.lease(key, {}, deadline=deadline) as lease:
            page = await lease.context.new_page()
            await page.goto(url, wait_until="load")
            await page.content()
    finally:
        await extractor.proxy.forget(key)
    return (time.perf_counter() - started) * 1000


async def ours(extractor: Extractor, url: str) -> tuple[float, Page]:
    """Milliseconds of a whole request, and its page."""
    started = time.perf_counter()
    page = await extractor.extract(PageRequest(url=url))
    return (time.perf_counter() - started) * 1000, page


async def measure(extractor: Extractor, url: str, rounds: int) -> Result:
    """Both in turn, ``rounds`` times after one warm-up of each."""
    pairs: list[tuple[float, float]] = []
    stages: dict[str, list[float]] = {stage: [] for stage in STAGES}
    for turn in range(rounds + 1):
        base = await bare(extractor, url, f"bare-{turn}")
        full, page = await ours(extractor, url)
        if turn == 0:
            continue
        pairs.append((base, full))
        for stage in STAGES:
            stages[stage].append(page.stats.timings_ms.get(stage, 0.0))
    ratios = sorted(full / base for base, full in pairs)
    return Result(
        url.rpartition("/")[2] or url,
        round(statistics.median(base for base, _ in pairs), 1),
        round(statistics.median(full for _, full in pairs), 1),
        round(statistics.median(ratios), 3),
        round(ratios[0], 3),
        round(ratios[-1], 3),
        {stage: round(statistics.median(times), 1) for stage, times in stages.items()},
    )


def memory_mb() -> dict[str, float]:
    """Proportional memory of this process's children (the browser) and peak of this process, in MB."""
    total = 0
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if _descends(process, os.getpid()):
                rollup = (process / "smaps_rollup").read_text()
                total += int(rollup.split("\nPss:")[1].split()[0])
        except (OSError, IndexError, ValueError):
            continue
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return {"browser_pss": round(total / 1024, 1), "python_peak": round(peak / 1024, 1)}


def _descends(process: Path, ancestor: int) -> bool:
    pid = int(process.name)
    while pid > 1:
        stat = Path(f"/proc/{pid}/stat").read_text()
        pid = int(stat.rpartition(")")[2].split()[1])
        if pid == ancestor:
            return True
    return False


def table(results: Sequence[Result]) -> str:
    """Results as a Markdown table."""
    head = ["page", "bare ms", "ours ms", "ratio", "lowest", "highest", *STAGES]
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    for row in results:
        cells = [row.page, row.bare_ms, row.ours_ms, row.ratio, row.ratio_low, row.ratio_high]
        cells += [row.stages_ms[stage] for stage in STAGES]
        lines.append("| " + " | ".join(map(str, cells)) + " |")
    return "\n".join(lines)


async def _run(urls: Sequence[str], allow: Sequence[str], rounds: int) -> list[Result]:
    with tempfile.TemporaryDirectory(prefix="pagefold-") as folder:
        settings = ExtractorSettings(
            allow_hosts=tuple(allow), data_dir=Path(folder), block_media=False, recycle_pages=10_000
        )
        async with Extractor(settings) as extractor:
            results = [await measure(extractor, url, rounds) for url in urls]
            print(f"memory MB: {memory_mb()}")
            return results


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the table, and the same as JSON where asked."""
    parser = argparse.ArgumentParser(prog="python -m testbed.bench", description=__doc__)
    parser.add_argument("--rounds", type=int, default=9, help="pairs a page (default 9)")
    parser.add_argument("--json", type=Path, help="also write the results to this file")
    given = parser.parse_args(arguments)
    with DemoServer(0) as demo:
        urls = [f"{demo.url}/{page}" for page in DEMO_PAGES]
        results = asyncio.run(_run(urls, [f"127.0.0.1:{demo.port}"], given.rounds))
    print(
        f"machine: {platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}"
    )
    print(table(results))
    middle = statistics.median(result.ratio for result in results)
    print(f"median ratio over {len(results)} pages: {middle:.3f}")
    if given.json:
        given.json.write_text(json.dumps([asdict(result) for result in results], indent=1))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
