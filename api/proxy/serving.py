"""The proxy alone: no browser, no pages, no sessions of others."""

from __future__ import annotations

import logging
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from types import FrameType
from typing import NoReturn

from fastapi import FastAPI

from api.errors import install
from api.key_ring import KeyRing
from api.key_store import KeyStore
from api.layers import add_layers
from api.logs import configure_logs, guard_logs
from api.metrics import Metrics
from api.proxy.app import Proxy
from api.proxy.hooks import Hooks
from api.serve import server_of
from api.session_parts import fold_html
from api.settings import ApiSettings
from compactor.store import open_database


def create_proxy_app(settings: ApiSettings) -> FastAPI:
    """The application of ``pagefold proxy``: ``/proxy/NAME/…`` and ``/healthz``.

    Raises:
        OSError: ``data_dir`` cannot be written.
        SQLAlchemyError: the database of the keys cannot be opened.
    """
    guard_logs()
    settings.make_data_dir()
    engine = open_database(settings.rows_url)
    metrics = Metrics()
    hooks = Hooks(
        fold_html=fold_html,
        note_report=metrics.compaction,
        note_forgotten=metrics.forgotten,
    )
    proxy = Proxy(settings, hooks)

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        try:
            yield
        finally:
            await proxy.close()
            engine.dispose()

    app = FastAPI(title="Pagefold", lifespan=lifespan, openapi_url=None)
    app.state.settings, app.state.metrics = settings, metrics

    @app.get("/healthz")
    async def healthz() -> dict[str, str]:
        return {"status": "ok"}

    app.mount("/proxy", proxy)
    install(app)
    ring = KeyRing(KeyStore(engine).all, settings.key_ttl_s)
    app.state.key_ring = ring
    add_layers(app, settings, ring=ring, metrics=app.state.metrics)
    return app


def serve_proxy(settings: ApiSettings) -> None:
    """Serve until SIGINT or SIGTERM; running requests get ``shutdown_grace_s`` to end.

    Raises:
        SystemExit: the port is taken, or a signal ended it (code 0).
    """
    configure_logs(settings.log_format, texts=settings.log_texts)
    # Each request has a line of ours.
    logging.getLogger("uvicorn.access").disabled = True
    signal.signal(signal.SIGTERM, _stopped)
    signal.signal(signal.SIGINT, _stopped)
    server_of(create_proxy_app(settings), settings).run()


def greeting(settings: ApiSettings) -> str:
    """What the terminal says at start: the base URL for each provider."""
    base = f"http://{settings.host}:{settings.port}/proxy"
    lines = ["Pagefold compacts what agents send through"]
    lines += [
        f"  {base}/{name}  →  {each.origin}{each.path}" for name, each in settings.upstreams.items()
    ]
    if settings.asks_for_keys:
        lines.append("Calls need a key in X-Pagefold-Key: pagefold keys create TENANT")
    return "\n".join(lines)


def _stopped(number: int, frame: FrameType | None) -> NoReturn:
    raise SystemExit(0)
