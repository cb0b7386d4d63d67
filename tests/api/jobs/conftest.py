"""A running service with a site beside it, and jobs that do not wait without need."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from fastapi import FastAPI
from starlette.testclient import TestClient

from api.app import create_app
from api.settings import ApiSettings
from tests.api.jobs.site import PATIENCE_S, Site, running_site

SECRET = "whsec_" + "bG93IHdhdGVyIGlzIGF0IGZvdXIgaW4gdGhlIGFmdGVybm9vbg=="


@dataclass(frozen=True, slots=True)
class Service:
    """The service; ``site`` is on loopback and let through the egress policy."""

    client: TestClient
    app: FastAPI
    site: Site
    settings: ApiSettings

    def start(self, *pages: Any, headers: dict[str, str] | None = None, **more: Any) -> str:
        """Where the new job is. Paths stand for pages of the site, read without a browser."""
        body = {
            "pages": [
                self.site.url + p if isinstance(p, str) and p[:1] == "/" else p for p in pages
            ],
            "options": {"render": "static", "format": ["text"]},
            **more,
        }
        answer = self.client.post("/v1/jobs", json=body, headers=headers)
        assert answer.status_code == 201, answer.text
        return str(answer.headers["location"])

    def job(self, at: str) -> dict[str, Any]:
        answer = self.client.get(at)
        assert answer.status_code == 200, answer.text
        found: dict[str, Any] = answer.json()
        return found

    def ended(self, at: str) -> dict[str, Any]:
        """The job, once it has ended."""
        end = time.monotonic() + PATIENCE_S
        while (job := self.job(at))["state"] in ("queued", "running"):
            assert time.monotonic() < end, job
            time.sleep(0.02)
        return job

    def results(self, at: str, **params: Any) -> list[dict[str, Any]]:
        """All results, piece by piece."""
        found: list[dict[str, Any]] = []
        while True:
            answer = self.client.get(f"{at}/results", params=params)
            assert answer.status_code == 200, answer.text
            body = answer.json()
            found += body["results"]
            if body["complete"]:
                return found
            assert body["results"], body
            params = {**params, "cursor": body["next"]}


def settings_for(folder: Path, site: Site, **more: Any) -> ApiSettings:
    given = {
        "data_dir": folder,
        "concurrency": 4,
        "allow_hosts": (f"127.0.0.1:{site.server_port}",),
        "job_host_interval_s": 0,
        "job_host_concurrency": 4,
        "job_backoff_s": 0.05,
        "job_poll_s": 0.05,
        "job_results_bytes": 100_000,
        "webhook_backoff_s": 0.01,
        **more,
    }
    return ApiSettings(**given)


@pytest.fixture(scope="session")
def site() -> Iterator[Site]:
    with running_site() as running:
        yield running


@pytest.fixture(scope="session")
def service(site: Site, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    settings = settings_for(tmp_path_factory.mktemp("jobs"), site)
    app = create_app(settings)
    with TestClient(app, base_url="http://127.0.0.1:8000") as client:
        yield Service(client, app, site, settings)
