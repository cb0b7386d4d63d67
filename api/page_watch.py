"""A page is read under the eyes of those who count."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from api import tracing
from api.metrics import Metrics
from extractor.page import Page
from extractor.stages import Listener, Stage, listening


class PageWatch:
    """Times stages from the moments at which they begin; ``page`` is set when it was read."""

    def __init__(self, metrics: Metrics, also: Listener | None) -> None:
        self.page: Page | None = None
        self._metrics, self._also = metrics, also
        self._stage: Stage | None = None
        self._began = 0.0
        self._end_span: Callable[[], None] = lambda: None

    def entered(self, stage: Stage) -> None:
        """``stage`` begins, so the one before it has ended."""
        self.ended()
        self._stage, self._began = stage, time.perf_counter()
        self._end_span = tracing.began(stage)
        if self._also is not None:
            self._also(stage)

    def ended(self) -> None:
        """The last stage has ended."""
        if self._stage is not None:
            self._metrics.stage(self._stage, time.perf_counter() - self._began)
            self._end_span()
            self._stage = None


@contextmanager
def watching(metrics: Metrics, also: Listener | None = None) -> Iterator[PageWatch]:
    """Count the page that is read inside the block; ``also`` hears every stage as it begins."""
    watch = PageWatch(metrics, also)
    try:
        with listening(watch.entered):
            yield watch
    finally:
        watch.ended()
    if watch.page is not None:
        metrics.page(complete=watch.page.complete)
