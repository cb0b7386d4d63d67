"""Which lines of an input are read."""

from __future__ import annotations

from collections import Counter
from itertools import chain

import pytest

from batch.plan import Selection
from batch.selection import part_of, selected
from batch.task import ArchivedResponse, Task

TASKS = [Task(n, f"http://host{n % 40}.example/{n}") for n in range(2_000)]


def chosen(**options: int) -> list[int]:
    return [task.index for task in selected(lambda: TASKS, Selection(**options))]


def test_without_a_choice_everything_is_read_in_order() -> None:
    assert chosen() == list(range(2_000))


def test_a_limit_takes_the_first_ones() -> None:
    assert chosen(limit=3) == [0, 1, 2]


def test_a_sample_is_the_same_every_time_and_another_with_another_seed() -> None:
    first, second = chosen(sample=200, seed=1), chosen(sample=200, seed=2)
    assert first == chosen(sample=200, seed=1) == sorted(first)
    assert len(first) == len(set(first)) == 200
    # Two samples of a tenth share a tenth of themselves: 20, give or take four standard deviations.
    assert 3 < len(set(first) & set(second)) < 37
    assert chosen(sample=5_000) == list(range(2_000))


def test_a_sample_is_spread_over_the_whole_input() -> None:
    tenths = Counter(index // 200 for index in chosen(sample=500, seed=3))
    assert set(tenths) == set(range(10))
    assert max(tenths.values()) < 90


@pytest.mark.parametrize("parts", [2, 3, 7])
def test_parts_are_everything_without_overlap_and_keep_hosts_together(parts: int) -> None:
    found = [chosen(shard=number, shards=parts) for number in range(parts)]
    assert sorted(chain.from_iterable(found)) == list(range(2_000))
    hosts = [{index % 40 for index in part} for part in found]
    assert sum(map(len, hosts)) == 40


def test_archived_answers_are_dealt_out_whatever_their_host() -> None:
    kept = ArchivedResponse("http://a/", 200, (), b"", "", "a.warc", 0)
    numbers = Counter(part_of(Task(n, "http://a/", response=kept), 4) for n in range(400))
    assert set(numbers) == {0, 1, 2, 3}
    assert max(numbers.values()) < 150
