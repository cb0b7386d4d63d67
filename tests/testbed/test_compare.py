"""The comparison as a user runs it: data sets in, tables and files out, the same each time."""

from __future__ import annotations

import gzip
import io
import json
import sys
from pathlib import Path

import pyarrow.parquet
import pytest
from rich.console import Console
from typer.testing import CliRunner

from testbed.cli import app
from testbed.compare import importers, table
from testbed.compare.filters import choose, names, plain_text
from testbed.compare.other_process import CRAWL4AI_ENV, crawl4ai_peer
from testbed.compare.run import Plan, run
from testbed.compare.source import Missing, Source
from testbed.compare.statistics import mean, p_value, paired

ARTICLE = """<!doctype html><html lang="en"><title>Bread</title><body><nav><a href="/">Home</a></nav>
<main><h1>Bread</h1><p>Knead the dough for ten minutes, then let it rest under a cloth for an hour.</p></main>
<footer>Subscribe to our letter</footer></body></html>"""
TEXT = "Bread Knead the dough for ten minutes, then let it rest under a cloth for an hour."


def data_set(folder: Path) -> Path:
    (folder / "pages").mkdir(parents=True)
    entries = [
        {"id": "one", "gold_text": TEXT, "kind": "article", "url": "https://a.test/1"},
        {"id": "two", "with": ["ten minutes"], "without": ["Subscribe"], "kind": "recipe"},
        {"id": "three", "gold_html": f"<p>{TEXT}\u2028</p>", "kind": "recipe"},
    ]
    lines = [json.dumps(entry, ensure_ascii=False) for entry in entries]
    (folder / "gold.jsonl").write_text("\n".join(lines), encoding="utf-8")
    for entry in entries:
        (folder / "pages" / f"{entry['id']}.html").write_text(ARTICLE, encoding="utf-8")
    return folder


def test_a_run_prints_a_table_and_writes_its_rows(tmp_path: Path) -> None:
    data, out = data_set(tmp_path / "own"), tmp_path / "out"
    argv = [
        "run",
        "--data",
        str(data),
        "--filters",
        "visible,pagefold,pagefold:html",
        "--budgets",
        "0,600",
    ]
    result = CliRunner().invoke(app, [*argv, "--out", str(out), "--jobs", "1", "--twice"])
    assert result.exit_code == 0, result.output
    rows = pyarrow.parquet.read_table(out / "results.parquet").to_pylist()
    assert len(rows) == 3 * 3 * 2
    ours = [row for row in rows if row["filter"] == "pagefold" and row["budget"] == 0]
    assert [row["page"] for row in ours] == ["one", "three", "two"]
    assert ours[0]["f1"] == 1.0
    assert ours[2]["wanted"] == 1.0
    assert ours[2]["unwanted"] == 0.0
    assert all(row["same_twice"] and row["well_formed"] for row in rows)
    everything = next(row for row in rows if row["filter"] == "visible" and row["page"] == "two")
    assert everything["unwanted"] == 1.0
    report = (out / "report.html").read_text(encoding="utf-8")
    assert "F1 by kind" in report
    assert "<script" not in report
    assert "| pagefold | - | 3 |" in (out / "table.md").read_text(encoding="utf-8")


def test_two_runs_give_the_same_numbers(tmp_path: Path) -> None:
    data = data_set(tmp_path / "own")
    tables = []
    for name in ("a", "b"):
        argv = [
            "run",
            "--data",
            str(data),
            "--filters",
            "visible,pagefold",
            "--out",
            str(tmp_path / name),
        ]
        assert CliRunner().invoke(app, argv).exit_code == 0
        rows = pyarrow.parquet.read_table(tmp_path / name / "results.parquet").to_pylist()
        tables.append(
            [{k: v for k, v in row.items() if k not in ("cpu_ms", "parses")} for row in rows]
        )
    assert tables[0] == tables[1]


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (["--data", "nowhere"], "is no folder"),
        (["--data", "."], "holds no data set"),
        (["--data", "own", "--filters", "nonsense"], "is no filter"),
        (["--data", "own", "--filters", "trafilatura:pdf"], "puts out"),
        (["--data", "own", "--only", "other"], "no data set other"),
        (["--data", "own", "--budgets", "many"], "whole numbers"),
    ],
)
def test_wrong_requests_say_what_is_wrong(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, argv: list[str], message: str
) -> None:
    data_set(tmp_path / "own")
    (tmp_path / "own").rename(tmp_path / "own_")
    (tmp_path / "sub").mkdir()
    monkeypatch.chdir(tmp_path / "sub")
    (tmp_path / "own_").rename(tmp_path / "sub" / "own") if argv[1] == "own" else None
    result = CliRunner().invoke(app, ["run", *argv])
    assert result.exit_code == 2
    assert message in result.output
    assert "Traceback" not in result.output


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('{"id":', "line 2"),
        ('{"gold_text": "x"}', "line 2: an object with id"),
        ("7", "line 2: an object with id"),
        ('{"id": "a", "gold_txt": "x"}', "line 2: none of gold_text"),
    ],
)
def test_a_broken_line_is_named(tmp_path: Path, line: str, message: str) -> None:
    gold = f'{{"id": "a", "gold_text": "x"}}\n{line}'
    (tmp_path / "gold.jsonl").write_text(gold, encoding="utf-8")
    (tmp_path / "pages").mkdir()
    (tmp_path / "pages" / "a.html").write_text("x", encoding="utf-8")
    with pytest.raises(importers.LayoutError, match=message):
        importers.read(tmp_path)


def test_filters_are_named_and_their_absence_is_explained() -> None:
    assert {"raw", "visible", "pagefold", "readability", "trafilatura", "defuddle"} <= set(names())
    with pytest.raises(Missing, match="is no filter"):
        choose(["no-such"])
    chosen, absent = choose(["all"])
    assert {each.filter.name for each in chosen} | set(absent) == set(names())


# ------------------------------------------------------------------ layouts of publishers


def test_layout_of_wcxb(tmp_path: Path) -> None:
    (tmp_path / "dev" / "ground-truth").mkdir(parents=True)
    (tmp_path / "dev" / "html").mkdir()
    truth = {
        "url": "https://www.site.test/a",
        "_internal": {"page_type": {"primary": "forum"}},
        "ground_truth": {"main_content": "Body", "with": ["Bo"], "without": ["nav"]},
    }
    (tmp_path / "dev" / "ground-truth" / "0007.json").write_text(
        json.dumps(truth), encoding="utf-8"
    )
    (tmp_path / "dev" / "html" / "0007.html.gz").write_bytes(gzip.compress(b"<p>Body"))
    [page] = importers.read(tmp_path)
    assert (page.dataset, page.id, page.kind, page.site) == ("wcxb", "0007", "forum", "site.test")
    assert (page.gold.text, page.gold.wanted, page.gold.unwanted) == ("Body", ("Bo",), ("nav",))
    assert page.body == b"<p>Body"


def test_layout_of_scrapinghub(tmp_path: Path) -> None:
    (tmp_path / "html").mkdir()
    truth = {"ab12": {"articleBody": "Body", "url": "https://site.test/a"}}
    (tmp_path / "ground-truth.json").write_text(json.dumps(truth), encoding="utf-8")
    (tmp_path / "html" / "ab12.html.gz").write_bytes(gzip.compress(b"<p>Body"))
    [page] = importers.read(tmp_path)
    assert (page.dataset, page.id, page.gold.text) == ("scrapinghub", "ab12", "Body")


def test_layout_of_trafilatura(tmp_path: Path) -> None:
    (tmp_path / "cache").mkdir()
    truth = {"https://site.test/a": {"file": "a.html", "with": ["x"], "without": ["y"]}}
    (tmp_path / "evaldata.json").write_text(json.dumps(truth), encoding="utf-8")
    (tmp_path / "cache" / "a.html").write_bytes(b"<p>x")
    [page] = importers.read(tmp_path)
    assert (page.url, page.gold.wanted, page.gold.unwanted) == (
        "https://site.test/a",
        ("x",),
        ("y",),
    )


def test_layout_of_readability(tmp_path: Path) -> None:
    (tmp_path / "case").mkdir()
    (tmp_path / "case" / "expected.html").write_text("<div><p>Body</p></div>", encoding="utf-8")
    (tmp_path / "case" / "source.html").write_bytes(b"<p>Body")
    [page] = importers.read(tmp_path)
    assert (page.id, page.gold.text) == ("case", "Body")


def test_layout_of_offline_pages(tmp_path: Path) -> None:
    (tmp_path / "pages" / "site.test").mkdir(parents=True)
    (tmp_path / "pages" / "site.test" / "index.html").write_bytes(b"<p>seen")
    gold = {"id": "site.test", "must": ["seen"], "must_not": [["unseen", "display"]]}
    (tmp_path / "gold_visible.jsonl").write_text(json.dumps(gold), encoding="utf-8")
    [page] = importers.read(tmp_path)
    assert (page.gold.wanted, page.gold.unwanted) == (("seen",), ("unseen",))


# ------------------------------------------------------------------ statistics


def test_intervals_hold_the_mean_and_are_the_same_each_time() -> None:
    values = [0.2, 0.4, 0.6, 0.8, None]
    first, second = mean(values), mean(values)
    assert first == second
    assert first is not None
    assert first.value == pytest.approx(0.5)
    assert first.pages == 4
    assert first.low < 0.5 < first.high
    assert mean([None]) is None


def test_a_clear_lead_is_told_from_none() -> None:
    better, worse = [0.9] * 30, [0.5] * 30
    gap = paired(better, worse)
    assert gap is not None
    assert (gap.value, gap.low) == (pytest.approx(0.4), pytest.approx(0.4))
    # Of 2^30 sign patterns only two are as far out; none is among 2,000 draws.
    assert p_value(better, worse) == pytest.approx(1 / 2001)
    assert p_value([0.1, 0.9] * 15, [0.9, 0.1] * 15) == 1.0


def test_what_is_kept_is_not_run_again(tmp_path: Path) -> None:
    data, kept = data_set(tmp_path / "own"), tmp_path / "kept"
    argv = ["run", "--data", str(data), "--jobs", "1", "--keep", str(kept)]
    first = CliRunner().invoke(app, [*argv, "--filters", "raw", "--out", str(tmp_path / "a")])
    assert first.exit_code == 0, first.output
    lines = (kept / "raw.jsonl").read_text("utf-8").strip().splitlines()
    assert len(lines) == 3
    # A row that says what no run would say shows where it came from; a torn line is run again.
    marked = lines[0].replace('"output_chars": ', '"output_chars": 99')
    (kept / "raw.jsonl").write_text("\n".join([marked, lines[1], lines[2][:80]]), "utf-8")
    again = CliRunner().invoke(
        app, [*argv, "--filters", "raw,visible", "--out", str(tmp_path / "b")]
    )
    assert again.exit_code == 0, again.output
    rows = pyarrow.parquet.read_table(tmp_path / "b" / "results.parquet").to_pylist()
    sizes = [row["output_chars"] for row in rows if row["filter"] == "raw"]
    assert [str(size).startswith("99") for size in sizes] == [True, False, False]
    assert len([row for row in rows if row["filter"] == "visible"]) == 3


def test_a_change_of_the_page_is_run_again(tmp_path: Path) -> None:
    data, kept = data_set(tmp_path / "own"), tmp_path / "kept"
    argv = ["run", "--data", str(data), "--jobs", "1", "--keep", str(kept), "--filters", "raw"]
    assert CliRunner().invoke(app, argv).exit_code == 0
    (data / "pages" / "two.html").write_text(ARTICLE + "<p>more</p>", encoding="utf-8")
    assert CliRunner().invoke(app, argv).exit_code == 0
    assert len((kept / "raw.jsonl").read_text("utf-8").strip().splitlines()) == 4


def test_a_narrow_terminal_gets_several_tables_with_whole_numbers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = Plan(("visible", "pagefold"), (0, 600), jobs=1)
    rows = run(importers.read(data_set(tmp_path / "own")), plan)
    for width in (60, 80, 120, 240):
        console = Console(width=width, file=io.StringIO())
        table.show(rows, console)
        printed = console.file.getvalue()  # type: ignore[attr-defined]
        assert "\u2026" not in printed
        assert max(map(len, printed.splitlines())) <= width
        assert printed.count("visible") == printed.count(" filter ") * 2
        assert printed.count("1.000 [1.000, 1.000]") >= 4


def test_crawl4ai_runs_under_a_python_of_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = tmp_path / "lib" / "crawl4ai"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("print('chatter')\n", encoding="utf-8")
    (package / "content_filter_strategy.py").write_text(
        "class PruningContentFilter:\n"
        "    def filter_content(self, html):\n"
        "        if 'letter' not in html: raise ValueError('no letter')\n"
        "        print('more chatter')\n"
        "        return ['<p>kept</p>', '<p>too</p>']\n",
        encoding="utf-8",
    )
    monkeypatch.setenv("PYTHONPATH", str(tmp_path / "lib"))
    monkeypatch.delenv(CRAWL4AI_ENV, raising=False)
    assert CRAWL4AI_ENV in choose(["crawl4ai"])[1]["crawl4ai"]
    monkeypatch.setenv(CRAWL4AI_ENV, sys.executable)
    peer = crawl4ai_peer()
    source = Source(ARTICLE.encode(), ARTICLE, None)
    assert peer(source, "html", 0) == "<p>kept</p>\n<p>too</p>"
    with pytest.raises(RuntimeError, match="no letter"):
        peer(Source(b"", "", None), "html", 0)
    peer.close()


def test_descriptions_of_pictures_are_no_words_in_any_form() -> None:
    html = "<p>A quay at dawn, with nobody on it yet.</p><img src='q.png' alt='gulls over a pier'>"
    source = Source(html.encode(), html, "http://site.test/")
    for form in ("text", "html", "markdown"):
        (chosen,), _ = choose([f"pagefold:{form}"])
        read = plain_text(chosen.filter.load()(source, chosen.form, 0), chosen.form)
        assert read.split() == "A quay at dawn, with nobody on it yet.".split()
