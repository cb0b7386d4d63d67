"""Spans hold templates and codes: nothing that a caller sent, and no text of an exception."""

from __future__ import annotations

import pytest
from fastapi import FastAPI
from starlette.testclient import TestClient

from api.errors import install
from api.metrics import Metrics
from api.middleware import Boundary
from api.tracing import Tracing
from api.watched import Watched

sdk = pytest.importorskip("opentelemetry.sdk.trace")
export = pytest.importorskip("opentelemetry.sdk.trace.export")
memory = pytest.importorskip("opentelemetry.sdk.trace.export.in_memory_span_exporter")


def test_spans_and_metrics_hold_no_secret_whatever_happens() -> None:
    provider, exporter, metrics = sdk.TracerProvider(), memory.InMemorySpanExporter(), Metrics()
    provider.add_span_processor(export.SimpleSpanProcessor(exporter))
    app = FastAPI()
    install(app)

    @app.get("/broken/{name}")
    async def broken(name: str) -> str:
        raise RuntimeError(f"canary of an exception {name}")

    @app.get("/fine/{name}")
    async def fine(name: str) -> str:
        return name

    app.add_middleware(Watched, metrics=metrics, tracing=Tracing(provider))
    app.add_middleware(Boundary)
    client = TestClient(app)
    headers = {
        "Authorization": "Bearer canary", "X-API-Key": "canary", "Cookie": "a=canary",
        "User-Agent": "canary", "X-Request-Id": "canary", "tracestate": "canary=canary",
    }  # fmt: skip
    for path in ("/broken/canary", "/fine/canary", "/fine/canary?q=canary", "/canary"):
        for method in ("GET", "POST", "CANARY"):
            client.request(method, path, headers=headers, content=b"canary")
    spans = exporter.get_finished_spans()
    assert {span.name for span in spans} >= {"GET /broken/{name}", "GET /fine/{name}", "GET other"}
    # ``tracestate`` is what the caller's own tracing hands on; it belongs to no span of ours.
    written = "".join(
        f"{span.name}{span.attributes}{span.events}{span.status.description}" for span in spans
    )
    assert "canary" not in written.lower()
    assert b"canary" not in metrics.text().lower()
    provider.shutdown()
