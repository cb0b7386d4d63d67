"""A job outlives the process that works on it: nothing is lost, and nothing comes twice."""

from __future__ import annotations

import contextlib
import threading
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, cast

import pytest
import sqlalchemy as sa
from fastapi import FastAPI
from starlette.testclient import TestClient

from api.app import create_app
from api.callers import Caller
from api.jobs.claims import ClaimRule, claim
from api.jobs.creating import checked_job, write_job
from api.jobs.ending import Outcome, end_page
from api.jobs.forgetting import forget_tenant
from api.jobs.models import JobIn
from api.jobs.reading import shown_job
from api.jobs.results import ResultStore
from api.jobs.sealing import Seal
from api.jobs.writing import now_ms
from compactor.store import open_database
from compactor.tables import job_pages
from tests.api.jobs.conftest import settings_for
from tests.api.jobs.site import PATIENCE_S, Site, running_site
from tests.compactor.postgres import running_postgres
from tests.faults.serving import Service, eventually, service

QUICK, SLOW = 12, 4
PLACES = 2


@pytest.fixture
def site() -> Iterator[Site]:
    with running_site() as running:
        yield running


@contextlib.contextmanager
def process(folder: Path, site: Site, **more: object) -> Iterator[Service]:
    """A service that can be killed."""
    folder.mkdir()
    given = settings_for(folder / "data", site, **rules(more))
    chosen = {name: getattr(given, name) for name in given.model_fields_set - {"data_dir"}}
    chosen["allow_hosts"] = ",".join(given.allow_hosts)
    chosen.update(more)
    with service(folder, **chosen) as running:
        yield running


@contextlib.contextmanager
def successor(folder: Path, site: Site, **more: object) -> Iterator[TestClient]:
    """Another one in this process, which is up sooner."""
    app = create_app(settings_for(folder / "data", site, **rules(more)))
    with TestClient(app, base_url="http://127.0.0.1:8000") as client:
        yield client


def rules(more: dict[str, object]) -> dict[str, object]:
    return {"job_concurrency": PLACES, "job_lease_s": 1, "job_host_concurrency": 9, **more}


def start(server: Service | TestClient, site: Site) -> str:
    """A job of quick pages with slow ones among them, which hang until the site lets them go."""
    paths = [f"/quick-{n}" for n in range(QUICK)]
    for n in range(SLOW):
        paths.insert(3 * n + 2, f"/slow-{n}")
    body = {
        "pages": [site.url + path for path in paths],
        "options": {"render": "static", "format": ["text"]},
    }
    headers = {"Idempotency-Key": "the-only-one"}
    if isinstance(server, TestClient):
        answer: Any = server.post("/v1/jobs", json=body, headers=headers)
    else:
        answer = server.post("/v1/jobs", body, **headers)
    assert answer.status_code == 201, answer.text
    return str(answer.headers["location"])


def results(server: Service | TestClient, at: str) -> dict[str, Any]:
    found: dict[str, Any] = server.get(f"{at}/results?limit=1000").json()
    return found


def assert_all_there_once(server: TestClient, at: str, site: Site) -> None:
    eventually(lambda: server.get(at).json()["state"] == "completed")
    assert server.get(at).json()["pages"]["done"] == QUICK + SLOW
    body = results(server, at)
    assert body["complete"] is True
    assert Counter(each["position"] for each in body["results"]) == Counter(range(QUICK + SLOW))
    numbers = [each["number"] for each in body["results"]]
    assert numbers == sorted(set(numbers))
    for each in body["results"]:
        path = each["url"].removeprefix(site.url)
        assert f"Low water at {path}" in each["page"]["content"]["text"]


def test_a_killed_service_goes_on_where_it_was(tmp_path: Path, site: Site) -> None:
    folder = tmp_path / "one"
    with process(folder, site) as first:
        at = start(first, site)
        # Two pages hang, so that no other gets a place.
        eventually(lambda: site.now == PLACES)
        done = results(first, at)["results"]
        first.process.kill()
        first.process.wait()
    assert done
    site.release.set()
    with successor(folder, site) as second:
        assert_all_there_once(second, at, site)
        assert start(second, site) == at
    for each in done:  # what was entered before was not read again
        assert site.asked[each["url"].removeprefix(site.url)] == 1
    assert sum(site.asked.values()) == QUICK + SLOW + PLACES


def test_replicas_share_a_queue_and_one_takes_over_from_another(tmp_path: Path, site: Site) -> None:
    (tmp_path / "objects").mkdir()
    with running_postgres() as database:
        assert_shared_fairly(database)
        shared = {
            "database_url": database,
            "archive_url": f"file://{tmp_path / 'objects'}",
            "jobs_key": "the same for all replicas, long enough",
        }
        with (
            successor(tmp_path / "one", site, **shared) as one,
            successor(tmp_path / "other", site, **shared) as other,
        ):
            at = start(other, site)
            eventually(lambda: site.now == 2 * PLACES)
            assert other.get(at).json()["pages"]["running"] == 2 * PLACES
            assert holders(database) == 2
            with frozen(one):
                site.release.set()
                assert_all_there_once(other, at, site)
            # It was not dead, and has found out that its pages are no longer its own.
            eventually(lambda: cast(FastAPI, one.app).state.jobs.pages_running == 0)
            assert_all_there_once(one, at, site)
        assert sum(site.asked.values()) == QUICK + SLOW + PLACES


@contextlib.contextmanager
def frozen(client: TestClient) -> Iterator[None]:
    """Nothing moves in this service inside the block, as if its process were stopped."""
    stopped, go_on = threading.Event(), threading.Event()

    async def hold() -> None:
        stopped.set()
        go_on.wait(PATIENCE_S)

    assert client.portal is not None
    holding = client.portal.start_task_soon(hold)
    try:
        assert stopped.wait(PATIENCE_S)
        yield
    finally:
        go_on.set()
        holding.result(PATIENCE_S)


def assert_shared_fairly(database: str) -> None:
    """Several at once take every page once, and never more of a host than they may together."""
    engine = open_database(database)
    made = []
    for _ in range(3):
        urls: list[str | dict[str, Any]] = [f"http://h{n % 4}.test/{n}" for n in range(30)]
        made.append(checked_job(JobIn(pages=urls), Caller(), Seal(b"k"), most=99))
        write_job(engine, made[-1], most_active=9)
    ended: Counter[tuple[str, int]] = Counter()
    most: list[int] = []

    def work(name: str) -> None:
        while found := claim(engine, ClaimRule(name, Seal(b"k").name, 60_000, 2, 0), 3, now_ms()):
            with engine.connect() as connection:
                held = connection.execute(held_by_host()).scalars().all()
            most.append(max(held, default=0))
            for each in found:
                if end_page(engine, each, Outcome(result="x", result_bytes=1), now_ms()):
                    ended[each.key] += 1

    with ThreadPoolExecutor(4) as threads:
        for done in [threads.submit(work, f"w{n}") for n in range(4)]:
            done.result()
    work("last")  # whoever finds nothing for a moment leaves
    assert set(ended.values()) == {1}
    assert len(ended) == 90
    assert max(most) == 2
    states = [shown_job(engine, new.id, "", now_ms())["state"] for new in made]
    assert states == ["completed"] * 3
    assert forget_tenant(engine, lambda _: ResultStore(Path("/nowhere"), ""), "") == 3
    engine.dispose()


def held_by_host() -> sa.Select[int]:
    taken = job_pages.c.state == "taken"
    return sa.select(sa.func.count()).where(taken).group_by(job_pages.c.host)


def holders(database: str) -> int:
    engine = sa.create_engine(database)
    query = sa.select(job_pages.c.taken_by).where(job_pages.c.state == "taken").distinct()
    with engine.connect() as connection:
        found = len(connection.execute(query).all())
    engine.dispose()
    return found


def test_a_service_that_stops_hands_its_pages_back_at_once(tmp_path: Path, site: Site) -> None:
    lasting: dict[str, object] = {"job_lease_s": 3_600}
    with successor(tmp_path, site, **lasting) as first:
        at = start(first, site)
        eventually(lambda: site.now == PLACES)
    site.release.set()
    with successor(tmp_path, site, **lasting) as second:
        assert_all_there_once(second, at, site)
        tries = {each["tries"] for each in results(second, at)["results"]}
    assert tries == {1}, "what was handed back counts as a try"
