"""A span a request and a stage, with nothing in it of an address; none without the extra."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from api.app import create_app
from api.demo import DemoServer
from api.settings import ApiSettings
from api.tracing import Tracing, TracingMissing, tracing_of

sdk = pytest.importorskip(
    "opentelemetry.sdk.trace", reason="opentelemetry-sdk is missing: pip install 'pagefold[otel]'"
)
export = pytest.importorskip("opentelemetry.sdk.trace.export")
memory = pytest.importorskip("opentelemetry.sdk.trace.export.in_memory_span_exporter")

SECRETS = ("hunter2", "token-in-query", "private-path", "fragment-part")


@pytest.fixture
def spans() -> Iterator[tuple[Tracing, object]]:
    provider, exporter = sdk.TracerProvider(), memory.InMemorySpanExporter()
    provider.add_span_processor(export.SimpleSpanProcessor(exporter))
    yield Tracing(provider), exporter
    provider.shutdown()


def test_request_and_stages_are_spans_that_hang_together(
    spans: tuple[Tracing, object], demo: DemoServer, tmp_path: Path
) -> None:
    tracing, exporter = spans
    settings = ApiSettings(data_dir=tmp_path, demo_port=demo.port, concurrency=1).with_demo()
    caller = "0af7651916cd43dd8448eb211c80319c"
    with TestClient(
        create_app(settings, tracing=tracing), base_url="http://127.0.0.1:8000"
    ) as client:
        client.get(
            "/read",
            params={"url": f"{demo.url}/article?key=token-in-query#fragment-part"},
            headers={"traceparent": f"00-{caller}-b7ad6b7169203331-01"},
        )
        client.get("/read", params={"url": "https://user:hunter2@10.1.2.3/private-path"})
        finished = exporter.get_finished_spans()  # type: ignore[attr-defined]
    good, refused = (span for span in finished if span.name == "GET /read")
    stages = [
        span for span in finished if span.parent and span.parent.span_id == good.context.span_id
    ]
    assert [span.name for span in stages] == ["queue", "capture", "filter"]
    assert all(span.end_time >= span.start_time for span in stages)
    assert good.kind.name == "SERVER"
    assert format(good.context.trace_id, "032x") == caller
    assert dict(good.attributes) == {
        "http.request.method": "GET",
        "http.route": "/read",
        "http.response.status_code": 200,
    }
    assert refused.attributes["http.response.status_code"] == 422
    assert refused.attributes["error.type"] == "invalid_url"
    written = "".join(span.to_json() for span in finished)
    assert not [secret for secret in SECRETS if secret in written]
    assert "10.1.2.3" not in written


def test_nothing_is_traced_unless_asked_for() -> None:
    assert tracing_of(ApiSettings()) is None


def test_asking_without_the_extra_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "opentelemetry.exporter.otlp.proto.http.trace_exporter", None)
    with pytest.raises(TracingMissing, match=r"pip install 'pagefold\[otel\]'"):
        tracing_of(ApiSettings(traces=True))
