"""Inputs that stay what they were when the run began."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from pathlib import Path

import pytest

from batch.engine.local import LocalEngine
from batch.errors import InputError, RunDiffers
from batch.inputs import InputReport, InputRules
from batch.run import Run
from batch.sources import LISTED, Input
from extractor.settings import ExtractorSettings
from tests.batch.killed import ALL
from tests.batch.pages import pages, plan, settings_for
from tests.browser.site import Answer, serve

SETTINGS = ExtractorSettings()


def test_a_file_is_the_input_itself(tmp_path: Path) -> None:
    path = tmp_path / "urls.csv"
    path.write_text("url,topic\nhttp://a.example/,tides\nhttp://b.example/,boats\nnonsense,\n")
    opened = Input(str(path)).open(tmp_path / "out", SETTINGS)
    report = InputReport()
    tasks = list(opened.tasks(report))
    assert (opened.kind, opened.listed) == ("csv", None)
    assert [(task.index, task.url, dict(task.fields)) for task in tasks] == [
        (0, "http://a.example/", {"topic": "tides"}),
        (1, "http://b.example/", {"topic": "boats"}),
    ]
    assert report.bad == {"invalid_url": 1}
    assert not (tmp_path / "out").exists()


def test_a_sitemap_is_listed_once(tmp_path: Path) -> None:
    path, out = tmp_path / "sitemap.xml", tmp_path / "out"
    page = "<url><loc>http://a.example/{}</loc></url>"
    frame = '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{}</urlset>'
    path.write_text(frame.format(page.format(1) + page.format(2) + page.format(1)))
    first = Input(str(path)).open(out, SETTINGS)
    path.write_text(frame.format(page.format(3)))
    second, report = Input(str(path)).open(out, SETTINGS), InputReport()
    assert first.digest == second.digest
    assert [task.url for task in second.tasks(report)] == [
        "http://a.example/1",
        "http://a.example/2",
    ]
    assert (report.kind, report.repeated, report.entries) == ("sitemap", 1, 3)
    assert report.repeat_notes[0].reason == "repeated"


async def test_a_list_on_a_server_is_fetched_once_and_by_its_address(tmp_path: Path) -> None:
    async with serve(pages(3)) as site:
        listed = "".join(f"{site.url(f'/{n}')}\n" for n in range(3))
        site.routes["/list.txt"] = Answer(listed, headers={"Content-Type": "text/plain"})
        settings, chosen = settings_for(site), replace(plan(), output=ALL)
        source, out = Input(site.url("/list.txt")), tmp_path / "out"
        run = await asyncio.to_thread(Run, out, source, chosen, settings)
        with run:
            done = await run.run(LocalEngine(settings))
        assert done.outcomes == {"ok": 3}
        site.routes["/list.txt"] = Answer("", 404)
        with Run(out, source, chosen, settings) as again:
            assert (await again.run(LocalEngine(settings))).resumed == 3
        with pytest.raises(RunDiffers, match=r"input\.source"):
            Run(out, Input(site.url("/other.txt")), chosen, settings)
    manifest = json.loads((out / "manifest.json").read_text())
    assert manifest["input"]["source"] == site.url("/list.txt")
    assert manifest["entries"]["tasks"] == 3
    assert [path for path, _ in site.seen].count("/list.txt") == 1


def test_a_list_that_cannot_be_read_leaves_nothing_behind(tmp_path: Path) -> None:
    path = tmp_path / "sitemap.xml"
    path.write_text("<urlset><url><loc>")
    with pytest.raises(InputError):
        Input(str(path), InputRules(kind="sitemap")).open(tmp_path / "out", SETTINGS)
    assert not (tmp_path / "out" / LISTED).exists()
