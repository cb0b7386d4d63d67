"""Renderers that grow past their bounds are ended: the page dies, and nothing beside it.

A script's heap has a limit of its own in the browser; arrays outside it, canvases and threads have none.
What is counted here is what the system says of each process, so that neither the browser nor the page need
answer. Where there is no ``/proc``, nothing is watched.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable

import structlog

from extractor.browser import processes
from extractor.browser.processes import Process
from extractor.settings import ExtractorSettings

_log = structlog.get_logger(__name__)

_EVERY_S = 0.25
#: A crash so long after an end is taken for its effect.
_EFFECT_S = 3.0


class RendererGuard:
    """Watches the renderers of some browsers while ``run`` runs."""

    def __init__(self, settings: ExtractorSettings) -> None:
        self._bytes, self._threads = settings.max_renderer_bytes, settings.max_renderer_threads
        self._ended: list[tuple[float, str]] = []

    async def run(self, browsers: Callable[[], Iterable[int]]) -> None:
        """Look again and again at the browsers with these process ids, until cancelled."""
        while True:
            await asyncio.sleep(_EVERY_S)
            for pid in browsers():
                self._look_at(pid)

    def cause(self) -> str:
        """The setting for which a renderer was just ended, told once; empty when none was."""
        now = asyncio.get_running_loop().time()
        self._ended = [(at, why) for at, why in self._ended if now - at < _EFFECT_S]
        return self._ended.pop(0)[1] if self._ended else ""

    def _look_at(self, browser: int) -> None:
        for each in processes.family(browser):
            bound = self._excess(each)
            # Its arguments may have become one text, as the process names itself anew.
            if bound and "--type=renderer" in " ".join(each.arguments):
                _log.warning("renderer_ended", pid=each.pid, bound=bound)
                self._ended.append((asyncio.get_running_loop().time(), bound))
                processes.kill([each])

    def _excess(self, each: Process) -> str:
        if processes.private_bytes(each.pid) > self._bytes:
            return "max_renderer_bytes"
        return "max_renderer_threads" if processes.threads(each.pid) > self._threads else ""
