"""A small site of our own, and a plan that reads it without waiting."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from batch.plan import Content, Output, Pace, Plan, Render
from batch.readers import open_readers
from batch.task import Task
from extractor.settings import ExtractorSettings
from tests.browser.site import Answer, Routes, Site

PAGE = """<!doctype html><html lang="en"><title>Page {n}</title><link rel="canonical" href="/{n}">
<nav><a href="/">Home</a></nav><main><h1>Page {n}</h1><p>The tide at pier {n} turns at four, and the
boats that lie there leave with it.</p></main>"""


def pages(count: int) -> Routes:
    """So many pages that differ: ``/0``, ``/1``, …"""
    return {f"/{n}": PAGE.format(n=n) for n in range(count)}


def settings_for(*sites: Site) -> ExtractorSettings:
    """Limits that let these sites be read."""
    return ExtractorSettings(
        allow_hosts=tuple(f"127.0.0.1:{site.port}" for site in sites), deadline_s=10
    )


def plan(*, render: Render = "static", **pace: float) -> Plan:
    """A plan without robots.txt and with pauses that nobody notices."""
    made = Plan(content=Content(render=render), pace=Pace(concurrency=4, backoff_s=0.001))
    return replace(
        made,
        manners=replace(made.manners, robots=False, tdm=False),
        pace=replace(made.pace, **pace),  # type: ignore[arg-type]  # numbers of its own kinds
    )


def tasks(site: Site, *paths: str) -> Iterator[Task]:
    """Tasks for these paths, in order."""
    return iter([Task(index, site.url(path)) for index, path in enumerate(paths)])


def write_list(path: Path, site: Site, *paths: str) -> Path:
    """A list of addresses, one a line."""
    path.write_text("".join(f"{site.url(each)}\n" for each in paths))
    return path


__all__ = [
    "PAGE", "Answer", "Output", "open_readers", "pages", "plan", "settings_for", "tasks", "write_list",
]  # fmt: skip
