"""The how-to on data sets, followed to the letter."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import duckdb
import pytest
from typer.testing import CliRunner

from api.cli import app
from api.demo import DemoServer
from tests.docs.fences import blocks

PAGE = "docs/how-to/scrape-a-data-set.md"
PROGRAMS = Path(sys.executable).parent
#: What a command may end with where the page says so.
SOME_FAILED = " || [ $? = 3 ]"


def steps() -> list[str]:
    """Commands in order; ``pagefold`` ones, which start no process here, apart from others."""
    install, *others = blocks(PAGE, "sh")
    assert install.startswith(". .venv/bin/activate ")
    return [part for block in others for part in re.split(r"(?m)^(pagefold .*\n)", block) if part]


def follow(step: str, folder: Path) -> str:
    if step.startswith("pagefold"):
        command, mark, _ = step.strip().partition(SOME_FAILED)
        done = CliRunner().invoke(app, shlex.split(command)[1:])
        assert done.exit_code == (3 if mark else 0), done.output
        return done.output
    path = f"{PROGRAMS}:{os.environ['PATH']}"
    ran = subprocess.run(
        ["bash", "-euc", step], cwd=folder, env={**os.environ, "PATH": path},
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
    )  # fmt: skip
    assert ran.returncode == 0, ran.stdout
    return ran.stdout


def test_it_does_and_prints_what_the_page_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    printed = ""
    monkeypatch.chdir(tmp_path)
    with DemoServer(0) as site:
        here = f"127.0.0.1:{site.port}"
        monkeypatch.setenv("PAGEFOLD_ALLOW_HOSTS", here)
        for step in steps():
            if not step.startswith("pagefold demo"):
                printed += follow(step.replace("127.0.0.1:8001", here), tmp_path)
    shown = blocks(PAGE, "text")
    assert len(shown) == 2
    for block in shown:
        assert block in printed.replace(here, "127.0.0.1:8001")
    assert "going on after 5 rows" in printed
    manifest, again, queried = (
        json.loads((tmp_path / name / "manifest.json").read_text())
        for name in ("tides", "again", "queried")
    )
    assert manifest["counts"] == {"rows": 5, "ok": 4, "failed": 1}
    assert (again["counts"]["rows"], again["failures"]) == (1, {"http_404": 1})
    assert (queried["counts"]["ok"], queried["content"]["budget"]) == (4, 2000)
    [query] = blocks(PAGE, "sql")
    kept = duckdb.execute(query).fetchall()
    _, *repeating = (tmp_path / "tides" / "duplicates.jsonl").read_text().splitlines()
    assert len(kept) == 5 - len(repeating)
