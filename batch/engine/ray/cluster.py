"""A Ray cluster for one run: one that is there, or one of this machine alone that leaves nothing behind."""

from __future__ import annotations

import logging
import math
import os
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

import ray
from ray.data import DataContext

from batch.engine.ray_settings import RaySettings

_ENVIRONMENT = {
    # Nothing is reported to anybody.
    "RAY_USAGE_STATS_ENABLED": "0",
    # Pages are what the machine is here for: their processes are no less important than others.
    "RAY_worker_niceness": "0",
}


@contextmanager
def cluster(options: RaySettings) -> Iterator[int]:
    """The number of actors that read pages, with Ray connected while the block runs."""
    if ray.is_initialized():
        # Whoever connected goes on using it afterwards.
        with _few_words():
            yield _actors(options)
        return
    os.environ.update(_ENVIRONMENT)
    with ExitStack() as stack:
        if options.address == "local":
            # Ray's sockets have to have short names, so that the usual folder may not do.
            folder = tempfile.TemporaryDirectory(prefix="pf-ray-", ignore_cleanup_errors=True)
            _start_here(options, stack.enter_context(folder))
        else:
            ray.init(address=options.address, log_to_driver=False, logging_level=logging.ERROR)
        stack.callback(ray.shutdown)
        stack.enter_context(_few_words())
        yield _actors(options)


def _start_here(options: RaySettings, folder: str) -> None:
    wanted = math.ceil((options.actors or 1) * options.actor_cpus)
    ray.init(
        address="local",
        num_cpus=max(os.cpu_count() or 1, wanted),
        object_store_memory=options.object_store_bytes,
        include_dashboard=False,
        log_to_driver=False,
        logging_level=logging.ERROR,
        _node_ip_address="127.0.0.1",
        _temp_dir=folder,
    )


def _actors(options: RaySettings) -> int:
    fitting = int(ray.cluster_resources().get("CPU", 1) / options.actor_cpus)
    return options.actors or max(1, fitting)


@contextmanager
def _few_words() -> Iterator[None]:
    """Ray Data as this engine needs it: silent, each row on its way at once, no task done again unasked."""
    context = DataContext.get_current()
    ours = {
        "enable_progress_bars": False,
        "print_on_execution_start": False,
        # What an actor gives goes on at once: what waits for more is lost when the run is killed.
        "target_max_block_size": 1,
        "actor_task_retry_on_errors": False,
    }
    before = {name: getattr(context, name) for name in ours}
    loggers = [logging.getLogger(name) for name in ("ray", "ray.data")]
    levels = [logger.level for logger in loggers]
    for name, value in ours.items():
        setattr(context, name, value)
    for logger in loggers:
        logger.setLevel(logging.ERROR)
    try:
        yield
    finally:
        for name, value in before.items():
            setattr(context, name, value)
        for logger, level in zip(loggers, levels, strict=True):
            logger.setLevel(level)
