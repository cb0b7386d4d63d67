"""Finds the Chromium to drive.

Order: the setting, Playwright's own build, the system's. Whoever names a binary means that one,
so a setting that cannot be run is an error and never falls back to another browser.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import playwright

from extractor.errors import BrowserMissing

Source = Literal["setting", "playwright", "system"]

SETTING = "PAGEFOLD_CHROMIUM_PATH"
HEADLESS_SHELL = "chromium-headless-shell"
_SYSTEM_NAMES = (
    HEADLESS_SHELL,
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
)
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
    (HEADLESS_SHELL, "chromium_headless_shell", "chrome-*/chrome-headless-shell"),
    (HEADLESS_SHELL, "chromium_headless_shell", "chrome-*/headless_shell"),
    ("chromium", "chromium", "chrome-*/chrome"),
    ("chromium", "chromium", "chrome-mac*/*.app/Contents/MacOS/*"),
)


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


def find_chromium(setting: str | Path | None) -> Chromium:
    """The Chromium to drive.

    Args:
        setting: path, or name on ``PATH``, that the operator chose; ``None`` or empty to search.

    Raises:
        BrowserMissing: there is none, or ``setting`` names no executable file.
    """
    if setting:
        path = _executable(str(setting))
        if path is None:
            raise BrowserMissing(
                f"{SETTING} is {str(setting)!r}, which is no executable file; correct it, "
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


def remedy() -> str:
    """One sentence: the commands that bring a Chromium to this machine."""
    return (
        f"run `{sys.executable} -m playwright install --with-deps {HEADLESS_SHELL}` or "
        f"`sudo apt-get install {HEADLESS_SHELL} chromium-sandbox libatomic1`, "
        f"or set {SETTING} to a Chromium or Chrome"
    )


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
