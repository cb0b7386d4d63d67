"""The how-to on comparing filters, followed to the letter by somebody who has only that."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pyarrow.parquet
import pytest

from tests.docs.fences import ROOT, blocks

PAGE = "docs/how-to/compare-filters.md"
PROGRAMS = Path(sys.executable).parent
# Several programs are started, which takes its time on a machine that is busy.
pytestmark = pytest.mark.timeout(500)


@pytest.fixture(scope="module")
def printed(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[str]]:
    folder = tmp_path_factory.mktemp("compare")
    site = folder / "site"
    environment = {**os.environ, "PYTHONPATH": f"{site}:{ROOT}"}
    outputs = []
    for block in blocks(PAGE, "sh"):
        # What is installed goes into a folder of the test's own; nothing is fetched.
        script = block.replace(
            ".venv/bin/pip install",
            f"{sys.executable} -m pip install --no-deps --no-build-isolation --target {site}",
        ).replace(".venv/bin/pagefold", f"{PROGRAMS}/pagefold")
        done = subprocess.run(
            ["bash", "-euc", script], cwd=folder, env=environment, capture_output=True, text=True
        )
        assert done.returncode == 0, (block, done.stdout[-2000:], done.stderr[-2000:])
        outputs.append(done.stdout)
    return folder, outputs


def test_the_data_set_is_scored(printed: tuple[Path, list[str]]) -> None:
    folder, _ = printed
    rows = pyarrow.parquet.read_table(folder / "result" / "results.parquet").to_pylist()
    ours = {row["page"]: row for row in rows if row["filter"] == "pagefold" and not row["budget"]}
    assert ours["bread"]["f1"] == 1.0
    assert (ours["soup"]["wanted"], ours["soup"]["unwanted"]) == (1.0, 0.0)
    assert ours["kettle"]["fields"] == 1.0
    assert (folder / "result" / "report.html").read_text("utf-8").startswith("<!doctype html>")


def test_the_filter_of_ones_own_is_in_the_table(printed: tuple[Path, list[str]]) -> None:
    _, outputs = printed
    assert re.search(r"paragraphs +│ +- +│ +3", outputs[-1]), outputs[-1]
