"""A service that asks for keys, with two tenants, and every call that it offers."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fastapi import FastAPI
from starlette.testclient import TestClient

from api.app import create_app
from api.key_store import KeyStore
from api.keys import PERMISSIONS, Permission
from api.settings import ApiSettings
from compactor.store import open_database

METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE")


@dataclass(frozen=True, slots=True)
class Service:
    """``keys`` is how each tenant's key is written."""

    app: FastAPI
    client: TestClient
    settings: ApiSettings
    keys: dict[str, str]

    def call(self, tenant: str, method: str, path: str, **more: Any) -> Any:
        headers = {"Authorization": f"Bearer {self.keys[tenant]}", **more.pop("headers", {})}
        return self.client.request(method, path, headers=headers, **more)


def make_key(
    settings: ApiSettings, tenant: str, *allow: Permission, **limits: int
) -> tuple[str, KeyStore]:
    """A written key, made as the command makes it."""
    settings.data_dir.mkdir(parents=True, exist_ok=True)
    engine = open_database(settings.rows_url)
    store = KeyStore(engine)
    return store.create(tenant, allow or PERMISSIONS, **limits)[1], store


@contextmanager
def keyed_service(folder: Path, *tenants: str, **settings: Any) -> Iterator[Service]:
    chosen = ApiSettings(
        **{"data_dir": folder, "concurrency": 1, "key_requests_per_minute": 10_000, **settings}
    )
    keys = {tenant: make_key(chosen, tenant)[0] for tenant in tenants}
    app = create_app(chosen)
    with TestClient(app, base_url="http://127.0.0.1:8000") as client:
        yield Service(app, client, chosen, keys)


def calls(app: FastAPI) -> list[tuple[str, str]]:
    """(method, path template) of every call: those of OpenAPI, and those that it does not list."""
    listed = [
        (method.upper(), path) for path, ops in app.openapi()["paths"].items() for method in ops
    ]
    return sorted({*listed, *_unlisted(app.routes)})


def _unlisted(routes: Any) -> Iterator[tuple[str, str]]:
    for route in routes:
        if path := getattr(route, "path", None):
            for method in getattr(route, "methods", None) or ("GET",):
                if method in METHODS:
                    yield method, path
        original = getattr(route, "original_router", None)
        yield from _unlisted(getattr(original, "routes", ()))
