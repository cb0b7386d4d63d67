"""A browser that answers but gets nothing done is replaced."""

from __future__ import annotations

import asyncio
import os
import signal
from pathlib import Path

from extractor import Extractor, PageRequest
from extractor.browser.backoff import Backoff, Progress
from extractor.errors import ExtractorError
from tests.browser.site import serve
from tests.faults.pools import kinds, reading


async def test_a_browser_that_reads_no_page_for_several_deadlines_is_replaced(
    tmp_path: Path,
) -> None:
    limits = {"deadline_s": 2, "settle_cap_s": 1, "stuck_deadlines": 2, "concurrency": 2}
    async with (
        serve({"/": "<p>Good words</p>"}) as site,
        reading(tmp_path, site.port, **limits) as extractor,
    ):
        before = extractor.pool.state
        # The process that loads addresses: without it the browser answers, and opens nothing.
        (network,) = [
            pid
            for pid in kinds(before.browser_pid, "utility")
            if "NetworkService" in _arguments(pid)
        ]
        os.kill(network, signal.SIGSTOP)
        codes: set[str] = set()
        for _ in range(20):
            codes |= {await _outcome(extractor, site.url("/"))}
            if "" in codes:
                break
        # Each of them had a typed answer within its deadline, and then one was served again.
        assert "" in codes
        assert codes - {""} <= {"deadline", "page_unresponsive", "browser_crashed"}
        state = extractor.pool.state
        assert state.replaced == {"stuck": 1}
        assert state.browser_pid != before.browser_pid


def test_progress_counts_only_time_with_work() -> None:
    progress = Progress(patience_s=10)
    assert not progress.stuck(100, work=False)
    assert not progress.stuck(109, work=True)
    progress.succeeded(109)
    assert not progress.stuck(118, work=True)
    assert progress.stuck(120, work=True)
    assert not progress.stuck(200, work=False)
    assert not progress.stuck(205, work=True)


def test_pauses_double_up_to_a_limit_and_end_with_a_browser_that_worked() -> None:
    backoff = Backoff()
    pauses = []
    for _ in range(9):
        backoff.failed()
        pauses.append(backoff.pause_s)
    assert pauses == [0.0, 0.2, 0.4, 0.8, 1.6, 3.2, 5.0, 5.0, 5.0]
    backoff.lost(lived_s=1, pages=0)
    assert backoff.pause_s == 5.0
    backoff.lost(lived_s=1, pages=5)
    assert backoff.pause_s == 0.0
    backoff.lost(lived_s=1, pages=0)
    assert backoff.pause_s == 0.2
    backoff.lost(lived_s=31, pages=0)
    assert backoff.pause_s == 0.0


def _arguments(pid: int) -> str:
    return Path(f"/proc/{pid}/cmdline").read_text()


async def _outcome(extractor: Extractor, url: str) -> str:
    wanted = PageRequest(url=url, format="text", render="browser")
    try:
        async with asyncio.timeout(30):
            await extractor.extract(wanted)
    except ExtractorError as error:
        return error.code
    return ""
