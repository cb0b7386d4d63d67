"""The proxy as ``pagefold proxy`` serves it, in this process, before a provider of ours."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2
import pytest

from api.proxy.serving import create_proxy_app
from api.serve import server_of
from api.settings import ApiSettings
from tests.proxy.provider import Provider, provider

BUDGET = 18_000


@dataclass(frozen=True, slots=True)
class Running:
    """``url`` is the proxy's; the provider answers under the names ``anthropic`` and ``openai``."""

    url: str
    provider: Provider
    app: Any

    @property
    def anthropic(self) -> str:
        return f"{self.url}/proxy/anthropic"

    @property
    def openai(self) -> str:
        return f"{self.url}/proxy/openai/v1"

    def post(self, path: str, body: Any, **headers: str) -> httpx2.Response:
        headers = {"x-api-key": "sk-client", **headers}
        url = f"{self.url}/proxy{path}"
        return httpx2.post(url, json=body, headers=headers, timeout=20, trust_env=False)


@contextmanager
def served(folder: Path, made: Provider, **settings: Any) -> Iterator[Running]:
    chosen = ApiSettings(
        **{
            "data_dir": folder,
            "port": 0,
            "proxy_upstreams": (f"anthropic={made.url}", f"openai={made.url}"),
            "proxy_budget_chars": BUDGET,
            **settings,
        }
    )
    app = create_proxy_app(chosen)
    server = server_of(app, chosen)
    thread = threading.Thread(target=server.run)
    thread.start()
    try:
        end = time.monotonic() + 20
        while not server.started:
            assert time.monotonic() < end
            time.sleep(0.01)
        port = server.servers[0].sockets[0].getsockname()[1]
        yield Running(f"http://127.0.0.1:{port}", made, app)
    finally:
        server.should_exit = True
        thread.join()


@pytest.fixture(scope="session")
def _shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    with provider() as made, served(tmp_path_factory.mktemp("proxy"), made) as running:
        yield running


@pytest.fixture
def running(_shared: Running) -> Running:
    """A proxy that all tests share, before a provider that knows of no other test."""
    made = _shared.provider
    fresh = Provider(made.url)
    for name in ("script", "asked", "sent", "findings", "costs", "checks", "gone", "resume"):
        setattr(made, name, getattr(fresh, name))
    return _shared


@pytest.fixture
def serve(tmp_path: Path) -> Iterator[Callable[..., Running]]:
    """Starts a proxy with settings of its own, before a provider of its own."""
    with ExitStack() as stack:

        def start(**settings: Any) -> Running:
            made = stack.enter_context(provider())
            return stack.enter_context(served(tmp_path, made, **settings))

        yield start
