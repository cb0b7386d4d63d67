"""Gets a Chromium where none is, as ``python -m extractor.browser.install``.

Playwright's own download comes first, since it is the build that the installed Playwright was made
for. As root on Debian and its kin the system's packages come next. Anyone else is told what to run.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from extractor.browser.discover import HEADLESS_SHELL, SETTING, Chromium, find_chromium, remedy
from extractor.errors import BrowserMissing

_DOWNLOAD_TIMEOUT_S = 240.0
_APT_TIMEOUT_S = 900.0
_START_TIMEOUT_S = 30.0
_PLAYWRIGHT = (sys.executable, "-m", "playwright")
# Playwright's driver is linked against it, and small Debian systems come without.
_DRIVER_LIBRARY = "libatomic1"
# The sandbox's helper, for ordinary users where the kernel refuses them namespaces.
_SANDBOX = "chromium-sandbox"
# How apt-get, Playwright and Chromium start the line that says what went wrong.
_ERROR_LINE = re.compile(r"^E: |^Error: |:(?:ERROR|FATAL):")


def start_failure(binary: Path) -> str:
    """Why ``binary`` cannot show an empty page, or an empty string if it can. Takes a second."""
    with tempfile.TemporaryDirectory(
        prefix="pagefold-start-", ignore_cleanup_errors=True
    ) as profile:
        return _failure(
            [
                str(binary),
                "--headless",
                # As when pages are read: only root goes without a sandbox.
                *(["--no-sandbox"] if os.geteuid() == 0 else []),
                "--disable-gpu",
                f"--user-data-dir={profile}",
                "--dump-dom",
                "about:blank",
            ]
        )


def driver_failure() -> str:
    """Why Playwright's driver cannot be started, or an empty string if it can."""
    return _failure([*_PLAYWRIGHT, "--version"])


def obtain(setting: str | Path | None, *, may_install: bool) -> Chromium:
    """A Chromium that starts, with a driver that starts.

    Args:
        setting: the operator's choice; it is used or refused, never replaced.
        may_install: whether what is missing may be installed.

    Raises:
        BrowserMissing: there is none and none could be installed.
    """
    failure = driver_failure()
    if failure and may_install:
        _apt_install(_DRIVER_LIBRARY)
        failure = driver_failure()
    if failure:
        raise BrowserMissing(f"Playwright's driver does not start: {failure}; {remedy()}")
    try:
        return _started(find_chromium(setting))
    except BrowserMissing:
        if setting or not may_install:
            raise
    return _install()


def _started(found: Chromium) -> Chromium:
    failure = start_failure(found.path)
    if failure:
        raise BrowserMissing(f"{found.path} does not start: {failure}; {remedy()}")
    return found


def _install() -> Chromium:
    for succeeded in _attempts():
        if not succeeded:
            continue
        try:
            return _started(find_chromium(None))
        except BrowserMissing as error:
            print(error.message, file=sys.stderr)
    raise BrowserMissing("Chromium could not be installed; " + remedy())


def _attempts() -> Iterator[bool]:
    """One way after the other to install a browser; whether each ended well."""
    yield _run([*_PLAYWRIGHT, "install", HEADLESS_SHELL], _DOWNLOAD_TIMEOUT_S)
    # A download that succeeded and does not start lacks system libraries. Debian's own browser
    # depends on the same ones, so installing it mends that case too.
    yield _apt_install(HEADLESS_SHELL, _SANDBOX)
    yield _apt_install("chromium", _SANDBOX)


def _apt_install(*packages: str) -> bool:
    if os.geteuid() != 0 or shutil.which("apt-get") is None:
        return False
    apt_get = ["apt-get", "-qq", "-o", "Dpkg::Use-Pty=0"]
    return _run([*apt_get, "update"], _APT_TIMEOUT_S) and _run(
        [*apt_get, "install", "-y", "--no-install-recommends", *packages], _APT_TIMEOUT_S
    )


def _run(command: Sequence[str], timeout_s: float) -> bool:
    """Whether ``command`` succeeded. What went wrong is shown, since the next way may work."""
    print("running", *command, file=sys.stderr, flush=True)
    failure = _failure(command, timeout_s)
    if failure:
        print(f"that did not work: {failure}", file=sys.stderr)
    return not failure


def _failure(command: Sequence[str], timeout_s: float = _START_TIMEOUT_S) -> str:
    """What ``command`` said when it failed, in one line; an empty string if it succeeded."""
    try:
        result = subprocess.run(
            command,
            capture_output=True,
            text=True,
            errors="replace",
            env={**os.environ, "DEBIAN_FRONTEND": "noninteractive"},
            timeout=timeout_s,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return f"it did not answer within {timeout_s:g} s"
    except OSError as error:
        return str(error)
    if result.returncode == 0:
        return ""
    lines = [line.strip() for line in result.stderr.splitlines() if line.strip()]
    errors = [line for line in lines if _ERROR_LINE.search(line)]
    return (errors or lines or [f"it ended with status {result.returncode}"])[-1]


def main(arguments: Sequence[str] | None = None) -> int:
    """Prints the path of a Chromium that starts, and returns 0; 1 when there is none."""
    parser = argparse.ArgumentParser(
        prog="python -m extractor.browser.install",
        description="Print the path of a Chromium that starts; install one if there is none.",
    )
    parser.add_argument("--check", action="store_true", help="install nothing")
    may_install = not parser.parse_args(arguments).check
    try:
        found = obtain(os.environ.get(SETTING), may_install=may_install)
    except BrowserMissing as error:
        print(error.message, file=sys.stderr)
        return 1
    print(found.path)
    return 0


if __name__ == "__main__":
    sys.exit(main())
