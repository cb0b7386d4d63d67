"""Every chosen filter over every page at every budget, in parallel, with what it cost."""

from __future__ import annotations

import logging
import signal
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass, field
from types import FrameType
from typing import TypeVar

from selectolax.lexbor import LexborHTMLParser

from extractor.encoding import decode
from testbed.compare.filters import Chosen, choose, plain_text
from testbed.compare.metrics import Agreement, agreement
from testbed.compare.other_process import ProcessPeer
from testbed.compare.ours import Run
from testbed.compare.pages import GoldPage
from testbed.compare.source import Source
from testbed.compare.wellformed import well_formed

_T = TypeVar("_T")

#: Seconds that one filter may take over one page.
TIMEOUT_S = 60


@dataclass(frozen=True, slots=True)
class Row:
    """One filter on one page at one budget (0: none).

    ``cpu_ms`` is processor time; ``parses`` the same in units of lexbor's parse of that page, measured
    beside it. ``same_twice`` is whether a second run gave the same, if one was asked for. ``error``
    says why there is no output; all its shares are then those of an empty one.
    """

    dataset: str
    page: str
    kind: str
    language: str
    site: str
    filter: str
    budget: int
    source_chars: int
    output_chars: int
    well_formed: bool
    same_twice: bool
    cpu_ms: float
    parses: float
    agreement: Agreement
    error: str = ""


@dataclass(frozen=True, slots=True)
class Plan:
    """What to run. ``timeout_s`` bounds each filter on each page; ``twice`` runs all again and compares."""

    filters: tuple[str, ...]
    budgets: tuple[int, ...]
    timeout_s: int = TIMEOUT_S
    jobs: int = 2
    twice: bool = False


@dataclass(slots=True)
class _Worker:
    plan: Plan
    chosen: list[Chosen] = field(default_factory=list)
    loaded: dict[str, Run] = field(default_factory=dict)


class _TooSlow(BaseException):
    pass


_WORKERS: list[_Worker] = []


def run(
    pages: Sequence[GoldPage],
    plan: Plan,
    *,
    done: Callable[[GoldPage, list[Row]], None] = lambda page, rows: None,
) -> list[Row]:
    """Rows in the order of pages, filters and budgets, whatever finished first; ``done`` gets each page's.

    Raises:
        Missing: a filter's name is unknown.
    """
    found: dict[int, list[Row]] = {}
    with ProcessPoolExecutor(plan.jobs, initializer=_start, initargs=(plan,)) as pool:
        waiting = {pool.submit(_rows, page): number for number, page in enumerate(pages)}
        for future in as_completed(waiting):
            found[waiting[future]] = future.result()
            done(pages[waiting[future]], found[waiting[future]])
    return [row for number in range(len(pages)) for row in found[number]]


def _start(plan: Plan) -> None:
    logging.disable(logging.CRITICAL)
    warnings.simplefilter("ignore")
    worker = _Worker(plan)
    worker.chosen, _ = choose(plan.filters)
    worker.loaded = {each.label: each.filter.load() for each in worker.chosen}
    signal.signal(signal.SIGALRM, _too_slow)
    _WORKERS[:] = [worker]
    # The first call pays for lazy imports and tables, which no page should be charged for.
    warm = b"<html><body><article>" + b"<p>A sentence to warm up with, long enough.</p>" * 30
    for each in worker.chosen:
        _output(worker, each, Source(warm, warm.decode(), "http://localhost/"), 0)


def _rows(page: GoldPage) -> list[Row]:
    [worker] = _WORKERS
    source = Source(page.body, decode(page.body, "text/html").text, page.url)
    parse_ms = min(_timed(lambda: LexborHTMLParser(source.html))[1] for _ in range(3))
    return list(_measured(worker, page, source, parse_ms))


def _measured(worker: _Worker, page: GoldPage, source: Source, parse_ms: float) -> Iterator[Row]:
    for chosen in worker.chosen:
        # Others know of no budget: their one output is cut at each.
        budgets = worker.plan.budgets if chosen.filter.knows_budget else (0,)
        outputs = {budget: _twice(worker, chosen, source, budget) for budget in budgets}
        for budget in worker.plan.budgets:
            output, cpu_ms, error, same = outputs[budget if budget in outputs else 0]
            kept = output[:budget] if budget else output
            yield Row(
                dataset=page.dataset,
                page=page.id,
                kind=page.kind,
                language=page.language,
                site=page.site,
                filter=chosen.label,
                budget=budget,
                source_chars=len(source.html),
                output_chars=len(kept),
                well_formed=chosen.form != "html" or well_formed(kept),
                same_twice=same,
                cpu_ms=round(cpu_ms, 3),
                parses=round(cpu_ms / max(parse_ms, 1e-3), 3),
                agreement=agreement(page.gold, plain_text(kept, chosen.form)),
                error=error,
            )


def _twice(
    worker: _Worker, chosen: Chosen, source: Source, budget: int
) -> tuple[str, float, str, bool]:
    output, cpu_ms, error = _output(worker, chosen, source, budget)
    same = not worker.plan.twice or output == _output(worker, chosen, source, budget)[0]
    return output, cpu_ms, error, same


def _output(worker: _Worker, chosen: Chosen, source: Source, budget: int) -> tuple[str, float, str]:
    function = worker.loaded[chosen.label]
    signal.alarm(worker.plan.timeout_s)
    try:
        output, spent = _timed(lambda: function(source, chosen.form, budget))
    except _TooSlow:
        return "", worker.plan.timeout_s * 1000.0, f"over {worker.plan.timeout_s} s"
    except Exception as error:  # a filter may fail in any way; the page then counts as empty
        return "", 0.0, f"{type(error).__name__}: {error}"[:200]
    finally:
        signal.alarm(0)
    if isinstance(function, ProcessPeer):
        spent = function.cpu_s * 1000
    return output, spent, ""


def _timed(function: Callable[[], _T]) -> tuple[_T, float]:
    before = time.process_time()
    value = function()
    return value, (time.process_time() - before) * 1000


def _too_slow(number: int, frame: FrameType | None) -> None:
    raise _TooSlow
