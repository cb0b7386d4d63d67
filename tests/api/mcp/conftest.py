"""One service for all tests that need no other."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from api.demo import DemoServer
from api.settings import ApiSettings
from tests.api.mcp.serving import Running, served
from tests.faults.serving import SlowSite, slow_site


@pytest.fixture(scope="package")
def slow() -> Iterator[SlowSite]:
    with slow_site() as site:
        yield site


@pytest.fixture(scope="package")
def running(
    demo: DemoServer, slow: SlowSite, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Running]:
    settings = ApiSettings(
        data_dir=tmp_path_factory.mktemp("mcp"), demo_port=demo.port, concurrency=1,
        allow_hosts=(f"127.0.0.1:{slow.server_port}",),
    ).with_demo()  # fmt: skip
    with served(settings) as service:
        yield service
