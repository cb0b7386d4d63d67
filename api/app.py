"""The HTTP application: one extractor for its whole life, and the routes."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from fastapi import FastAPI, Request
from fastapi.openapi.utils import get_openapi
from starlette.responses import Response

from api import health, pages, read, sessions, snapshots
from api.disconnect import ClientGone
from api.errors import Problem, install, problem
from api.gate import Gate
from api.hosts import HostCheck, own_hosts, watched_paths
from api.key_ring import KeyRing
from api.key_store import KeyStore
from api.logs import guard_logs
from api.middleware import BodyLimit, Boundary
from api.page_schema import page_example, page_schema
from api.quota import Quota
from api.session_parts import session_deps
from api.settings import ApiSettings
from extractor.extract import Extractor

_DESCRIPTION = (
    "Web pages as bounded, well-formed documents, with a map of what was left out and a way to get "
    "it back. Every failure is `application/problem+json` with a stable `code`."
)


def create_app(settings: ApiSettings | None = None) -> FastAPI:
    """The application; the extractor starts and stops with its lifespan.

    Raises:
        pydantic.ValidationError: ``settings`` is left out and the environment holds wrong values.
    """
    chosen = settings or ApiSettings()
    guard_logs()

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        async with Extractor(chosen) as extractor:
            app.state.extractor = extractor
            app.state.readiness = health.Readiness(extractor, chosen.ready_ttl_s)
            try:
                yield
            finally:
                deps.store.close()

    app = FastAPI(
        title="Pagefold",
        version=health.package_version(),
        description=_DESCRIPTION,
        lifespan=lifespan,
        # Their pages load scripts from other hosts.
        docs_url=None,
        redoc_url=None,
    )
    app.state.settings = chosen
    deps = session_deps(app, chosen)
    ring = KeyRing(KeyStore(deps.store.engine).all, chosen.key_ttl_s)
    app.state.key_ring = ring
    quota = Quota(chosen.key_requests_per_minute, chosen.key_concurrency)
    for router in (read.router, pages.router, snapshots.router, health.router):
        app.include_router(router)
    app.include_router(sessions.router(deps))
    install(app)
    app.add_exception_handler(ClientGone, _client_gone)
    # The last one added is the outermost.
    app.add_middleware(BodyLimit, max_body_bytes=chosen.max_body_bytes)
    app.add_middleware(
        Gate,
        ring=ring,
        quota=quota,
        always=chosen.asks_for_keys,
        anyone=chosen.allow_unauthenticated,
    )
    app.add_middleware(HostCheck, hosts=own_hosts(chosen), exempt=watched_paths(chosen))
    app.add_middleware(Boundary)
    _complete_openapi(app)
    return app


async def _client_gone(_: Request, error: Exception) -> Response:
    return problem("client_closed", "The client went away; the work was cancelled.")


def _complete_openapi(app: FastAPI) -> None:
    """Put page and problem document among the schemas and drop FastAPI's own validation error."""

    def build() -> dict[str, Any]:
        if app.openapi_schema is None:
            schema = get_openapi(
                title=app.title, version=app.version, description=app.description, routes=app.routes
            )
            schemas = schema.setdefault("components", {}).setdefault("schemas", {})
            schemas["Problem"] = Problem.model_json_schema()
            schemas.update(page_schema())
            answer = schema["paths"]["/v1/pages"]["post"]["responses"]["200"]
            # Put in here because FastAPI drops nulls, and a page has all its fields.
            answer["content"]["application/json"]["example"] = page_example()
            for name in ("HTTPValidationError", "ValidationError"):
                schemas.pop(name, None)
            app.openapi_schema = schema
        return app.openapi_schema

    app.openapi = build  # type: ignore[method-assign]  # FastAPI's documented way to extend it
