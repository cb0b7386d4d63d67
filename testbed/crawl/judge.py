"""Whether a data set of the small web holds what it must, read by others than the code that wrote it."""

from __future__ import annotations

import io
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import duckdb
import orjson
import pyarrow.parquet
import zstandard
from warcio.archiveiterator import ArchiveIterator

from testbed.crawl.addresses import DELAYED, LAWLESS, Expected, SmallWeb
from testbed.crawl.answers import CRAWL_DELAY_S
from testbed.crawl.kinds import OK
from testbed.crawl.log import Hit, manners

#: The clock and the number of tries decide these, so that they differ from run to run.
VARYING = ("fetched_at", "attempts")
#: A request is noted when it was read: by so much two of them may seem closer than they were sent. A machine
#: that is busy may show single ones closer still, but not all together.
_LAG_S = 0.05


@dataclass(slots=True)
class Findings:
    """What was counted, and what is wrong."""

    outcomes: Counter[str] = field(default_factory=Counter)
    facts: dict[str, object] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)

    def want(self, what: str, found: object, wanted: object) -> None:
        """Note a fact, and a problem where it is not as it must be."""
        self.facts[what] = found
        if found != wanted:
            self.problems.append(f"{what}: {found}, not {wanted}")


def rows_of(out: Path) -> list[dict[str, Any]]:
    """All rows in JSONL, in the order of the input, without what varies."""
    rows: list[dict[str, Any]] = []
    for path in sorted((out / "rows").glob("*.jsonl.zst")):
        with path.open("rb") as file:
            reader = zstandard.ZstdDecompressor().stream_reader(file, read_across_frames=True)
            rows += map(orjson.loads, io.BufferedReader(reader))
    for row in rows:
        for name in VARYING:
            row.pop(name)
        row["rights"] = _without_times(row["rights"])
    return sorted(rows, key=lambda row: int(row["index"]))


def _without_times(value: Any) -> Any:
    if isinstance(value, dict):
        return {k: _without_times(v) for k, v in value.items() if not k.endswith("_at")}
    return value


def differences(rows: list[dict[str, Any]], others: list[dict[str, Any]], name: str) -> list[str]:
    """Where ``others``, which are called ``name``, are not the same rows as ``rows``, column by column.

    Both are in the order of the input, as ``rows_of`` gives them.
    """
    found: list[str] = []
    if len(others) != len(rows):
        found.append(f"{name}: {len(others)} rows, not {len(rows)}")
    for ours, theirs in zip(rows, others, strict=False):
        fields = sorted(each for each in ours | theirs if ours.get(each) != theirs.get(each))
        if fields:
            found.append(f"{name}: {ours['url']} differs in {', '.join(fields)}")
    return found


def judge_rows(
    web: SmallWeb, indexes: Iterable[int], rows: list[dict[str, Any]], *, scripts: bool
) -> Findings:
    """Whether each address has its row, once, and each row what it must say.

    Without ``scripts`` nobody ran those of the pages, so that what they write is not looked for.
    """
    found = Findings(Counter(_outcome(row) for row in rows))
    expected = [web.expected(index) for index in indexes]
    found.want("rows", len(rows), len(expected))
    found.want("addresses, each once", len({row["url"] for row in rows}), len(expected))
    wanted = Counter(each.outcome for each in expected)
    for code in sorted({*wanted, *found.outcomes}):
        found.want(code, found.outcomes[code], wanted[code])
    by_url = {row["url"]: row for row in rows}
    for each in expected:
        if (row := by_url.get(each.url)) is None:
            found.problems.append(f"lost: {each.url}")
        else:
            unwritten = each.kind == "script" and not scripts
            found.problems += _of_row(replace(each, phrase="") if unwritten else each, row)
    return found


def _outcome(row: dict[str, Any]) -> str:
    return row["error"]["code"] if row["error"] else OK


def _of_row(each: Expected, row: dict[str, Any]) -> Iterator[str]:
    outcome = _outcome(row)
    if outcome != each.outcome:
        yield f"{each.url}: {outcome}, not {each.outcome}"
    elif each.outcome == OK:
        for name, wanted in (("status", each.status), ("final_url", each.final_url)):
            if row[name] != wanted:
                yield f"{each.url}: {name} {row[name]}, not {wanted}"
        if each.phrase not in (row["text"] or ""):
            yield f"{each.url}: without {each.phrase!r}"
    elif each.status is not None and row["status"] != each.status:
        yield f"{each.url}: status {row['status']}, not {each.status}"


def judge_shards(out: Path, found: Findings) -> None:
    """Read every shard with pyarrow, DuckDB and warcio, and compare their counts with the manifest's."""
    manifest = orjson.loads((out / "manifest.json").read_bytes())
    rows = manifest["counts"]["rows"]
    told = {file["path"]: file["rows"] for shard in manifest["shards"] for file in shard["files"]}
    there = {
        path.relative_to(out).as_posix()
        for folder in ("rows", "warc")
        for path in (out / folder).glob("*")
    }
    found.want("files that the manifest does not name", sorted(there - set(told)), [])
    parquet = sorted((out / "rows").glob("*.parquet"))
    if parquet:
        tables = [pyarrow.parquet.read_table(path) for path in parquet]
        for path, table in zip(parquet, tables, strict=True):
            table.validate(full=True)
            if table.num_rows != told[f"rows/{path.name}"]:
                found.problems.append(f"{path.name}: {table.num_rows} rows")
        found.want("rows by pyarrow", sum(table.num_rows for table in tables), rows)
        found.want(
            "rows by DuckDB, Parquet", _duckdb(f"read_parquet('{out}/rows/*.parquet')"), rows
        )
    if any((out / "rows").glob("*.jsonl.zst")):
        source = f"read_json_objects('{out}/rows/*.jsonl.zst', format='newline_delimited')"
        count = f"(SELECT json->>'index' AS \"index\" FROM {source})"
        found.want("rows by DuckDB, JSONL", _duckdb(count), rows)
    for path in sorted((out / "warc").glob("*")):
        with path.open("rb") as file:
            kinds = Counter(record.rec_type for record in _records(file))
        wanted = told[f"warc/{path.name}"]
        if kinds["response"] != wanted:
            found.problems.append(f"{path.name}: {kinds['response']} answers, not {wanted}")
        found.facts["answers by warcio"] = (
            int(str(found.facts.get("answers by warcio", 0))) + kinds["response"]
        )


def _records(file: io.BufferedReader) -> Iterator[Any]:
    for record in ArchiveIterator(file, check_digests="raise"):
        record.content_stream().read()
        yield record


def _duckdb(source: str) -> int:
    """Rows with different numbers."""
    with duckdb.connect() as connection:
        [[count, different]] = connection.sql(
            f'SELECT count(*), count(DISTINCT "index") FROM {source}'
        ).fetchall()
    return int(count) if count == different else -1


def judge_manners(hits: list[Hit], per_host: int, found: Findings) -> None:
    """Whether hosts were asked as they want to be."""
    seen = manners(hits)
    for host, each in seen.items():
        if each.at_once > per_host:
            found.problems.append(f"host {host}: {each.at_once} pages at once, not {per_host}")
        if not each.rules_first:
            found.problems.append(f"host {host}: pages before its rules")
        if each.private and host != LAWLESS:
            found.problems.append(f"host {host}: {each.private} pages that its rules disallow")
    found.facts["most pages of a host at once"] = max(each.at_once for each in seen.values())
    if DELAYED in seen:
        delayed = seen[DELAYED]
        found.facts["shortest gap with a crawl delay of 0.2 s"] = round(delayed.gap_s, 3)
        least_s = (delayed.pages - 1) * CRAWL_DELAY_S - _LAG_S
        if delayed.span_s < least_s:
            found.problems.append(f"host {DELAYED}: {delayed.pages} pages in {delayed.span_s} s")
