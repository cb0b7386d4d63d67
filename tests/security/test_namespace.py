"""The place where hostile tests run: closed to the outside, open to the fakes."""

from __future__ import annotations

import errno
import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from testbed import netns

pytestmark = pytest.mark.hostile


def connect(address: str) -> int:
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    with socket.socket(family) as client:
        client.settimeout(2)
        return client.connect_ex((address, 9))


def test_a_hostile_test_runs_inside() -> None:
    assert netns.inside()


@pytest.mark.parametrize("address", netns.FORBIDDEN + netns.PUBLIC)
def test_every_fake_host_is_on_this_machine(address: str) -> None:
    assert connect(address) == errno.ECONNREFUSED


@pytest.mark.parametrize("address", ["198.51.100.7", "192.0.2.1", "2001:db8::1"])
def test_nothing_else_has_a_route(address: str) -> None:
    assert connect(address) == errno.ENETUNREACH


def test_names_are_asked_of_loopback_alone() -> None:
    lines = Path("/etc/resolv.conf").read_text(encoding="ascii").splitlines()
    assert [line for line in lines if line.startswith("nameserver")] == ["nameserver 127.0.0.1"]


def test_a_report_from_outside_is_refused(tmp_path: Path) -> None:
    # Without the mark this is any process: the run must end before a test is loaded.
    outside = {name: text for name, text in os.environ.items() if name != "PAGEFOLD_IN_NAMESPACE"}
    argv = [sys.executable, "-m", "pytest", "-q", f"--namespace-reports={tmp_path / 'r'}", __file__]
    run = subprocess.run(argv, env=outside, capture_output=True, text=True, check=False)
    assert run.returncode == 4
    assert "refuse to run outside" in run.stderr
