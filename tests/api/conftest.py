"""A running application with the real extractor, and the demo site beside it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from api.app import create_app
from api.demo import DemoServer
from api.settings import ApiSettings


@pytest.fixture(scope="session")
def demo() -> Iterator[DemoServer]:
    with DemoServer(0) as site:
        yield site


@pytest.fixture(scope="session")
def settings(demo: DemoServer, tmp_path_factory: pytest.TempPathFactory) -> ApiSettings:
    data_dir: Path = tmp_path_factory.mktemp("data")
    return ApiSettings(
        data_dir=data_dir, demo_port=demo.port, concurrency=1, max_body_bytes=2_000
    ).with_demo()


@pytest.fixture(scope="session")
def client(settings: ApiSettings) -> Iterator[TestClient]:
    with TestClient(create_app(settings), base_url="http://127.0.0.1:8000") as running:
        yield running
