"""Which lines of the input a run reads: a part of several, a sample, the first so many."""

from __future__ import annotations

import hashlib
import heapq
from collections.abc import Callable, Iterable, Iterator
from itertools import islice

from batch.hosts import host_of
from batch.plan import Selection
from batch.task import Task


def selected(read: Callable[[], Iterable[Task]], chosen: Selection) -> Iterator[Task]:
    """The tasks that are read, in the order of the input. The same input gives the same ones.

    Args:
        read: opens the input from its start; it is read twice for a sample.
        chosen: part first, then sample, then limit. A sample holds one number a task in memory.
    """
    tasks = _part(read(), chosen)
    if chosen.sample is not None:
        sample = _sample(_part(read(), chosen), chosen.sample, chosen.seed)
        tasks = (task for task in tasks if task.index in sample)
    return islice(tasks, chosen.limit)


def part_of(task: Task, parts: int) -> int:
    """The part that a task is in: one host's pages are in one, so that limits for hosts hold over all parts.

    Archived answers ask no host, and are dealt out evenly.
    """
    name = task.key if task.response is not None else host_of(task.url)
    return _number(name) % parts


def _part(tasks: Iterable[Task], chosen: Selection) -> Iterator[Task]:
    if chosen.shards == 1:
        return iter(tasks)
    return (task for task in tasks if part_of(task, chosen.shards) == chosen.shard)


def _sample(tasks: Iterable[Task], size: int, seed: int) -> frozenset[int]:
    """The ``size`` tasks whose number, made from seed and place, is least: each is as likely as another."""
    drawn = ((_number(f"{seed} {task.index}"), task.index) for task in tasks)
    return frozenset(index for _, index in heapq.nsmallest(size, drawn))


def _number(text: str) -> int:
    return int.from_bytes(hashlib.sha256(text.encode("utf-8", "replace")).digest()[:8], "big")
