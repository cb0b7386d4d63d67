"""The tutorial runs as it is written, over the first of its thousand pages."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from pyarrow.parquet import read_table

from api.demo import DemoServer
from api.demo_catalogue import CATALOGUE_SIZE, is_gone, product_page
from tests.docs.fences import ROOT, blocks

PAGE = "docs/tutorials/a-data-set-with-a-card.md"
PROGRAMS = Path(sys.executable).parent
# Several programs are started, which takes its time on a machine that is busy.
pytestmark = pytest.mark.timeout(500)


@pytest.fixture(scope="module")
def followed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder that it was followed in."""
    folder = tmp_path_factory.mktemp("products")
    install, *steps = blocks(PAGE, "sh")
    assert install.startswith(". .venv/bin/activate ")
    with DemoServer(0) as site:
        script = "".join(steps).replace("127.0.0.1:8001", f"127.0.0.1:{site.port}")
        script = re.sub(r"^pagefold demo .*\n", "", script, flags=re.MULTILINE)
        # The first page that is gone is the ninetieth.
        script = script.replace("--out products ", "--limit 95 --out products ")
        done = subprocess.run(
            ["bash", "-euo", "pipefail", "-c", script],
            cwd=folder,
            env={
                **os.environ,
                "PYTHONPATH": str(ROOT),
                "PATH": f"{PROGRAMS}:{os.environ['PATH']}",
            },
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
    assert done.returncode == 0, done.stdout[-3000:]
    return folder


def test_what_the_tutorial_promises_is_there(followed: Path) -> None:
    rows = read_table(followed / "products" / "rows").to_pylist()
    assert len(rows) == 95
    assert [row["error"]["code"] for row in rows if row["error"]] == ["http_410"]
    assert rows[0]["title"] in product_page(1)
    assert read_table(followed / "products-without-opt-outs.parquet").num_rows == 90


def test_the_card_is_what_hugging_face_reads(followed: Path) -> None:
    _, front, text = (followed / "products" / "README.md").read_text("utf-8").split("---\n", 2)
    fields = yaml.safe_load(front)
    assert fields["pretty_name"] == "Products of the demo shop"
    assert fields["language"] == ["de", "en"]
    assert fields["size_categories"] == ["n<1K"]
    assert fields["configs"][0]["data_files"] == [{"split": "train", "path": "rows/*.parquet"}]
    assert "| en | 84 |" in text
    assert "| de | 10 |" in text
    assert "| http_410 | 1 |" in text
    assert "- pages with an opt-out: `noai` 4" in text
    assert "<https://creativecommons.org/licenses/by/4.0/> 5" in text


def test_numbers_that_the_tutorial_names() -> None:
    there = [number for number in range(1, CATALOGUE_SIZE + 1) if not is_gone(number)]
    pages = [product_page(number) for number in there]
    assert CATALOGUE_SIZE - len(there) == 11
    assert sum("noai" in page for page in pages) == 40
    assert sum("creativecommons" in page for page in pages) == 50
    assert len(set(pages)) == len(pages)
