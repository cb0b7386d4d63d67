"""The how-to on comparing compactors, followed to the letter by somebody who has only that."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pyarrow.parquet
import pytest

from tests.docs.fences import ROOT, blocks

PAGE = "docs/how-to/compare-compactors.md"
PROGRAMS = Path(sys.executable).parent
# Several programs are started, which takes its time on a machine that is busy.
pytestmark = pytest.mark.timeout(500)


@pytest.fixture(scope="module")
def printed(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[str]]:
    folder = tmp_path_factory.mktemp("compact")
    site = folder / "site"
    environment = {**os.environ, "PYTHONPATH": f"{site}:{ROOT}"}
    outputs = []
    for block in blocks(PAGE, "sh"):
        # What is installed goes into a folder of the test's own; nothing is fetched.
        script = re.sub(r"\.venv/bin/(?!pip)", f"{PROGRAMS}/", block).replace(
            ".venv/bin/pip install",
            f"{sys.executable} -m pip install --no-deps --no-build-isolation --target {site}",
        )
        done = subprocess.run(
            ["bash", "-euc", script], cwd=folder, env=environment, capture_output=True, text=True
        )
        assert done.returncode == 0, (block, done.stdout[-2000:], done.stderr[-2000:])
        outputs.append(done.stdout)
    return folder, outputs


def test_the_history_is_replayed(printed: tuple[Path, list[str]]) -> None:
    folder, _ = printed
    rows = pyarrow.parquet.read_table(folder / "result" / "results.parquet").to_pylist()
    ours = [row for row in rows if row["compactor"] == "epoch"]
    assert [row["budget"] for row in ours] == ["30%", "12,000"]
    assert all(row["requests"] == 40 and row["worst"] <= 1 and not row["invalid"] for row in ours)
    assert all(row["facts_of"] == 54 for row in ours)
    assert (folder / "result" / "report.html").read_text("utf-8").startswith("<!doctype html>")


def test_the_compactor_of_ones_own_is_in_the_table(printed: tuple[Path, list[str]]) -> None:
    _, outputs = printed
    [line] = [row for row in outputs[-1].splitlines() if re.search(r"30% +│ newest", row)][:1]
    # It keeps no budget for what it drops by twos, but its one ref finds everything.
    assert "1.000" in line
