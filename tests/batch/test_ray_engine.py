"""The Ray engine gives the rows of the local one, and is as polite over all its actors."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("ray", reason="Ray is not installed here; `make test-ray` runs these tests")
pytestmark = [
    pytest.mark.ray,
    # Ray warns of its own settings, and closes not all that it opens.
    pytest.mark.filterwarnings("default::DeprecationWarning", "default::ResourceWarning"),
]

from batch.engine.engine import Engine  # noqa: E402
from batch.engine.local import LocalEngine  # noqa: E402
from batch.engine.ray import RayEngine, RaySettings  # noqa: E402
from batch.engine.ray.cluster import cluster  # noqa: E402
from batch.engine.ray.desk import Desk  # noqa: E402
from batch.engine.ray.feed import Window  # noqa: E402
from batch.errors import EngineFailed  # noqa: E402
from batch.plan import Content, Output, Pace, Plan  # noqa: E402
from batch.run import Run  # noqa: E402
from batch.sources import Input  # noqa: E402
from batch.task import ArchivedResponse, Task  # noqa: E402
from extractor.settings import ExtractorSettings  # noqa: E402
from testbed.crawl.addresses import SmallWeb  # noqa: E402
from testbed.crawl.judge import rows_of  # noqa: E402
from testbed.crawl.log import manners, read_log  # noqa: E402
from testbed.crawl.server import serving  # noqa: E402

TWO = RaySettings(actors=2, actor_cpus=0.5, object_store_bytes=100_000_000)
#: They take time by the clock, and are read in the same way as the others.
SLOW = ("slow", "stalled", "huge", "flaky")


@pytest.fixture(scope="module", autouse=True)
def one_cluster() -> Iterator[None]:
    """Ray takes long to start: all tests share one."""
    with cluster(TWO):
        yield


async def _rows(
    folder: Path, urls: Path, engine: type[LocalEngine] | type[RayEngine], web: SmallWeb, plan: Plan
) -> list[dict[str, Any]]:
    settings = _settings(web)
    made: Engine = RayEngine(settings, TWO) if engine is RayEngine else LocalEngine(settings)
    with Run(folder, Input(str(urls)), plan, settings) as run:
        await run.run(made)
    return rows_of(folder)


def _settings(web: SmallWeb) -> ExtractorSettings:
    return ExtractorSettings.model_validate({"allow_hosts": web.allow_hosts(), "deadline_s": 30})


def _listed(folder: Path, web: SmallWeb, *indexes: int) -> Path:
    path = folder / "urls.txt"
    path.write_text("".join(f"{web.url(index)}\n" for index in indexes))
    return path


async def test_rows_are_those_of_the_local_engine(tmp_path: Path) -> None:
    async with serving(97) as web:
        quick = [index for index in range(web.pages) if web.kind(index) not in SLOW]
        urls = _listed(tmp_path, web, *quick)
        # A server that answers once badly would answer the second engine better.
        plan = Plan(output=Output(shard_rows=40), pace=Pace(retries=0))
        there = await _rows(tmp_path / "ray", urls, RayEngine, web, plan)
    async with serving(97, port=web.port) as web:
        here = await _rows(tmp_path / "local", urls, LocalEngine, web, plan)

    assert [row["url"] for row in here] == [web.url(index) for index in quick]
    assert there == here


async def test_limits_of_hosts_hold_over_all_actors(tmp_path: Path) -> None:
    log = tmp_path / "log"
    async with serving(400, only="page", log=log) as web:
        urls = _listed(tmp_path, web, *range(0, 320, 20), *range(1, 61, 20))
        plan = Plan(pace=Pace(per_host=1, rate=20))
        await _rows(tmp_path / "out", urls, RayEngine, web, plan)

    seen = manners(read_log(log))
    assert {host: found.pages for host, found in seen.items()} == {0: 16, 1: 3}
    assert max(found.at_once for found in seen.values()) == 1
    # Twenty in a second. The server notes when it has read a request, which may lag behind.
    assert seen[0].span_s > 15 * 0.05 - 0.04


async def test_an_engine_that_cannot_start_says_so(tmp_path: Path) -> None:
    async with serving(20, only="page") as web:
        urls, settings = _listed(tmp_path, web, 1), _settings(web)
        plan = Plan(content=Content(render="browser"))
        absent = settings.model_copy(update={"chromium_path": tmp_path / "absent"})
        with (
            Run(tmp_path / "out", Input(str(urls)), plan, settings) as run,
            pytest.raises(EngineFailed, match="Ray"),
        ):
            await run.run(RayEngine(absent, TWO))


async def test_the_desk_takes_back_what_nobody_returns() -> None:
    desk = Desk(per_host=1, rate=None, lease_s=0.05)
    await desk.enter("lost", "http://a.example/1", 0)
    await desk.started("lost")
    async with asyncio.timeout(5):
        await desk.enter("next", "http://a.example/2", 0)
    await desk.leave("next")


async def test_who_leaves_the_queue_at_the_desk_holds_nobody_up() -> None:
    desk = Desk(per_host=1, rate=None, lease_s=60)
    await desk.enter("first", "http://a.example/1", 0)
    waiting = [asyncio.create_task(desk.enter(name, "http://a.example/2", 0)) for name in "bc"]
    await asyncio.sleep(0)
    await desk.leave("b")
    await desk.leave("first")
    async with asyncio.timeout(5):
        await waiting[1]
    await desk.leave("c")
    await waiting[0]


async def test_the_window_counts_tasks_and_archived_bytes() -> None:
    window = Window(tasks=3, size=100)

    def archived(index: int, size: int) -> Task:
        answer = ArchivedResponse("http://a.example/", 200, (), bytes(size), "", "a.warc", 0)
        return Task(index, "http://a.example/", response=answer)

    await window.enter(archived(0, 500))  # alone, it may be larger than the window
    assert window.is_full_for(archived(1, 1))
    window.leave(0)
    await window.enter(archived(1, 60))
    assert window.is_full_for(archived(2, 60))
    assert not window.is_full_for(archived(2, 40))
    await window.enter(archived(2, 40))
    await window.enter(Task(3, "http://a.example/"))
    assert window.is_full_for(Task(4, "http://a.example/"))
    waiting = asyncio.create_task(window.enter(Task(4, "http://a.example/")))
    window.leave(3)
    await asyncio.wait_for(waiting, 5)
