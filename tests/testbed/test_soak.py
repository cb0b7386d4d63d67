"""What the soak calls kept and broken, and a run of it that is long enough to see that it runs."""

from __future__ import annotations

import dataclasses
import subprocess
import sys

import pytest

from testbed.soak_faults import Fault
from testbed.soak_report import Answer, Footprint, Run, report

GOOD = Answer("good", "docs", 200, "", at=10.0, seconds=1.0)
REST = Footprint(processes=7, renderers=0, descriptors=20, files=1, memory_mb=300)


def _run(*answers: Answer, **changes: object) -> Run:
    run = Run([GOOD], list(answers), [], REST, REST, hits=0, ready=200)
    return dataclasses.replace(run, **changes)  # type: ignore[arg-type]  # names of its fields


@pytest.mark.parametrize(
    ("run", "left", "says"),
    [
        (
            _run(dataclasses.replace(GOOD, status=500, code="internal")),
            [],
            "good/docs: 500 internal",
        ),
        (_run(dataclasses.replace(GOOD, status=502, code="")), [], "good/docs: 502"),
        (
            _run(dataclasses.replace(GOOD, status=0, code="ReadError()")),
            [],
            "good/docs: 0 ReadError",
        ),
        (
            _run(GOOD, after=dataclasses.replace(REST, processes=8)),
            [],
            "processes: 7 before, 8 after",
        ),
        (_run(GOOD, after=dataclasses.replace(REST, memory_mb=361)), [], "memory: 300 MB before"),
        (_run(GOOD, hits=1), [], "was reached 1 times"),
        (_run(GOOD, ready=503), [], "not ready afterwards: 503"),
        (_run(GOOD), ["profile"], "left behind: profile"),
    ],
)
def test_what_is_broken_is_said(
    run: Run, left: list[str], says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert report(run, left) == 1
    (line,) = [each for each in capsys.readouterr().out.splitlines() if each.startswith("BROKEN")]
    assert says in line


def test_typed_errors_and_less_memory_than_before_are_no_broken_promise(
    capsys: pytest.CaptureFixture[str],
) -> None:
    crashed = dataclasses.replace(GOOD, status=502, code="browser_crashed", at=21)
    later = dataclasses.replace(GOOD, at=22, seconds=2)
    faults = [Fault("browser killed", 20)]
    smaller = dataclasses.replace(REST, memory_mb=200)
    assert report(_run(GOOD, crashed, later, faults=faults, after=smaller), []) == 0
    out = capsys.readouterr().out
    assert "| good | 3 | 2 | browser_crashed 1 | 1.00 | 2.00 |" in out
    # Asked at 22, answered at 24.
    assert "| browser killed | 1 | 4.0, 4.0 |" in out
    assert "under load 2.00 / 2.00 (n=2): p95 x 2.00" in out


@pytest.mark.hostile
def test_a_short_run_keeps_its_promises() -> None:
    command = [sys.executable, "-m", "testbed.soak", "--minutes", "0.05", "--workers", "2"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=110, check=False)
    assert "promises broken" in done.stdout, done.stdout[-3000:] + done.stderr[-1000:]
    broken = [line for line in done.stdout.splitlines() if line.startswith("BROKEN")]
    # A run this short has not met its largest page before it measures memory.
    assert not [line for line in broken if not line.startswith("BROKEN: memory")], broken
