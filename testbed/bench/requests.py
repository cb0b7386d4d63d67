"""Whole requests beside bare browsing, the service, crawl4ai and GenericAgent, all in turn."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from typing import TypeVar

from testbed.bench.fetchers import Fetchers
from testbed.bench.row import Figure, Pairs, Row
from testbed.bench.site import BUILDING, NEEDLE, Site
from testbed.bench.worker import Spent, Worker, WorkerFailed

_T = TypeVar("_T")

#: Pages at a time where several run.
SIDE_BY_SIDE = 4


@dataclass(frozen=True, slots=True)
class Ground:
    """Where to measure: fetchers, the pages that are done at ``load``, and those that are not."""

    fetchers: Fetchers
    done: Sequence[str]
    site: Site
    rounds: int
    #: Elements of the large page.
    large: int = 10_000


def request_rows(ground: Ground) -> list[Row]:
    """A page at a time: bare, library, service, stored snapshot, and others where they are there."""
    with ExitStack() as stack:
        ours = stack.enter_context(ground.fetchers.ours())
        bare = stack.enter_context(ground.fetchers.bare())
        http = stack.enter_context(ground.fetchers.over_http())
        other, absent = _others(ground.fetchers, stack, ("crawl4ai", "GenericAgent"))
        large = [ground.site.sized(ground.large)]
        turns: dict[str, tuple[Worker, Sequence[str], str]] = {
            "bare": (bare, ground.done, "page"),
            "ours": (ours, ground.done, "page"),
            "service": (http, ground.done, "page"),
            "bare large": (bare, large, "page"),
            "ours large": (ours, large, "page"),
            "refold": (ours, ground.done, "refold"),
            "refold cold": (ours, ground.done, "refold cold"),
            **{name: (worker, ground.done, "page") for name, worker in other.items()},
        }
        found = [
            {name: turn[0].fetch(turn[1], mode=turn[2]) for name, turn in _rotated(turns, number)}
            for number in range(ground.rounds + 1)
        ][1:]
    pages = f"{len(ground.done)} pages, one at a time"
    rows = [
        Row(
            "full request, pages done at load",
            "bare goto + content()",
            (
                *_cost(found, "ours", "bare", 1.10),
                *_cost(found, "ours large", "bare large", 1.10, f", {ground.large:,} nodes"),
            ),
            (pages, "media load on both sides"),
        ),
        Row(
            "service over HTTP",
            "the library call",
            _cost(found, "service", "ours", 1.03),
            ("the client and its parse of the JSON are counted with the service",),
        ),
        Row(
            "refold of a stored snapshot",
            "a browser request",
            (
                *_cost(found, "refold", "ours", 0.05),
                *_cost(found, "refold cold", "ours", 0.05, ", read from disk"),
            ),
            ("the first two: the snapshot was used a moment ago and is still in memory",),
        ),
    ]
    for name, goals in (("crawl4ai", (2.5, 2.0)), ("GenericAgent", (3.0, None))):
        rows.append(
            Row(f"pages/s and CPU against {name}, one at a time", name, skipped=absent[name])
            if name in absent
            else Row(
                f"pages/s and CPU against {name}, one at a time", name, _speed(found, name, goals)
            )
        )
    return rows


def building_row(ground: Ground) -> Row:
    """Pages that go on after ``load``, beside a browser that is told when they are done."""
    urls, pairs = ground.site.building(), _pairs(1.15)
    whole = dict.fromkeys(BUILDING, 0)
    with ground.fetchers.ours() as ours, ground.fetchers.bare() as bare:
        turns = {"bare": (bare, "built"), "ours": (ours, "page")}
        for number in range(ground.rounds + 1):
            spent = {
                name: worker.fetch(urls, needle=NEEDLE, mode=mode)
                for name, (worker, mode) in _rotated(turns, number)
            }
            if number:
                _add(pairs, spent["ours"], spent["bare"])
                for name, found in zip(BUILDING, spent["ours"].found, strict=True):
                    whole[name] += found
    return Row(
        "full request, pages that build themselves",
        "bare, told when the text is complete",
        tuple(each.figure() for each in pairs),
        (
            "complete: "
            + ", ".join(f"{name} {count}/{ground.rounds}" for name, count in whole.items()),
        ),
    )


def side_by_side_rows(ground: Ground) -> list[Row]:
    """Several pages at a time: pages a second against crawl4ai, and memory against bare."""
    urls = [*ground.done, *ground.done]
    with ExitStack() as stack:
        workers = {
            "ours": stack.enter_context(ground.fetchers.ours()),
            "bare": stack.enter_context(ground.fetchers.bare()),
        }
        other, absent = _others(ground.fetchers, stack, ("crawl4ai",))
        workers |= other
        found = [
            {
                name: worker.fetch(urls, concurrency=SIDE_BY_SIDE)
                for name, worker in _rotated(workers, number)
            }
            for number in range(ground.rounds + 1)
        ][1:]
        memory = Pairs("peak memory (PSS) with Python and driver, MB", 1.1)
        for number in range(ground.rounds):
            spent = {
                name: worker.fetch(urls, concurrency=SIDE_BY_SIDE, memory=True)
                for name, worker in _rotated(workers, number)
                if name != "crawl4ai"
            }
            memory.add(spent["ours"].pss_mb, spent["bare"].pss_mb)
    title = f"pages/s and CPU against crawl4ai, {SIDE_BY_SIDE} at a time"
    return [
        Row(title, "crawl4ai", skipped=absent["crawl4ai"])
        if absent
        else Row(title, "crawl4ai", _speed(found, "crawl4ai", (2.5, 2.0))),
        Row(
            f"full request, {SIDE_BY_SIDE} at a time",
            "bare goto + content()",
            _cost(found, "ours", "bare", None),
        ),
        Row(f"memory, {SIDE_BY_SIDE} at a time", "bare goto + content()", (memory.figure(),)),
    ]


def _others(
    fetchers: Fetchers, stack: ExitStack, names: Sequence[str]
) -> tuple[dict[str, Worker], dict[str, str]]:
    """Fetchers of others that run, and why the rest do not."""
    there, absent = dict[str, Worker](), dict[str, str]()
    for name in names:
        worker = fetchers.crawl4ai() if name == "crawl4ai" else fetchers.genericagent()
        if isinstance(worker, str):
            absent[name] = worker
            continue
        try:
            there[name] = stack.enter_context(worker)
        except WorkerFailed as error:
            absent[name] = f"{name} does not start: {error}"
    return there, absent


def _rotated(turns: Mapping[str, _T], number: int) -> list[tuple[str, _T]]:
    """In another order each round: none is always the first after another."""
    items = list(turns.items())
    start = number % len(items)
    return items[start:] + items[:start]


def _pairs(goal: float | None, suffix: str = "") -> tuple[Pairs, Pairs]:
    return Pairs(f"wall ms a page{suffix}", goal), Pairs(f"CPU ms a page{suffix}", goal)


def _add(pairs: tuple[Pairs, Pairs], ours: Spent, theirs: Spent) -> None:
    wall, cpu = pairs
    wall.add(ours.wall_s * 1000 / len(ours.chars), theirs.wall_s * 1000 / len(theirs.chars))
    cpu.add(ours.cpu_s * 1000 / len(ours.chars), theirs.cpu_s * 1000 / len(theirs.chars))


def _cost(
    found: Sequence[Mapping[str, Spent]],
    ours: str,
    theirs: str,
    goal: float | None,
    suffix: str = "",
) -> tuple[Figure, ...]:
    pairs = _pairs(goal, suffix)
    for spent in found:
        _add(pairs, spent[ours], spent[theirs])
    return tuple(each.figure() for each in pairs)


def _speed(
    found: Sequence[Mapping[str, Spent]], name: str, goals: tuple[float, float | None]
) -> tuple[Figure, ...]:
    wall, cpu = (
        Pairs(what, goal, at_least=True, theirs_over_ours=True)
        for what, goal in zip(("wall ms a page", "CPU ms a page"), goals, strict=True)
    )
    for spent in found:
        _add((wall, cpu), spent["ours"], spent[name])
    return wall.figure(), cpu.figure()
