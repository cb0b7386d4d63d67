"""A run from a list of addresses to its files."""

from __future__ import annotations

from pathlib import Path

import duckdb
import pytest

from api.demo import DemoServer
from batch.engine.local import LocalEngine
from batch.plan import Output, Pace, Plan
from batch.run import Run
from batch.sources import Input
from extractor.settings import ExtractorSettings

PLAN = Plan(
    output=Output(formats=("jsonl", "parquet"), warc=True, shard_rows=2),
    pace=Pace(backoff_s=0.01),
)


async def test_every_line_has_a_row_in_every_format(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    with DemoServer(0) as site:
        names = ["article", "nope", "docs", "hidden", ""]
        (tmp_path / "urls.txt").write_text("\n".join(f"{site.url}/{name}" for name in names))
        settings = ExtractorSettings(allow_hosts=(site.url.removeprefix("http://"),))
        out = tmp_path / "out"
        with Run(out, Input(str(tmp_path / "urls.txt")), PLAN, settings) as run:
            done = await run.run(LocalEngine(settings))
    assert done.outcomes == {"ok": 4, "http_404": 1}
    query = "select index, title, status, error.code from {} order by index"
    parquet = duckdb.sql(query.format(f"'{out}/rows/*.parquet'")).fetchall()
    jsonl = duckdb.sql(query.format(f"read_json_auto('{out}/rows/*.jsonl.zst')")).fetchall()
    assert parquet == jsonl
    assert [row[0] for row in parquet] == [0, 1, 2, 3, 4]
    assert parquet[1] == (1, None, 404, "http_404")
    assert parquet[4] == (4, "Demo pages", 200, None)
