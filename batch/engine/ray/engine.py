"""The engine of several machines: a Ray Data pipeline over a pool of actors with browsers.

tasks → feed → read_datasource → map_batches(Browsers) → rows → sink
"""

from __future__ import annotations

import asyncio
import pickle
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from typing import Any

import ray
import ray.data
from ray.exceptions import RayError

from batch.engine.engine import Sink
from batch.engine.ray.browsers import READINGS, Browsers
from batch.engine.ray.cluster import cluster
from batch.engine.ray.desk import Desk
from batch.engine.ray.feed import Feed, FeedDatasource, Window, body_bytes
from batch.engine.ray_settings import RaySettings
from batch.errors import EngineFailed
from batch.plan import Plan
from batch.read import Reading
from batch.task import Task
from extractor.settings import ExtractorSettings

#: Whoever has a turn asks until the page's deadline at most, and has a moment to say that it is over.
_LEASE_MARGIN_S = 5.0


class RayEngine:
    """Reads in actors, on this machine or on a cluster. Implements ``Engine``.

    ``pace.concurrency`` pages at a time are shared out over the actors; ``pace.per_host`` and the time
    between two pages of a host hold over all of them. Ray may start an actor again whose process died; a
    run that stands still after that is ended, and goes on when the command is run again.
    """

    def __init__(
        self, settings: ExtractorSettings | None = None, options: RaySettings | None = None
    ) -> None:
        self._settings = settings or ExtractorSettings()
        self._options = options or RaySettings()

    async def run(self, tasks: Iterator[Task], plan: Plan, sink: Sink) -> None:
        """See ``Engine``.

        Raises:
            EngineFailed: no actor could start, or the cluster is gone; the run can be resumed.
        """
        options = self._options
        with cluster(options) as actors:
            window = Window(max(plan.pace.lookahead, plan.pace.concurrency), options.flight_bytes)
            feed = ray.remote(Feed).options(num_cpus=0).remote(2)
            rows = self._rows(feed, plan, actors)
            try:
                async with asyncio.TaskGroup() as group:
                    feeding = group.create_task(self._feed(tasks, feed, window))
                    group.create_task(_take(rows, sink, window))
            except* RayError as failures:
                error = failures.exceptions[0]
                raise EngineFailed(f"Ray: {str(error).splitlines()[-1]}") from error
            finally:
                # What is left of the pipeline has to end before the cluster does.
                await asyncio.to_thread(_close, rows)
            if (failure := feeding.result()) is not None:
                raise failure

    def _rows(self, feed: Any, plan: Plan, actors: int) -> Iterator[Any]:
        pace, options = plan.pace, self._options
        lease_s = self._settings.deadline_s + _LEASE_MARGIN_S
        # Those who wait for a turn must not keep out those who give one back.
        room = 4 * max(pace.lookahead, pace.concurrency) + 100
        desk = ray.remote(Desk).options(num_cpus=0, max_concurrency=room)
        share = replace(plan, pace=replace(pace, concurrency=-(-pace.concurrency // actors)))
        data = ray.data.read_datasource(
            FeedDatasource(feed), num_cpus=0, override_num_blocks=1
        ).map_batches(
            Browsers,
            batch_size=None,
            batch_format="pyarrow",
            fn_constructor_args=(
                share,
                self._settings,
                desk.remote(pace.per_host, pace.rate, lease_s),
            ),
            compute=ray.data.ActorPoolStrategy(
                size=actors,
                max_tasks_in_flight_per_actor=options.calls,
                max_concurrent_calls_per_actor=options.calls,
                enable_true_multi_threading=True,
            ),
            num_cpus=options.actor_cpus,
        )
        batches: Iterator[Any] = iter(
            data.iter_batches(batch_size=None, batch_format="pyarrow", prefetch_batches=0)
        )
        return batches

    async def _feed(self, tasks: Iterator[Task], feed: Any, window: Window) -> Exception | None:
        """Put all tasks into the feed. What goes wrong with the input is returned, once the feed has ended:
        rows of what came before it are kept.
        """
        options = self._options
        block: list[Task] = []
        failure: Exception | None = None
        try:
            while (task := await asyncio.to_thread(next, tasks, None)) is not None:
                full = sum(map(body_bytes, block)) + body_bytes(task) > options.block_bytes
                if block and (full or window.is_full_for(task)):
                    block = await _sent(feed, block)
                await window.enter(task)
                block.append(task)
                if len(block) >= options.block_tasks:
                    block = await _sent(feed, block)
        except RayError:
            raise
        except Exception as error:
            failure = error
        if block:
            await _sent(feed, block)
        await feed.put.remote(None)
        return failure


async def _sent(feed: Any, block: list[Task]) -> list[Task]:
    """Put a block into the feed; an empty one for those that come."""
    await feed.put.remote(pickle.dumps(block, protocol=5))
    return []


def _close(rows: Iterator[Any]) -> None:
    close = getattr(rows, "close", None)
    # A step that cannot be broken off is still under way in another thread.
    with suppress(ValueError, RayError):
        if close is not None:
            close()


async def _take(rows: Iterator[Any], sink: Sink, window: Window) -> None:
    while (batch := await asyncio.to_thread(next, rows, None)) is not None:
        for row in batch.column(READINGS).to_pylist():
            readings: list[Reading] = pickle.loads(row)
            for reading in readings:
                await sink.put(reading)
                window.leave(reading.row.index)
