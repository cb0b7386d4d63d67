"""The watch over the browser that serves: dead, hung, busy with nothing, or grown too large."""

from __future__ import annotations

import asyncio

import structlog

from extractor.browser.backoff import Progress
from extractor.browser.engine import Engine
from extractor.browser.fleet import Fleet
from extractor.browser.slots import Slots
from extractor.settings import ExtractorSettings

_log = structlog.get_logger(__name__)
_BEAT_S = 1.0


class Heartbeat:
    """Looks once a second and has the fleet replace what is of no use.

    ``memory_bytes`` is what the browser held when last looked at under work.
    """

    def __init__(self, settings: ExtractorSettings, fleet: Fleet, slots: Slots) -> None:
        self._settings, self._fleet, self._slots = settings, fleet, slots
        self._progress = Progress(settings.stuck_deadlines * settings.deadline_s)
        self.memory_bytes = 0

    def succeeded(self) -> None:
        """A page was read, or failed for a reason that is not the browser's."""
        self._progress.succeeded(asyncio.get_running_loop().time())

    async def run(self) -> None:
        """Watch until cancelled."""
        self.succeeded()
        while True:
            await asyncio.sleep(_BEAT_S)
            engine = self._fleet.current
            try:
                if engine is not None:
                    await self._look_at(engine)
            except Exception:
                # Nothing else would notice a dead browser, so the watch goes on whatever happens.
                _log.exception("heartbeat_failed")

    async def _look_at(self, engine: Engine) -> None:
        now = asyncio.get_running_loop().time()
        work = self._slots.taken_now + self._slots.waiting > 0
        if not engine.alive:
            self._fleet.lose(engine, "crashed")
        elif self._progress.stuck(now, work=work):
            self._progress.succeeded(now)
            self._fleet.lose(engine, "stuck")
        elif not await self._answers(engine):
            # One that died meanwhile has not hung.
            self._fleet.lose(engine, "hung" if engine.alive else "crashed")
        elif work:
            self.memory_bytes = await asyncio.to_thread(engine.memory_bytes)
            if self.memory_bytes > self._settings.recycle_bytes:
                self._fleet.replace(engine, "memory")

    async def _answers(self, engine: Engine) -> bool:
        # Twice, since it may be this process that was held up while the first answer came.
        half_s = self._settings.hang_timeout_s / 2
        return await engine.answers(half_s) or engine.alive and await engine.answers(half_s)
