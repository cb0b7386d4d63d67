"""A job outlives the process that works on it: nothing is lost, and nothing comes twice."""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from starlette.testclient import TestClient

from api.app import create_app
from compactor.tables import job_pages
from tests.api.jobs.conftest import settings_for
from tests.api.jobs.site import Site, running_site
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
        shared = {
            "database_url": database,
            "archive_url": f"file://{tmp_path / 'objects'}",
            "jobs_key": "the same for all replicas, long enough",
        }
        with (
            process(tmp_path / "one", site, **shared) as one,
            successor(tmp_path / "other", site, **shared) as other,
        ):
            at = start(other, site)
            eventually(lambda: site.now == 2 * PLACES)
            assert other.get(at).json()["pages"]["running"] == 2 * PLACES
            assert holders(database) == 2
            one.process.kill()
            one.process.wait()
            site.release.set()
            assert_all_there_once(other, at, site)


def holders(database: str) -> int:
    engine = sa.create_engine(database)
    query = sa.select(job_pages.c.taken_by).where(job_pages.c.state == "taken").distinct()
    with engine.connect() as connection:
        found = len(connection.execute(query).all())
    engine.dispose()
    return found
