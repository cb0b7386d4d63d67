"""The container's seccomp profile: enough for a sandboxed browser, closed for what attacks a kernel."""

from __future__ import annotations

import copy
import ctypes.util
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from extractor.browser.discover import find_chromium

ROOT = Path(__file__).parents[2]
PROFILE = ROOT / "deploy" / "seccomp.json"
CONFINED = Path(__file__).with_name("confined.py")
DOCUMENT: dict[str, Any] = json.loads(PROFILE.read_text())
ALLOWED = {name for rule in DOCUMENT["syscalls"] if "args" not in rule for name in rule["names"]}
#: What makes namespaces without rights, and the empty root inside them.
SANDBOX = {"clone", "clone3", "unshare", "setns", "chroot"}

needs_root = pytest.mark.skipif(
    os.geteuid() != 0 or ctypes.util.find_library("seccomp") is None,
    reason="becoming nobody under a profile needs root and libseccomp",
)


@pytest.fixture
def home() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(dir="/tmp") as made:
        os.chmod(made, 0o777)
        yield Path(made)


def confined(home: Path, profile: Path, *command: str) -> subprocess.CompletedProcess[str]:
    environment = {"PATH": os.environ["PATH"], "HOME": str(home), "TMPDIR": str(home)}
    # The script and the profile may lie where nobody cannot read: root opens both, then gives up its rights.
    return subprocess.run(
        ["/usr/bin/env", "-i", *(f"{k}={v}" for k, v in environment.items()),
         sys.executable, str(CONFINED), str(profile), *command],
        capture_output=True, text=True, timeout=60, cwd=home,
    )  # fmt: skip


def chromium(home: Path, profile: Path) -> subprocess.CompletedProcess[str]:
    page = "data:text/html,<p>low water</p><script>document.title = 6 * 7</script>"
    binary = str(find_chromium(None).path)
    return confined(home, profile, binary, "--headless", "--disable-gpu", "--dump-dom", page)


def test_everything_that_is_not_listed_is_refused() -> None:
    assert DOCUMENT["defaultAction"] == "SCMP_ACT_ERRNO"
    assert DOCUMENT["defaultErrnoRet"] == 1
    assert {rule["action"] for rule in DOCUMENT["syscalls"]} == {"SCMP_ACT_ALLOW"}
    assert {arch["architecture"] for arch in DOCUMENT["archMap"]} == {
        "SCMP_ARCH_X86_64",
        "SCMP_ARCH_AARCH64",
    }


def test_user_namespaces_are_allowed_so_that_the_browser_can_lock_itself_in() -> None:
    assert SANDBOX <= ALLOWED
    assert {"seccomp", "prctl", "futex", "mmap", "execve"} <= ALLOWED


@pytest.mark.parametrize(
    "name",
    "acct add_key bpf clock_settime delete_module finit_module fsopen init_module io_uring_setup ioperm iopl "
    "kexec_file_load kexec_load keyctl mknod mount move_mount name_to_handle_at open_by_handle_at open_tree "
    "perf_event_open personality pidfd_getfd pivot_root process_vm_readv ptrace quotactl reboot request_key "
    "setdomainname sethostname settimeofday swapon syslog umount2 userfaultfd vhangup".split(),
)
def test_calls_that_attack_a_kernel_are_refused(name: str) -> None:
    listed = {each for rule in DOCUMENT["syscalls"] for each in rule["names"]}
    assert name not in listed


def test_sockets_are_those_of_networks_and_of_this_machine() -> None:
    rules = [rule for rule in DOCUMENT["syscalls"] if "args" in rule]
    assert all(rule["names"] == ["socket"] for rule in rules)
    families = {1: "unix", 2: "inet", 10: "inet6", 16: "netlink"}
    assert {rule["args"][0]["value"] for rule in rules} == families.keys()
    assert "socket" not in ALLOWED


_TRIES = """
import ctypes, errno, json
c = ctypes.CDLL(None, use_errno=True)
def tried(number, *arguments):
    ctypes.set_errno(0)
    return c.syscall(number, *arguments), ctypes.get_errno()
out = {
    "keyctl": tried(250, 0, -3, 0), "bpf": tried(321, 0, 0, 0), "ptrace": tried(101, 0, 0, 0, 0),
    "perf_event_open": tried(298, 0, 0, -1, -1, 0), "io_uring_setup": tried(425, 1, 0),
    "personality": tried(135, -1), "vsock": tried(41, 40, 1, 0), "alg": tried(41, 38, 5, 0),
    "unix": tried(41, 1, 1, 0), "unshare_user": tried(272, 0x10000000), "getpid": tried(39),
    "mount": tried(165, b"x", b"/", b"tmpfs", 0, 0),
}
print(json.dumps(out))
"""


@needs_root
@pytest.mark.skipif(
    os.uname().machine != "x86_64", reason="the numbers of calls are those of x86-64"
)
def test_kernel_refuses_the_calls_and_still_grants_user_namespaces(home: Path) -> None:
    python = next(path for path in ("/usr/bin/python3", sys.executable) if Path(path).exists())
    done = confined(home, PROFILE, python, "-c", _TRIES)
    assert done.returncode == 0, done.stderr
    seen = {name: tuple(result) for name, result in json.loads(done.stdout).items()}
    refused = (-1, 1)
    for name in ("keyctl", "bpf", "ptrace", "perf_event_open", "io_uring_setup", "personality"):
        assert seen[name] == refused, name
    # Inside a user namespace mounting would be a right; the profile refuses it all the same.
    assert seen["mount"] == seen["vsock"] == seen["alg"] == refused
    assert seen["unshare_user"][0] == 0
    assert seen["unix"][0] > 0
    assert seen["getpid"][0] > 0


@needs_root
def test_sandboxed_browser_reads_a_page_as_nobody_under_the_profile(home: Path) -> None:
    done = chromium(home, PROFILE)
    assert "<title>42</title>" in done.stdout, done.stderr[-2000:]
    assert "low water" in done.stdout


@needs_root
def test_without_user_namespaces_the_browser_refuses_to_start(home: Path) -> None:
    # So the page above was read in a sandbox: the browser does not go on without one.
    without = copy.deepcopy(DOCUMENT)
    for rule in without["syscalls"]:
        rule["names"] = [
            name for name in rule["names"] if name not in SANDBOX - {"clone", "clone3"}
        ]
    refused = home / "without.json"
    refused.write_text(json.dumps(without))
    done = chromium(home, refused)
    assert "low water" not in done.stdout
    assert done.returncode != 0
