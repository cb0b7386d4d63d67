"""What the tests of browsers' life and death share."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from extractor import Extractor, ExtractorSettings
from extractor.browser import processes
from extractor.browser.discover import find_chromium
from extractor.browser.processes import Process
from extractor.browser.supervisor import BrowserPool
from extractor.egress.proxy import EgressProxy

#: On a machine with more to do than these tests a browser may take its time.
PATIENT = {"launch_timeout_s": 60, "hang_timeout_s": 20}


def in_s(seconds: float) -> float:
    return asyncio.get_running_loop().time() + seconds


def alive(pid: int) -> bool:
    found = processes.process(pid)
    return found is not None and found.alive


async def gone(family: Sequence[Process], seconds: float = 10) -> list[str]:
    """What of these processes still lives after so long; zombies of a dead parent are its init's."""
    end = time.monotonic() + seconds
    left = list(family)
    while left and time.monotonic() < end:
        await asyncio.sleep(0.05)
        left = [each for each in left if alive(each.pid)]
    return [" ".join(each.arguments)[:80] for each in left]


def kinds(pid: int, kind: str) -> list[int]:
    """Processes of one kind (``renderer``, ``utility``, …) of the browser with this process id."""
    # Chromium's children write their arguments as one text.
    found = [each for each in processes.below(pid) if each.alive]
    return [each.pid for each in found if f"--type={kind} " in " ".join(each.arguments)]


async def until(condition: Callable[[], object], seconds: float = 15) -> None:
    """Wait for a condition; the limit only ends a test that has failed."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "what was waited for did not come"
        await asyncio.sleep(0.02)


@asynccontextmanager
async def running_pool(**limits: Any) -> AsyncIterator[BrowserPool]:
    """A pool whose proxy knows the keys ``k`` and ``other``."""
    settings = ExtractorSettings(**(PATIENT | limits))
    async with EgressProxy(settings) as proxy:
        for key in ("k", "other"):
            proxy.register(key)
        pool = BrowserPool(settings, proxy)
        await pool.start()
        try:
            yield pool
        finally:
            await pool.close()


async def use(pool: BrowserPool, seconds: float = 20) -> None:
    async with pool.lease("other", {}, deadline=in_s(seconds)):
        pass


@asynccontextmanager
async def reading(folder: Path, *ports: int, **limits: Any) -> AsyncIterator[Extractor]:
    """An extractor that may open loopback on ``ports``."""
    hosts = tuple(f"127.0.0.1:{port}" for port in ports)
    async with Extractor(
        ExtractorSettings(data_dir=folder, allow_hosts=hosts, **(PATIENT | limits))
    ) as running:
        yield running


def fake_chromium(folder: Path, first: str = "") -> Path:
    """A program that notes that it was started, runs ``first`` and then is the real browser."""
    path = folder / "chromium"
    path.write_text(
        f'#!/bin/sh\necho started >> {folder}/starts\n{first}\nexec {find_chromium(None).path} "$@"\n'
    )
    path.chmod(0o755)
    return path


def starts(folder: Path) -> int:
    """How often the fake browser was started."""
    noted = folder / "starts"
    return len(noted.read_text().split()) if noted.exists() else 0


def open_descriptors() -> int:
    return len(os.listdir("/proc/self/fd"))
