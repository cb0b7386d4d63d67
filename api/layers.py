"""What stands between the network and an application, the same for every one that we serve."""

from __future__ import annotations

from fastapi import FastAPI

from api.body_clock import BodyClock
from api.disconnect import Leaving
from api.drain import Drain, Draining
from api.gate import Gate
from api.hosts import HostCheck, own_hosts, watched_paths
from api.key_ring import KeyRing
from api.metrics import Metrics
from api.middleware import BodyLimit, Boundary
from api.quota import Quota
from api.settings import ApiSettings
from api.tracing import Tracing
from api.watched import Watched


def add_layers(
    app: FastAPI,
    settings: ApiSettings,
    *,
    ring: KeyRing,
    metrics: Metrics,
    tracing: Tracing | None = None,
) -> Drain:
    """Put all of them around the application; what counts and ends its requests."""
    drain = Drain(settings.shutdown_grace_s, settings.drain_notice_s, most=settings.max_running)
    quota = Quota(settings.key_requests_per_minute, settings.key_concurrency)
    app.state.drain = drain
    # The last one added is the outermost.
    app.add_middleware(
        BodyLimit,
        max_body_bytes=settings.max_body_bytes,
        max_append_bytes=settings.max_append_bytes,
        large_appends=settings.large_appends,
    )
    app.add_middleware(BodyClock, body_timeout_s=settings.body_timeout_s)
    app.add_middleware(Leaving)
    app.add_middleware(Draining, drain=drain)
    app.add_middleware(
        Gate,
        ring=ring,
        quota=quota,
        always=settings.asks_for_keys,
        anyone=settings.allow_unauthenticated,
    )
    app.add_middleware(HostCheck, hosts=own_hosts(settings), exempt=watched_paths(settings))
    app.add_middleware(Watched, metrics=metrics, tracing=tracing)
    app.add_middleware(Boundary)
    return drain
