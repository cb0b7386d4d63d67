"""What the service counts, for Prometheus. No label holds anything that a caller or a page can choose."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Histogram,
    PlatformCollector,
    ProcessCollector,
)
from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4, generate_latest

from api.errors import CATALOGUE

#: Codes that a failure may be counted under; all else is ``other``.
_CODES = frozenset(CATALOGUE)
_METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
_SECONDS = (0.005, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 30, 60)
_RATIOS = (0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
OTHER = "other"
MEDIA_TYPE = CONTENT_TYPE_PLAIN_0_0_4


def known_method(method: str) -> str:
    """The method, or ``other`` for one that HTTP does not have."""
    return method if method in _METHODS else OTHER


class Metrics:
    """All series of one application, in a registry of its own.

    Series are bounded: routes are the templates of the router, codes those of the catalogue, stages and
    steps those that the packages name.
    """

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        ProcessCollector(registry=self.registry)
        PlatformCollector(registry=self.registry)
        self._requests = self._counter(
            "requests", "Answered requests.", "route", "method", "status"
        )
        self._seconds = self._histogram("request_seconds", "From request to answer.", "route")
        self._failures = self._counter("failures", "Answers that are problems, by code.", "code")
        self._body_bytes = self._counter("request_body_bytes", "Bytes of request bodies.")
        self._stages = self._histogram("stage_seconds", "Stages of a page.", "stage")
        self._pages = self._counter("pages", "Pages that were read.", "complete")
        self._snapshots = self._counter("snapshots", "Look-ups in the snapshot store.", "outcome")
        self._compacted = Histogram(
            "pagefold_compaction_ratio",
            "Context after a compaction as a share of the characters before it.",
            registry=self.registry,
            buckets=_RATIOS,
        )
        self._jobs = self._counter("jobs", "Jobs that have ended.", "state")
        self._job_pages = self._counter("job_pages", "Pages of jobs that were read.", "outcome")
        self._webhooks = self._counter("webhooks", "Messages sent to webhooks.", "outcome")
        self._changes = self._counter("compaction_changes", "What the compactor did.", "step")
        self._forgotten = self._counter(
            "proxy_forgotten", "Histories that the proxy has let go.", "reason"
        )

    def request(self, route: str, method: str, status: int, seconds: float) -> None:
        """Count an answer; ``route`` is a template such as ``/v1/snapshots/{snapshot_id}``."""
        self._requests.labels(route, known_method(method), str(status)).inc()
        self._seconds.labels(route).observe(seconds)

    def failure(self, code: str) -> None:
        """Count a problem by its code."""
        self._failures.labels(code if code in _CODES else OTHER).inc()

    def body(self, size: int) -> None:
        """Count bytes of a request body."""
        self._body_bytes.inc(size)

    def page(self, *, complete: bool) -> None:
        """Count a page that was read."""
        self._pages.labels("true" if complete else "false").inc()

    def stage(self, name: str, seconds: float) -> None:
        """Note how long a stage of a page took; ``name`` is one of ``extractor.stages.Stage``."""
        self._stages.labels(name).observe(seconds)

    def snapshot(self, outcome: str) -> None:
        """Count a look-up: ``hit``, ``miss`` or ``failed``."""
        self._snapshots.labels(outcome).inc()

    def compaction(self, report: Mapping[str, Any]) -> None:
        """Note what a compaction did; ``report`` is a ``compactor.report.Report`` as JSON."""
        changes = report["changes"]
        after = report["cost_chars"]
        before = after + sum(change["before"] - change["after"] for change in changes)
        if before > 0:
            self._compacted.observe(after / before)
        for change in changes:
            self._changes.labels(change["step"]).inc()

    def forgotten(self, reason: str) -> None:
        """Count a history that the proxy let go; ``reason`` is one of ``api.proxy.holding.Reason``."""
        self._forgotten.labels(reason).inc()

    def job(self, state: str) -> None:
        """Count a job that has ended: ``completed`` or ``cancelled``."""
        self._jobs.labels(state).inc()

    def job_page(self, outcome: str) -> None:
        """Count a page of a job: ``done``, ``failed``, or ``again`` where it will be read once more."""
        self._job_pages.labels(outcome).inc()

    def webhook(self, outcome: str) -> None:
        """Count a message that was sent: ``delivered``, ``failed`` or ``again``."""
        self._webhooks.labels(outcome).inc()

    def text(self) -> bytes:
        """Everything in Prometheus' text format."""
        return generate_latest(self.registry)

    def _counter(self, name: str, what: str, *labels: str) -> Counter:
        return Counter(f"pagefold_{name}", what, labels, registry=self.registry)

    def _histogram(self, name: str, what: str, *labels: str) -> Histogram:
        return Histogram(f"pagefold_{name}", what, labels, registry=self.registry, buckets=_SECONDS)
