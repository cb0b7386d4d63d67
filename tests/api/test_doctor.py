"""What the doctor finds, and that everything it finds wrong comes with a remedy."""

from __future__ import annotations

import json
import socket
import sys
from pathlib import Path

import pytest

from api import doctor
from api.doctor import Check, check_browser, check_data_dir, check_fonts, check_port, run_checks
from api.settings import ApiSettings


def test_this_python_is_recent_enough() -> None:
    assert doctor.check_python().ok


def test_old_python_is_named_with_the_version_that_is_needed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sys, "version_info", (3, 10, 14, "final", 0))
    check = doctor.check_python()
    assert not check.ok
    assert "3.10.14" in check.message
    assert "3.11" in check.remedy


def test_data_folder_that_is_still_to_be_made_is_fine_and_not_made(tmp_path: Path) -> None:
    folder = tmp_path / "a" / "b"
    assert check_data_dir(folder).ok
    assert list(tmp_path.iterdir()) == []


def test_data_folder_below_a_file_is_wrong(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    check = check_data_dir(tmp_path / "file" / "data")
    assert not check.ok
    assert "PAGEFOLD_DATA_DIR" in check.remedy


def test_taken_port_names_its_setting_and_is_not_fatal() -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        taken = check_port("port", "127.0.0.1", port, "PAGEFOLD_PORT")
    assert (taken.ok, taken.required) == (False, False)
    assert "PAGEFOLD_PORT" in taken.remedy
    assert check_port("port", "127.0.0.1", 0, "PAGEFOLD_PORT").ok


def test_browser_that_is_not_there_is_wrong(tmp_path: Path) -> None:
    check = check_browser(tmp_path / "absent")
    assert (check.ok, check.required) == (False, True)
    assert "PAGEFOLD_CHROMIUM_PATH" in check.message
    assert check.remedy


def test_missing_fonts_are_named_by_script(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    listing = tmp_path / "fc-list"
    listing.write_text('#!/bin/sh\ncase "$1" in :lang=ja|:lang=ar) ;; *) echo Some Font ;; esac\n')
    listing.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    check = check_fonts()
    assert (check.ok, check.required) == (False, False)
    assert check.message == "no font for Japanese, Arabic"
    listing.write_text("#!/bin/sh\necho Some Font\n")
    assert check_fonts().ok


@pytest.mark.parametrize(("required", "status"), [(True, 1), (False, 0)])
def test_only_a_required_check_fails_the_command(
    required: bool,
    status: int,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    found = Check("thing", False, "it is [odd]", "mend it", required=required)
    monkeypatch.setattr(doctor, "diagnose", lambda settings: [found])
    assert run_checks(ApiSettings(), as_json=False) == status
    printed = capsys.readouterr().out
    assert "thing: it is [odd]" in printed
    assert "mend it" in printed
    assert run_checks(ApiSettings(), as_json=True) == status
    assert json.loads(capsys.readouterr().out) == [
        {
            "name": "thing",
            "ok": False,
            "message": "it is [odd]",
            "remedy": "mend it",
            "required": required,
        }
    ]
