"""What came of a soak, as tables, and whether the promises were kept."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from api.errors import CATALOGUE
from extractor.browser import processes
from testbed.soak_faults import Fault

_GROWTH = 0.20


@dataclass(frozen=True, slots=True)
class Answer:
    """One request: status 0 means that there was none, and ``code`` why."""

    kind: str
    name: str
    status: int
    code: str
    at: float
    seconds: float

    @property
    def typed(self) -> bool:
        """Whether it is a result or an error with a code that is not ``internal``."""
        if self.status == 200:
            return True
        return self.status >= 400 and self.code in CATALOGUE and self.code != "internal"


@dataclass(frozen=True, slots=True)
class Footprint:
    """What a service takes: its processes and their renderers, descriptors, files and memory in MB."""

    processes: int
    renderers: int
    descriptors: int
    files: int
    memory_mb: int

    @classmethod
    def of(cls, pid: int, temporary: Path) -> Footprint:
        """Of the service with this process id; zombies count."""
        family = processes.below(pid)
        own = processes.process(pid)
        return cls(
            processes=len(family),
            renderers=sum("--type=renderer" in " ".join(each.arguments) for each in family),
            descriptors=len(os.listdir(f"/proc/{pid}/fd")),
            files=len(list(temporary.iterdir())),
            memory_mb=processes.memory_bytes([*family, *([own] if own else [])]) // 1_000_000,
        )

    def exceeds(self, before: Footprint) -> list[str]:
        """What has become more, memory aside: that is judged by its share."""
        counted = ("processes", "descriptors", "files")
        return [name for name in counted if getattr(self, name) > getattr(before, name)]

    def row(self) -> tuple[int, ...]:
        """Its numbers in the order of the table."""
        return self.processes, self.renderers, self.descriptors, self.files, self.memory_mb


@dataclass(frozen=True, slots=True)
class Run:
    """Everything that was seen."""

    calm: list[Answer]
    answers: list[Answer]
    faults: list[Fault]
    before: Footprint
    after: Footprint
    hits: int
    ready: int
    replaced: str = ""
    """Why the service replaced browsers in all this time, as counts by reason."""


def report(run: Run, left: Sequence[str]) -> int:
    """Print the tables; 1 when a promise was broken. ``left`` are files that the ended service left."""
    _table_of_kinds(run.answers)
    calm = [each.seconds for each in run.calm if each.status == 200]
    good = [each.seconds for each in run.answers if each.kind == "good" and each.status == 200]
    ratio = _percentile(good, 95) / max(_percentile(calm, 95), 1e-9)
    print(
        f"\ngood pages, p50 and p95 in s: calm {_p(calm)}, under load {_p(good)}: p95 x {ratio:.2f}"
    )
    _table_of_faults(run)
    print(f"\nbrowsers replaced: {run.replaced or 'none'}")
    print("\n| at rest | processes | renderers | descriptors | temporary files | memory MB |")
    print("|---|---|---|---|---|---|")
    for name, each in (("before", run.before), ("after", run.after)):
        print(f"| {name} | " + " | ".join(map(str, each.row())) + " |")
    broken = list(_broken(run, left))
    for line in broken:
        print(f"BROKEN: {line}")
    print(f"\n{len(run.answers)} requests, {len(run.faults)} faults, {len(broken)} promises broken")
    return 1 if broken else 0


def _broken(run: Run, left: Sequence[str]) -> Iterable[str]:
    untyped = [each for each in (*run.calm, *run.answers) if not each.typed]
    for each in untyped[:10]:
        yield f"{each.kind}/{each.name}: {each.status} {each.code[:200]}"
    before, after = run.before, run.after
    for name in after.exceeds(before):
        yield f"{name}: {getattr(before, name)} before, {getattr(after, name)} after"
    if after.memory_mb > before.memory_mb * (1 + _GROWTH):
        yield f"memory: {before.memory_mb} MB before, {after.memory_mb} MB after"
    if run.hits:
        yield f"an address that must not be reached was reached {run.hits} times"
    if run.ready != 200:
        yield f"the service is not ready afterwards: {run.ready}"
    if left:
        yield f"left behind: {', '.join(left[:5])}"


def _table_of_kinds(answers: Sequence[Answer]) -> None:
    print("| page | requests | results | errors by code | p50 s | p95 s |")
    print("|---|---|---|---|---|---|")
    for kind in dict.fromkeys(each.kind for each in answers):
        of_kind = [each for each in answers if each.kind == kind]
        codes = Counter(
            each.code or f"status {each.status}" for each in of_kind if each.status != 200
        )
        results = sum(each.status == 200 for each in of_kind)
        errors = ", ".join(f"{code} {count}" for code, count in codes.most_common()) or "none"
        seconds = [each.seconds for each in of_kind]
        p50, p95 = _percentile(seconds, 50), _percentile(seconds, 95)
        print(f"| {kind} | {len(of_kind)} | {results} | {errors} | {p50:.2f} | {p95:.2f} |")


def _table_of_faults(run: Run) -> None:
    if not run.faults:
        return
    print("\n| fault | times | seconds to the next good page, median and longest |\n|---|---|---|")
    for name in sorted({fault.name for fault in run.faults}):
        faults = [fault for fault in run.faults if fault.name == name]
        waits = [wait for each in faults if (wait := _recovery(run.answers, each)) is not None]
        known = f"{_percentile(waits, 50):.1f}, {max(waits):.1f}" if waits else "none came"
        print(f"| {name} | {len(faults)} | {known} |")


def _recovery(answers: Sequence[Answer], fault: Fault) -> float | None:
    """Seconds from a fault to the end of the first good page that was asked for after it."""
    ends = [
        each.at + each.seconds
        for each in answers
        if each.kind == "good" and each.status == 200 and each.at > fault.at
    ]
    return min(ends) - fault.at if ends else None


def _p(seconds: Sequence[float]) -> str:
    return f"{_percentile(seconds, 50):.2f} / {_percentile(seconds, 95):.2f} (n={len(seconds)})"


def _percentile(values: Sequence[float], percent: int) -> float:
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, len(ordered) * percent // 100)] if ordered else 0.0
