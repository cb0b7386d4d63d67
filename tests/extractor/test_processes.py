"""What is known of processes, and that none is ended but the very one that was meant."""

from __future__ import annotations

import dataclasses
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from extractor.browser import processes


@pytest.fixture
def sleeper() -> Iterator[subprocess.Popen[bytes]]:
    """A shell, first in a group of its own, with a child that sleeps."""
    script = "sleep 60 & echo started; wait"
    process = subprocess.Popen(
        ["sh", "-c", script, "--user-data-dir=/tmp/some where/profile"],
        start_new_session=True,
        stdout=subprocess.PIPE,
    )
    assert process.stdout is not None
    process.stdout.readline()
    # The child is the shell once more until it has become the program.
    while [each.arguments for each in processes.below(process.pid)] != [["sleep", "60"]]:
        time.sleep(0.01)
    yield process
    processes.kill([*processes.below(process.pid), *_known(process.pid)])
    process.wait()
    process.stdout.close()


def _known(pid: int) -> list[processes.Process]:
    found = processes.process(pid)
    return [found] if found else []


def test_a_family_is_found_by_descent_and_by_group(sleeper: subprocess.Popen[bytes]) -> None:
    (child,) = processes.below(sleeper.pid)
    assert child.parent == sleeper.pid
    (leader,) = _known(sleeper.pid)
    assert {each.pid for each in processes.in_group(leader)} == {sleeper.pid, child.pid}
    above = processes.child_above(child.pid, os.getpid())
    assert above is not None
    assert above.pid == sleeper.pid
    assert processes.child_above(os.getpid(), sleeper.pid) is None


def test_a_group_outlives_its_leader(sleeper: subprocess.Popen[bytes]) -> None:
    (child,), (leader,) = processes.below(sleeper.pid), _known(sleeper.pid)
    processes.kill([leader])
    sleeper.wait()
    assert [each.pid for each in processes.in_group(leader)] == [child.pid]
    processes.kill([child])


def test_a_process_that_has_got_the_number_of_another_is_left_alone(
    sleeper: subprocess.Popen[bytes],
) -> None:
    (now,) = _known(sleeper.pid)
    earlier = dataclasses.replace(now, started=now.started - 1)
    assert processes.in_group(earlier) == []
    processes.kill([earlier])
    time.sleep(0.05)
    assert sleeper.poll() is None


def test_profiles_are_read_from_command_lines(sleeper: subprocess.Popen[bytes]) -> None:
    assert processes.profiles(_known(sleeper.pid)) == {Path("/tmp/some where/profile")}


def test_memory_counts_what_a_process_holds() -> None:
    script = "held = bytearray(b'x') * 100_000_000; print(len(held), flush=True); input()"
    with subprocess.Popen(
        [sys.executable, "-c", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        process.stdout.readline()
        held = processes.memory_bytes(_known(process.pid))
        process.kill()
    assert 100_000_000 < held < 200_000_000
    # One that has gone holds nothing.
    assert processes.memory_bytes(_known(os.getpid())) > 0
    gone = dataclasses.replace(_known(os.getpid())[0], pid=process.pid)
    assert processes.memory_bytes([gone]) == 0
