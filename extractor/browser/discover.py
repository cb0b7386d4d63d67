"""Finds the Chromium to drive; as a program (``--install``) also gets one where none is.

Order: the setting, Playwright's own build, the system's. Whoever names a binary means that one,
so a setting that cannot be run is an error and never falls back to another browser.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import playwright

from extractor.errors import BrowserMissing

Source = Literal["setting", "playwright", "system"]

SETTING = "PAGEFOLD_CHROMIUM_PATH"
_SHELL = "chromium-headless-shell"
_SYSTEM_NAMES = (_SHELL, "chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
_SYSTEM_PATHS = (
    "/usr/lib/chromium/chromium-headless-shell",
    "/usr/lib/chromium/chromium",
    "/usr/lib64/chromium-browser/chromium-browser",
    "/opt/google/chrome/chrome",
    "/snap/bin/chromium",
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
)
# (Playwright's name of the build, its folder's prefix, the binary below that folder)
_PLAYWRIGHT_BUILDS = (
    (_SHELL, "chromium_headless_shell", "chrome-*/chrome-headless-shell"),
    (_SHELL, "chromium_headless_shell", "chrome-*/headless_shell"),
    ("chromium", "chromium", "chrome-*/chrome"),
    ("chromium", "chromium", "chrome-mac*/*.app/Contents/MacOS/*"),
)
_DOWNLOAD_TIMEOUT_S = 240.0
_APT_TIMEOUT_S = 900.0
_START_TIMEOUT_S = 30.0


@dataclass(frozen=True, slots=True)
class Chromium:
    """A Chromium binary on this machine.

    Attributes:
        path: absolute path of an executable file.
        source: where it was found.
        headless_shell: whether it is the build without a window, which knows one mode only.
    """

    path: Path
    source: Source
    headless_shell: bool


def find_chromium(setting: str | None) -> Chromium:
    """The Chromium to drive.

    Args:
        setting: path, or name on ``PATH``, that the operator chose; ``None`` or empty to search.

    Raises:
        BrowserMissing: there is none, or ``setting`` names no executable file.
    """
    if setting:
        path = _executable(setting)
        if path is None:
            raise BrowserMissing(
                f"{SETTING} is {setting!r}, which is no executable file; correct it, "
                "or unset it to search this machine"
            )
        return _described(path, "setting")
    for path in _playwright_binaries(Path(playwright.__file__).parent, os.environ):
        return _described(path, "playwright")
    for name in (*_SYSTEM_NAMES, *_SYSTEM_PATHS):
        path = _executable(name)
        if path is not None:
            return _described(path, "system")
    raise BrowserMissing("no Chromium was found on this machine; " + remedy())


def start_failure(binary: Path) -> str:
    """Why ``binary`` cannot be started, or an empty string if it can. Takes about a second."""
    command = [str(binary), "--headless", "--no-sandbox", "--disable-gpu", "--version"]
    try:
        result = subprocess.run(
            command, capture_output=True, text=True, timeout=_START_TIMEOUT_S, check=False
        )
    except subprocess.TimeoutExpired:
        return f"it did not answer within {_START_TIMEOUT_S:g} s"
    except OSError as error:
        return str(error)
    if result.returncode == 0:
        return ""
    lines = [line for line in result.stderr.splitlines() if line.strip()]
    return lines[-1].strip() if lines else f"it ended with status {result.returncode}"


def remedy() -> str:
    """One sentence: the commands that bring a Chromium to this machine."""
    return (
        f"run `{sys.executable} -m playwright install --with-deps {_SHELL}` or "
        f"`sudo apt-get install {_SHELL}`, or set {SETTING} to a Chromium or Chrome"
    )


def install_chromium() -> Chromium:
    """Gets a Chromium: Playwright's own, else (as root, on Debian and its kin) the system's.

    Raises:
        BrowserMissing: neither way brought one that starts.
    """
    for command, timeout_s in _install_commands(is_root=os.geteuid() == 0):
        if not _run(command, timeout_s):
            continue
        try:
            found = find_chromium(None)
        except BrowserMissing:
            continue
        if not start_failure(found.path):
            return found
    raise BrowserMissing("Chromium could not be installed; " + remedy())


def _install_commands(*, is_root: bool) -> Iterator[tuple[list[str], float]]:
    playwright_cli = [sys.executable, "-m", "playwright"]
    yield [*playwright_cli, "install", _SHELL], _DOWNLOAD_TIMEOUT_S
    if not is_root or shutil.which("apt-get") is None:
        return
    # A download that succeeded and does not start lacks system libraries; Debian's own package
    # brings the same ones along, so it mends that case too.
    apt_get = ["apt-get", "-qq", "-o", "Dpkg::Use-Pty=0"]
    yield [*apt_get, "update"], _APT_TIMEOUT_S
    for name in (_SHELL, "chromium"):
        install = [*apt_get, "install", "-y", "--no-install-recommends", name]
        yield install, _APT_TIMEOUT_S


def _run(command: Sequence[str], timeout_s: float) -> bool:
    """Whether ``command`` succeeded. Its output goes to standard error: ours is the path."""
    print("running", *command, file=sys.stderr, flush=True)
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    try:
        result = subprocess.run(
            command, stdout=sys.stderr, env=environment, timeout=timeout_s, check=False
        )
    except (subprocess.TimeoutExpired, OSError) as error:
        print(error, file=sys.stderr)
        return False
    return result.returncode == 0


def _playwright_binaries(package: Path, environment: Mapping[str, str]) -> Iterator[Path]:
    """Builds of exactly the revisions that the installed Playwright was made for."""
    listing = package / "driver" / "package" / "browsers.json"
    if not listing.is_file():
        return
    revisions = {
        entry["name"]: entry["revision"] for entry in json.loads(listing.read_bytes())["browsers"]
    }
    root = _playwright_root(listing.parent, environment)
    for build, prefix, pattern in _PLAYWRIGHT_BUILDS:
        folder = root / f"{prefix}-{revisions.get(build, 'none')}"
        # Playwright writes the marker last: without it the download was cut short.
        if (folder / "INSTALLATION_COMPLETE").exists():
            yield from filter(_is_executable, sorted(folder.glob(pattern)))


def _playwright_root(package: Path, environment: Mapping[str, str]) -> Path:
    chosen = environment.get("PLAYWRIGHT_BROWSERS_PATH", "")
    if chosen == "0":
        return package / ".local-browsers"
    if chosen:
        return Path(chosen).absolute()
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "ms-playwright"
    cache = environment.get("XDG_CACHE_HOME", "")
    return (Path(cache) if cache else Path.home() / ".cache") / "ms-playwright"


def _described(path: Path, source: Source) -> Chromium:
    name = path.name.replace("_", "-")
    return Chromium(path=path, source=source, headless_shell="headless-shell" in name)


def _executable(name: str) -> Path | None:
    found = shutil.which(os.path.expanduser(name))
    return Path(found).absolute() if found else None


def _is_executable(path: Path) -> bool:
    return path.is_file() and os.access(path, os.X_OK)


def main(arguments: Sequence[str] | None = None) -> int:
    """Prints the path of the Chromium to drive; 1 when there is none that starts."""
    parser = argparse.ArgumentParser(prog="python -m extractor.browser.discover")
    parser.add_argument("--install", action="store_true", help="get one when none is found")
    wants_install = parser.parse_args(arguments).install
    setting = os.environ.get(SETTING)
    try:
        try:
            found = find_chromium(setting)
            failure = start_failure(found.path)
            if failure:
                raise BrowserMissing(f"{found.path} does not start: {failure}; {remedy()}")
        except BrowserMissing:
            if setting or not wants_install:
                raise
            found = install_chromium()
    except BrowserMissing as error:
        print(error.message, file=sys.stderr)
        return 1
    print(found.path)
    return 0


if __name__ == "__main__":
    sys.exit(main())
