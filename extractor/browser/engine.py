"""One browser with the driver that steers it, from its launch to the last of its processes."""

from __future__ import annotations

import asyncio
import contextlib
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import structlog
from playwright.async_api import (
    Browser,
    BrowserContext,
    CDPSession,
    Error,
    Playwright,
    ProxySettings,
    async_playwright,
)

from extractor.browser import launch, processes
from extractor.browser.processes import Process
from extractor.errors import BrowserCrashed, ExtractorError
from extractor.settings import ExtractorSettings

_log = structlog.get_logger(__name__)
_REAPED_S = 1.0


@dataclass(frozen=True, slots=True)
class _Body:
    """What an engine consists of for the system; all empty where the system does not say."""

    driver: Process | None = None
    browser: Process | None = None
    leader: Process | None = None
    profiles: frozenset[Path] = frozenset()


class Engine:
    """A running browser with a driver of its own, so that what happens to one concerns no other.

    ``pages`` counts contexts so far, ``open`` those that are open, ``served`` those that were of use;
    ``ended`` says that it is being closed. The fleet keeps them.
    """

    def __init__(self, playwright: Playwright, browser: Browser, session: CDPSession) -> None:
        self.browser = browser
        self.pages = self.open = self.served = 0
        self.ended = False
        self._started = asyncio.get_running_loop().time()
        self._playwright, self._session = playwright, session
        self._body = _Body()

    @classmethod
    async def start(
        cls, settings: ExtractorSettings, proxy_url: str, *, windows: bool = False
    ) -> Engine:
        """Start a driver and a browser whose every connection goes to the proxy.

        With ``windows`` its pages may open more of them.

        Raises:
            BrowserMissing: there is no Chromium.
            BrowserCrashed: it did not start; nothing of it is left.
        """
        before = {each.pid for each in processes.below(os.getpid())}
        playwright: Playwright | None = None
        try:
            async with asyncio.timeout(settings.launch_timeout_s):
                playwright = await async_playwright().start()
                browser = await launch.launch(
                    playwright.chromium, settings, proxy_url, windows=windows
                )
                engine = cls(playwright, browser, await browser.new_browser_cdp_session())
                engine._body = await engine._find_body()
        except BaseException as error:
            await _abandon(playwright, before, settings.close_timeout_s)
            if isinstance(error, ExtractorError) or not isinstance(error, Exception):
                raise
            raise BrowserCrashed("Chromium did not start.", detail=repr(error)) from error
        return engine

    @property
    def age_s(self) -> float:
        """Seconds since it was there."""
        return asyncio.get_running_loop().time() - self._started

    @property
    def pid(self) -> int:
        """Id of the browser process; 0 where the system does not say."""
        return self._body.browser.pid if self._body.browser else 0

    @property
    def driver_pid(self) -> int:
        """Id of the driver's process; 0 where the system does not say."""
        return self._body.driver.pid if self._body.driver else 0

    @property
    def devices(self) -> Mapping[str, Mapping[str, Any]]:
        """Playwright's registry of devices by name."""
        return self._playwright.devices

    @property
    def alive(self) -> bool:
        """Whether neither the browser nor its driver has ended or been stopped, as far as is known."""
        return self.browser.is_connected() and all(
            _runs(known) for known in (self._body.driver, self._body.browser) if known is not None
        )

    async def answers(self, timeout_s: float) -> bool:
        """Whether driver and browser answer within ``timeout_s``."""
        try:
            async with asyncio.timeout(timeout_s):
                await self._session.send("Browser.getVersion")
        except (Error, TimeoutError):
            return False
        return True

    async def open_context(
        self, options: Mapping[str, Any], proxy: ProxySettings
    ) -> BrowserContext:
        """A fresh context; what the policy fixes cannot be among ``options``.

        Raises:
            playwright.async_api.Error: the browser is dead or does not want to.
        """
        return await self.browser.new_context(
            **options,
            proxy=proxy,
            service_workers="block",
            accept_downloads=False,
            bypass_csp=False,
            ignore_https_errors=False,
            permissions=[],
        )

    def memory_bytes(self) -> int:
        """Memory of the browser with all its processes; takes milliseconds, so call it in a thread."""
        return processes.memory_bytes(self._members())

    def kill(self, *, driver: bool = True) -> None:
        """End every process at once; whatever waits for an answer fails. ``close`` clears up.

        Without ``driver``, a driver that runs stays to wait for the dead and to say that they are.
        """
        processes.kill(self._members())
        if self._body.driver is not None and (driver or not _runs(self._body.driver)):
            processes.kill([self._body.driver])

    async def close(self, timeout_s: float) -> None:
        """End it, politely for ``timeout_s`` and then by force; no process or folder is left."""
        for step in (self.browser.close, self._playwright.stop):
            if not await _done_in(step(), timeout_s):
                _log.warning("browser_killed", pid=self.pid, why="it did not close")
                self.kill()
        self.kill()
        await _ended([self._body.driver] if self._body.driver else [], self._members())
        processes.remove(self._body.profiles)

    def _members(self) -> list[Process]:
        return processes.in_group(self._body.leader) if self._body.leader else []

    async def _find_body(self) -> _Body:
        answer = await self._session.send("SystemInfo.getProcessInfo")
        found = [each["id"] for each in answer["processInfo"] if each["type"] == "browser"]
        browser = processes.process(int(found[0])) if found else None
        if browser is None:
            return _Body()
        driver = processes.child_above(browser.pid, os.getpid())
        leader = processes.process(browser.group)
        if driver is None or leader is None or leader.group == os.getpgid(0):
            return _Body(driver, browser)
        members = processes.in_group(leader)
        return _Body(driver, browser, leader, frozenset(processes.profiles(members)))


def _runs(known: Process) -> bool:
    now = processes.process(known.pid)
    return now is not None and now.started == known.started and now.running


async def _abandon(playwright: Playwright | None, before: set[int], timeout_s: float) -> None:
    """Clear up after a launch that failed half-way."""
    new = [each for each in processes.below(os.getpid()) if each.pid not in before]
    drivers = [each for each in new if "run-driver" in each.arguments]
    ours = [*drivers, *(each for driver in drivers for each in processes.below(driver.pid))]
    folders = processes.profiles(ours)
    try:
        if playwright is not None:
            await _done_in(playwright.stop(), timeout_s)
    finally:
        processes.kill(ours)
        await _ended(drivers, ours)
        processes.remove(folders)


async def _ended(drivers: list[Process], others: list[Process]) -> None:
    """Wait until processes that were ended are gone: a driver, our own child, is also waited for."""
    until = asyncio.get_running_loop().time() + _REAPED_S
    while asyncio.get_running_loop().time() < until:
        if not any(map(_there, drivers)) and not any(map(_runs, others)):
            break
        await asyncio.sleep(0.02)
    await asyncio.sleep(0)  # for the event loop's own record of its child


def _there(known: Process) -> bool:
    now = processes.process(known.pid)
    return now is not None and now.started == known.started


async def _done_in(work: Any, timeout_s: float) -> bool:
    """Whether ``work`` ended in time; what it raises is of no interest, the thing is closing."""
    with contextlib.suppress(Exception):
        try:
            async with asyncio.timeout(timeout_s):
                await work
        except TimeoutError:
            return False
    return True
