"""The HTTP application: one extractor for its whole life, and the routes."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi

from api import health, inspector_files, pages, read, sessions, snapshots
from api.access_schema import add_access
from api.described import add_words
from api.errors import Problem, install
from api.gauges import LiveGauges
from api.jobs import routes as job_routes
from api.jobs.docs import add_examples
from api.jobs.parts import Jobs
from api.key_ring import KeyRing
from api.key_store import KeyStore
from api.lag import LoopLag
from api.layers import add_layers
from api.logs import guard_logs
from api.mcp import McpEndpoint
from api.metrics import Metrics
from api.page_schema import page_schema
from api.proxy.app import Proxy
from api.proxy.hooks import Hooks
from api.readiness import Readiness, checks_of
from api.session_parts import archive_at, session_deps
from api.settings import ApiSettings
from api.sweeping import keep_sweeping
from api.tabs import routes as tab_routes
from api.tabs.shapes import add_descriptions
from api.tracing import Tracing, tracing_of
from extractor.errors import ExtractorError
from extractor.extract import Extractor

_DESCRIPTION = (
    "Web pages as bounded, well-formed documents, with a map of what was left out and a way to get "
    "it back. Every failure is `application/problem+json` with a stable `code`."
)


def create_app(settings: ApiSettings | None = None, *, tracing: Tracing | None = None) -> FastAPI:
    """The application; the extractor starts and stops with its lifespan.

    Spans go where the settings say, or to ``tracing``.

    Raises:
        TracingMissing: spans are asked for, and OpenTelemetry is not installed.
        pydantic.ValidationError: ``settings`` is left out and the environment holds wrong values.
    """
    chosen = settings or ApiSettings()
    spans = tracing or tracing_of(chosen)
    guard_logs()

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        async with AsyncExitStack() as stack:
            try:
                extractor = await stack.enter_async_context(Extractor(chosen))
            except ExtractorError as error:
                # Whoever runs the server says so in a sentence; here it can only be raised.
                app.state.start_error = error
                raise
            app.state.extractor = extractor
            app.state.readiness = Readiness(
                checks_of(extractor, deps),
                ttl_s=chosen.ready_ttl_s,
                timeout_s=chosen.ready_timeout_s,
            )
            lag = LoopLag()
            gauges = LiveGauges(
                extractor,
                lag,
                requests=lambda: drain.running,
                job_pages=lambda: jobs.pages_running,
                open_pages=lambda: jobs.pages_open,
            )
            metrics.registry.register(gauges)
            watching = asyncio.create_task(lag.watch())
            sweeping = asyncio.create_task(
                keep_sweeping(deps, ttl_s=chosen.session_ttl_s, interval_s=chosen.sweep_interval_s)
            )
            try:
                async with jobs.running(extractor), mcp.running():
                    yield
            finally:
                watching.cancel()
                sweeping.cancel()
                metrics.registry.unregister(gauges)
                await app.state.readiness.close()
                await proxy.close()
                deps.store.close()
                if spans is not None:
                    await asyncio.to_thread(spans.close)

    app = FastAPI(
        title="Pagefold",
        version=health.package_version(),
        description=_DESCRIPTION,
        lifespan=lifespan,
        # Their pages load scripts from other hosts.
        docs_url=None,
        redoc_url=None,
    )
    metrics = Metrics()
    app.state.settings, app.state.metrics = chosen, metrics
    deps = session_deps(app, chosen)
    ring = KeyRing(KeyStore(deps.store.engine).all, chosen.key_ttl_s)
    app.state.key_ring = ring
    drain = add_layers(app, chosen, ring=ring, metrics=metrics, tracing=spans)
    jobs = app.state.jobs = Jobs(chosen, deps.store.engine, metrics, drain)
    for router in (read.router, pages.router, snapshots.router, health.router):
        app.include_router(router)
    app.include_router(inspector_files.router())
    app.include_router(job_routes.router(jobs))
    app.include_router(sessions.router(deps))
    app.include_router(tab_routes.router(lambda tenant: archive_at(chosen, tenant)))
    hooks = Hooks(
        fold_html=deps.fold_html,
        note_report=metrics.compaction,
        note_forgotten=metrics.forgotten,
    )
    proxy = Proxy(chosen, hooks)
    app.mount("/proxy", proxy)
    mcp = McpEndpoint(app, chosen)
    app.router.routes.append(mcp.route)
    install(app)
    _complete_openapi(app)
    return app


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
            add_descriptions(schemas)
            for name in ("HTTPValidationError", "ValidationError"):
                schemas.pop(name, None)
            add_examples(schema)
            add_words(schema)
            add_access(schema)
            app.openapi_schema = schema
        return app.openapi_schema

    app.openapi = build  # type: ignore[method-assign]  # FastAPI's documented way to extend it
