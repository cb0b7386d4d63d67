"""Finding a Chromium: the order of the places, and what an operator is told when there is none."""

from __future__ import annotations

import json
import os
from pathlib import Path

import playwright
import pytest

from extractor.browser import discover
from extractor.browser.discover import SETTING, find_chromium
from extractor.browser.install import main, start_failure
from extractor.errors import BrowserMissing


def _binary(path: Path, script: str = "exit 0") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    return path


def _playwright_build(root: Path, name: str, binary: str) -> Path:
    listing = Path(playwright.__file__).parent / "driver" / "package" / "browsers.json"
    revision = next(
        entry["revision"]
        for entry in json.loads(listing.read_bytes())["browsers"]
        if entry["name"] == name
    )
    folder = root / f"{name.replace('-', '_')}-{revision}"
    found = _binary(folder / binary)
    (folder / "INSTALLATION_COMPLETE").touch()
    return found


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A machine without any browser: ``bin`` is its PATH, ``browsers`` Playwright's folder."""
    (tmp_path / "bin").mkdir()
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    monkeypatch.setenv("PLAYWRIGHT_BROWSERS_PATH", str(tmp_path / "browsers"))
    monkeypatch.setattr(discover, "_SYSTEM_PATHS", (str(tmp_path / "opt" / "chrome"),))
    return tmp_path


def test_setting_wins_over_every_other_browser(machine: Path) -> None:
    _playwright_build(
        machine / "browsers", "chromium-headless-shell", "chrome-linux/headless_shell"
    )
    _binary(machine / "bin" / "chromium")
    chosen = _binary(machine / "my chrome")
    found = find_chromium(str(chosen))
    assert (found.path, found.source, found.headless_shell) == (chosen, "setting", False)


def test_setting_may_be_a_name_on_path(machine: Path) -> None:
    chosen = _binary(machine / "bin" / "my-chrome")
    assert find_chromium("my-chrome").path == chosen


@pytest.mark.parametrize("kind", ["absent", "folder", "not executable"])
def test_setting_that_cannot_run_is_an_error_and_no_fallback(machine: Path, kind: str) -> None:
    _binary(machine / "bin" / "chromium")
    chosen = machine / "wrong"
    if kind == "folder":
        chosen.mkdir()
    elif kind == "not executable":
        chosen.write_text("#!/bin/sh\n")
    with pytest.raises(BrowserMissing, match=SETTING) as caught:
        find_chromium(str(chosen))
    assert str(chosen) in caught.value.message


def test_playwright_build_wins_over_the_system(machine: Path) -> None:
    _binary(machine / "bin" / "chromium")
    own = _playwright_build(
        machine / "browsers",
        "chromium-headless-shell",
        "chrome-headless-shell-linux64/chrome-headless-shell",
    )
    found = find_chromium(None)
    assert (found.path, found.source, found.headless_shell) == (own, "playwright", True)


def test_playwright_full_build_counts_too(machine: Path) -> None:
    own = _playwright_build(machine / "browsers", "chromium", "chrome-linux64/chrome")
    found = find_chromium("")
    assert (found.path, found.source, found.headless_shell) == (own, "playwright", False)


def test_unfinished_playwright_download_is_passed_over(machine: Path) -> None:
    own = _playwright_build(machine / "browsers", "chromium", "chrome-linux64/chrome")
    (own.parent.parent / "INSTALLATION_COMPLETE").unlink()
    system = _binary(machine / "bin" / "chromium")
    assert find_chromium(None).path == system


def test_build_of_another_playwright_is_passed_over(machine: Path) -> None:
    stale = machine / "browsers" / "chromium-1"
    _binary(stale / "chrome-linux64" / "chrome")
    (stale / "INSTALLATION_COMPLETE").touch()
    with pytest.raises(BrowserMissing):
        find_chromium(None)


def test_system_headless_shell_wins_over_full_browsers(machine: Path) -> None:
    for name in ("google-chrome", "chromium", "chromium-headless-shell"):
        _binary(machine / "bin" / name)
    found = find_chromium(None)
    assert found.path.name == "chromium-headless-shell"
    assert (found.source, found.headless_shell) == ("system", True)


def test_usual_places_off_path_are_searched_last(machine: Path) -> None:
    place = _binary(machine / "opt" / "chrome")
    assert find_chromium(None).path == place
    on_path = _binary(machine / "bin" / "google-chrome-stable")
    assert find_chromium(None).path == on_path


def test_missing_browser_error_names_every_remedy(machine: Path) -> None:
    with pytest.raises(BrowserMissing) as caught:
        find_chromium(None)
    for part in ("playwright install", "apt-get install chromium-headless-shell", SETTING):
        assert part in caught.value.message
    assert caught.value.code == "browser_missing"
    assert not caught.value.retryable


def test_start_failure_is_the_browsers_last_word(tmp_path: Path) -> None:
    broken = _binary(
        tmp_path / "broken", "echo first >&2; echo libnss3.so is missing >&2; exit 127"
    )
    assert start_failure(broken) == "libnss3.so is missing"
    assert start_failure(_binary(tmp_path / "mute", "exit 3")) == "it ended with status 3"
    assert start_failure(tmp_path / "absent") != ""


def test_program_prints_the_path_of_a_browser_that_starts(
    machine: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    chosen = _binary(machine / "bin" / "chromium")
    monkeypatch.delenv(SETTING, raising=False)
    assert main(["--check"]) == 0
    assert capsys.readouterr().out == f"{chosen}{os.linesep}"


def test_program_never_replaces_the_browser_of_the_setting(
    machine: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = _binary(machine / "broken", "echo no such library >&2; exit 127")
    _binary(machine / "bin" / "chromium")
    monkeypatch.setenv(SETTING, str(broken))
    assert main([]) == 1
    captured = capsys.readouterr()
    assert captured.out == ""
    assert f"{broken} does not start: no such library" in captured.err
