"""``pagefold doctor``: what this machine lacks, and how to mend it."""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

import sqlalchemy as sa
from rich.console import Console
from rich.markup import escape

from api.settings import ApiSettings
from compactor.audit import audit
from compactor.migrate import layout_of, newest_layout
from extractor.browser.install import obtain
from extractor.errors import BrowserMissing

_OLDEST_PYTHON = (3, 11)
# What a page may be written in, with the tag that fontconfig knows it by.
_SCRIPTS = {
    "Latin": "en",
    "Chinese": "zh-cn",
    "Japanese": "ja",
    "Korean": "ko",
    "Arabic": "ar",
    "Devanagari": "hi",
    "emoji": "und-zsye",
}
_FONT_PACKAGES = "fontconfig fonts-noto-core fonts-noto-cjk fonts-noto-color-emoji"
_FONT_LIST_TIMEOUT_S = 20


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that was looked at.

    Attributes:
        name: one word for it, stable.
        ok: whether it is as it should be.
        message: one sentence, what was found.
        remedy: what to do; empty when ``ok``.
        required: whether nothing works without it; otherwise it only limits something.
    """

    name: str
    ok: bool
    message: str
    remedy: str = ""
    required: bool = True


def run_checks(settings: ApiSettings, *, as_json: bool) -> int:
    """Print every check on standard output; the exit code, 1 when a required one failed."""
    checks = diagnose(settings)
    if as_json:
        print(json.dumps([asdict(check) for check in checks], indent=2))
    else:
        console = Console(highlight=False, soft_wrap=True)
        for check in checks:
            console.print(_line(check))
    return int(any(check.required and not check.ok for check in checks))


def diagnose(settings: ApiSettings) -> list[Check]:
    """Every check, in the order in which it makes sense to mend things. Starts a browser once."""
    return [
        check_python(),
        check_browser(settings.chromium_path),
        check_data_dir(settings.data_dir),
        check_sessions(settings),
        check_port("port", settings.host, settings.port, "PAGEFOLD_PORT"),
        check_port("demo_port", "127.0.0.1", settings.demo_port, "PAGEFOLD_DEMO_PORT"),
        check_fonts(),
    ]


def checks_to_serve(settings: ApiSettings, *, demo: bool) -> Iterator[Check]:
    """What a start would fail on sooner or later, checked in milliseconds and one by one."""
    yield check_data_dir(settings.data_dir)
    yield check_port("port", settings.host, settings.port, "PAGEFOLD_PORT")
    if demo:
        yield check_port("demo_port", "127.0.0.1", settings.demo_port, "PAGEFOLD_DEMO_PORT")


def check_python() -> Check:
    """Whether this Python is recent enough."""
    version = ".".join(map(str, sys.version_info[:3]))
    if sys.version_info[:2] >= _OLDEST_PYTHON:
        return Check("python", True, f"Python {version}")
    oldest = ".".join(map(str, _OLDEST_PYTHON))
    return Check("python", False, f"Python {version} is too old", f"use Python {oldest} or newer")


def check_browser(setting: Path | None) -> Check:
    """Whether a Chromium and Playwright's driver are there and start."""
    try:
        found = obtain(setting, may_install=False)
    except BrowserMissing as error:
        message, _, remedy = error.message.rpartition("; ")
        return Check("browser", False, message, remedy)
    return Check("browser", True, f"{found.path} ({found.source}) starts")


def check_data_dir(data_dir: Path) -> Check:
    """Whether files can be made in the data folder, or in the folder it would be made in."""
    folder = data_dir.absolute()
    while not folder.exists():
        folder = folder.parent
    try:
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        return Check(
            "data",
            False,
            f"{data_dir} cannot be written: {_reason(error)}",
            f"make {folder} writable, or set PAGEFOLD_DATA_DIR to another folder",
        )
    return Check("data", True, f"{data_dir.absolute()} can be written")


def check_sessions(settings: ApiSettings) -> Check:
    """Whether the logs of all sessions are as they were written. Makes no database, changes no layout."""
    if settings.database_url is None and not (settings.data_dir / "sessions.db").exists():
        return Check("sessions", True, "no session yet")
    engine = sa.create_engine(settings.rows_url)
    try:
        with engine.connect() as connection:
            found, newest = layout_of(connection), newest_layout()
        if found != newest:
            remedy = "start the service: it brings older ones to its own, and refuses newer ones"
            message = f"the database has layout {found}, this version {newest}"
            return Check("sessions", False, message, remedy, required=False)
        damaged = list(audit(engine))
    except sa.exc.SQLAlchemyError as error:
        return Check(
            "sessions",
            False,
            f"the database of sessions cannot be read: {type(error).__name__}",
            "check PAGEFOLD_DATABASE_URL, or restore the database",
        )
    finally:
        engine.dispose()
    if damaged:
        return Check(
            "sessions",
            False,
            "logs of sessions were changed: " + "; ".join(damaged),
            "restore the database; the sessions that are named answer with `log_corrupt` until then",
        )
    return Check("sessions", True, "the logs of all sessions are as they were written")


def check_port(name: str, host: str, port: int, setting: str) -> Check:
    """Whether a server could listen on ``host`` and ``port`` now. Not required: it may be ours."""
    address = f"{host}:{port}"
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        with socket.create_server((host.strip("[]"), port), family=family):
            return Check(name, True, f"{address} is free", required=False)
    except OSError as error:
        return Check(
            name,
            False,
            f"{address} cannot be listened on: {_reason(error)}",
            f"end the server that uses it (perhaps a running Pagefold), or set {setting}",
            required=False,
        )


def check_fonts() -> Check:
    """Whether there are fonts for the scripts that pages are written in.

    Not required: text is read without them, but widths and screenshots come out wrong.
    """
    remedy = f"on Debian and its kin: `sudo apt-get install {_FONT_PACKAGES}`"
    fc_list = shutil.which("fc-list")
    if fc_list is None:
        return Check("fonts", False, "fontconfig's fc-list is missing", remedy, required=False)
    missing = [script for script, tag in _SCRIPTS.items() if not _has_font(fc_list, tag)]
    if missing:
        return Check("fonts", False, f"no font for {', '.join(missing)}", remedy, required=False)
    return Check("fonts", True, f"fonts for {', '.join(_SCRIPTS)}", required=False)


def _has_font(fc_list: str, language: str) -> bool:
    try:
        listing = subprocess.run(
            [fc_list, f":lang={language}", "family"],
            capture_output=True,
            timeout=_FONT_LIST_TIMEOUT_S,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return False
    return bool(listing.stdout.strip())


def _reason(error: OSError) -> str:
    """The system's own words, without what Python adds to them."""
    return os.strerror(error.errno) if error.errno else str(error)


def _line(check: Check) -> str:
    if check.ok:
        return f"[green]ok[/green]    {check.name}: {escape(check.message)}"
    state = "[red]wrong[/red]" if check.required else "[yellow]note[/yellow] "
    return f"{state} {check.name}: {escape(check.message)}\n      → {escape(check.remedy)}"
