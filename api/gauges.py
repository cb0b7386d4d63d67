"""What is read at the moment of a scrape: queue, slots, loop, bytes."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from api.lag import LoopLag
from extractor.browser.pool_state import PoolState
from extractor.extract import Extractor


class LiveGauges(Collector):
    """Reads the running extractor; nothing is stored between scrapes."""

    def __init__(
        self,
        extractor: Extractor,
        lag: LoopLag,
        *,
        requests: Callable[[], int],
        job_pages: Callable[[], int],
        open_pages: Callable[[], int],
    ) -> None:
        self._extractor, self._lag = extractor, lag
        self._requests, self._job_pages, self._open_pages = requests, job_pages, open_pages

    def collect(self) -> Iterator[Metric]:
        """One gauge each; asked for at every scrape."""
        pool = self._extractor.pool.state
        yield _gauge("slots", "Pages that may be in browsers at a time.", pool.capacity)
        yield _gauge("slots_taken", "Pages in browsers now.", pool.busy)
        yield _gauge("queue_waiting", "Requests that wait for a slot now.", pool.waiting)
        yield from _browsers("", pool)
        yield _gauge("requests_running", "Requests that are being answered.", self._requests())
        yield _gauge("job_pages_running", "Pages of jobs that are being read.", self._job_pages())
        yield _gauge("job_pages_open", "Pages of all jobs that have not ended.", self._open_pages())
        yield _gauge(
            "loop_lag_seconds", "Longest delay of the event loop in 30 s.", self._lag.worst_s
        )
        tabs = self._extractor.tabs
        yield _gauge("tabs_open", "Tabs that are open.", tabs.count)
        yield from _browsers("tab_", tabs.pool.state)
        received = self._extractor.received_bytes + tabs.received_bytes
        yield _counter("page_bytes", "Bytes received from pages' servers.", received)


def _browsers(whose: str, pool: PoolState) -> Iterator[Metric]:
    yield _gauge(f"{whose}browser_up", "Whether the last browser started.", pool.healthy)
    yield _gauge(f"{whose}browsers", "Browsers that run, those that end included.", pool.browsers)
    memory = "Memory of the browser, lately."
    yield _gauge(f"{whose}browser_memory_bytes", memory, pool.memory_bytes)
    yield _counter(f"{whose}browser_launches", "Browsers started.", pool.launches)
    what = "Browsers replaced, by reason."
    replaced = CounterMetricFamily(f"pagefold_{whose}browsers_replaced", what, labels=["reason"])
    for reason, count in pool.replaced.items():
        replaced.add_metric([reason], count)
    yield replaced


def _gauge(name: str, what: str, value: float) -> GaugeMetricFamily:
    return GaugeMetricFamily(f"pagefold_{name}", what, value=float(value))


def _counter(name: str, what: str, value: float) -> CounterMetricFamily:
    return CounterMetricFamily(f"pagefold_{name}", what, value=float(value))
