"""The browser that serves, its successor, and those that finish what they have begun."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Coroutine, Mapping
from typing import Any, Literal

import structlog

from extractor.browser.backoff import Backoff
from extractor.browser.engine import Engine
from extractor.errors import Draining, ExtractorError
from extractor.settings import ExtractorSettings

_log = structlog.get_logger(__name__)

Reason = Literal["crashed", "hung", "stuck", "pages", "memory"]


class Fleet:
    """One engine that takes requests; launches one at a time, and leaves no process behind.

    ``launches`` counts the engines that started, ``lost`` those that were replaced, by reason.
    ``failure`` is why the last launch did not work, or ``None``.
    """

    def __init__(
        self, settings: ExtractorSettings, proxy_url: Callable[[], str], *, windows: bool = False
    ) -> None:
        self._settings, self._proxy_url, self._windows = settings, proxy_url, windows
        self._backoff = Backoff()
        self._launching: asyncio.Task[Engine] | None = None
        self._replacing = False
        self._retired: set[Engine] = set()
        self._tasks: set[asyncio.Task[Any]] = set()
        self._closed = False
        self.current: Engine | None = None
        self.devices: Mapping[str, Mapping[str, Any]] = {}
        self.failure: ExtractorError | None = None
        self.launches = 0
        self.lost: Counter[str] = Counter()

    @property
    def closed(self) -> bool:
        """Whether its engines are being ended."""
        return self._closed

    @property
    def browsers(self) -> int:
        """Engines that are there: the one that serves and those that still end."""
        return len(self._retired) + (self.current is not None)

    @property
    def pids(self) -> list[int]:
        """Ids of the browsers that have pages open, as far as they are known."""
        engines = [*self._retired, *([self.current] if self.current is not None else [])]
        return [engine.pid for engine in engines if engine.open and engine.pid]

    async def engine(self) -> Engine:
        """The engine for a new request, started when there is none.

        All who wait share one launch. When it fails they all fail; the next to ask tries again. A caller
        who leaves does not end it.

        Raises:
            Draining: the fleet is closed.
            BrowserMissing, BrowserCrashed: no browser could be had.
        """
        if self.current is not None and not self.current.alive:
            self.lose(self.current, "crashed")
        if self.current is not None:
            return self.current
        return await asyncio.shield(self._launched())

    def lose(self, engine: Engine, reason: Reason) -> None:
        """Kill an engine that is dead or of no use; what runs in it fails. A new one is started."""
        if engine.ended:
            return
        engine.kill(driver=reason != "crashed")
        if self._retire(engine, reason):
            self._backoff.lost(lived_s=engine.age_s, pages=engine.served)
            if not self._closed:
                self._launched()
        self._end(engine)

    def replace(self, engine: Engine, reason: Reason) -> None:
        """Start a new engine, then give ``engine`` no more requests; what runs in it goes on."""
        if engine is self.current and not self._replacing and not self._closed:
            self._replacing = True
            self._spawn(self._replace(engine, reason))

    def give_up(self, engine: Engine) -> None:
        """Give an engine that opens or closes no context no more requests; what runs in it goes on."""
        if self._retire(engine, "hung" if engine.alive else "crashed"):
            self._backoff.lost(lived_s=engine.age_s, pages=engine.served)

    def released(self, engine: Engine) -> None:
        """A context of the engine was closed."""
        engine.open -= 1
        if engine in self._retired and engine.open == 0:
            self._end(engine)

    async def close(self) -> None:
        """End every engine, whatever still runs in it."""
        self._closed = True
        if self._launching is not None:
            self._launching.cancel()
            await asyncio.gather(self._launching, return_exceptions=True)
        if self.current is not None:
            self._retired.add(self.current)
            self.current = None
        for engine in list(self._retired):
            self._end(engine)
        while self._tasks:
            await asyncio.gather(*self._tasks, return_exceptions=True)

    def _launched(self) -> asyncio.Task[Engine]:
        if self._closed:
            raise Draining("The service is shutting down.")
        if self._launching is None or self._launching.done():
            self._launching = self._spawn(self._launch())
        return self._launching

    async def _launch(self) -> Engine:
        await asyncio.sleep(self._backoff.pause_s)
        try:
            engine = await Engine.start(self._settings, self._proxy_url(), windows=self._windows)
        except ExtractorError as error:
            self._backoff.failed()
            self.failure = error
            _log.error("browser_did_not_start", error=error.code, detail=error.detail)
            raise
        self.failure = None
        self.launches += 1
        self.devices = engine.devices
        old, self.current = self.current, engine
        if old is not None:
            self._retired.add(old)
        _log.info("browser_started", pid=engine.pid)
        return engine

    async def _replace(self, engine: Engine, reason: Reason) -> None:
        try:
            await asyncio.shield(self._launched())
        except ExtractorError:
            return  # said by the launch; the old one goes on, and is due again at the next look
        finally:
            self._replacing = False
        if not engine.ended:
            self._note(engine, reason)
            if engine.open == 0:
                self._end(engine)

    def _retire(self, engine: Engine, reason: Reason) -> bool:
        """Take it out of service; whether it was in service until now."""
        serving = engine is self.current
        if serving:
            self.current = None
            self._note(engine, reason)
        self._retired.add(engine)
        if engine.open == 0:
            self._end(engine)
        return serving

    def _note(self, engine: Engine, reason: Reason) -> None:
        self.lost[reason] += 1
        _log.warning("browser_replaced", reason=reason, pid=engine.pid, pages=engine.pages)

    def _end(self, engine: Engine) -> None:
        if not engine.ended:
            engine.ended = True
            self._spawn(self._close(engine))

    async def _close(self, engine: Engine) -> None:
        try:
            await engine.close(self._settings.close_timeout_s)
        finally:
            self._retired.discard(engine)

    def _spawn(self, work: Coroutine[Any, Any, Any]) -> asyncio.Task[Any]:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._ended)
        return task

    def _ended(self, task: asyncio.Task[Any]) -> None:
        self._tasks.discard(task)
        if not task.cancelled():
            task.exception()  # whoever waited has it; nobody may have
