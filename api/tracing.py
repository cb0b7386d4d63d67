"""Spans for OpenTelemetry, where it is installed and asked for. None holds an address or words of a page."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

from starlette.types import Scope

from api.settings import ApiSettings
from extractor.stages import Stage

if TYPE_CHECKING:
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.trace import Span, Tracer

_SCOPE_NAME = "pagefold"
_MISSING_TEXT = "PAGEFOLD_TRACES needs OpenTelemetry: pip install 'pagefold[otel]'"
#: Of the request that runs, so that stages find the spans that they belong to.
_tracer: ContextVar[Tracer | None] = ContextVar("tracer", default=None)


class TracingMissing(Exception):
    """Spans are asked for, and OpenTelemetry is not installed."""


class Tracing:
    """Makes a span for each request; ``provider`` decides what becomes of them."""

    def __init__(self, provider: TracerProvider) -> None:
        self._provider = provider
        self._tracer = provider.get_tracer(_SCOPE_NAME)

    @contextmanager
    def request(self, scope: Scope) -> Iterator[RequestSpan]:
        """A span for a request, below the caller's own when it sent a ``traceparent``."""
        from opentelemetry.trace import SpanKind
        from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

        sent = {
            name.decode("latin-1"): value.decode("latin-1")
            for name, value in scope["headers"]
            if name in (b"traceparent", b"tracestate")
        }
        parent = TraceContextTextMapPropagator().extract(sent)
        token = _tracer.set(self._tracer)
        try:
            # What an exception says would stand in the span, as an event or as its status.
            with self._tracer.start_as_current_span(
                "request",
                context=parent,
                kind=SpanKind.SERVER,
                record_exception=False,
                set_status_on_exception=False,
            ) as span:
                yield RequestSpan(span)
        finally:
            _tracer.reset(token)

    def close(self) -> None:
        """Hand on what has not been sent yet."""
        self._provider.shutdown()


class RequestSpan:
    """The span of one request, named when its route is known."""

    def __init__(self, span: Span) -> None:
        self._span = span

    def answered(self, method: str, route: str, status: int, code: str) -> None:
        """``route`` is a template, ``code`` that of a problem or empty."""
        from opentelemetry.trace import StatusCode

        self._span.update_name(f"{method} {route}")
        attributes: dict[str, Any] = {
            "http.request.method": method,
            "http.route": route,
            "http.response.status_code": status,
        }
        if code:
            attributes["error.type"] = code
        self._span.set_attributes(attributes)
        if status >= 500:
            self._span.set_status(StatusCode.ERROR)


def began(stage: Stage) -> Callable[[], None]:
    """A span for a stage of the request that runs; call what is returned when the stage ends."""
    tracer = _tracer.get()
    if tracer is None:
        return _nothing
    return tracer.start_span(stage).end


def tracing_of(settings: ApiSettings) -> Tracing | None:
    """What sends spans by OTLP, or ``None`` when they are not asked for.

    Raises:
        TracingMissing: they are, and OpenTelemetry is not installed.
    """
    if not settings.traces:
        return None
    try:
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
        from opentelemetry.sdk.resources import Resource
        from opentelemetry.sdk.trace import TracerProvider
        from opentelemetry.sdk.trace.export import BatchSpanProcessor
    except ImportError as error:
        raise TracingMissing(_MISSING_TEXT) from error
    # Variables of OpenTelemetry go before this name.
    provider = TracerProvider(resource=Resource.create({"service.name": _SCOPE_NAME}))
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    return Tracing(provider)


def _nothing() -> None:
    return None
