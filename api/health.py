"""``/healthz``, ``/readyz``, ``/metrics``, ``/version``: for machines that watch the service."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version
from typing import cast

import structlog
from fastapi import APIRouter, Request
from starlette.responses import JSONResponse, Response

from api.drain import Drain
from api.errors import problem, problem_responses
from api.metrics import MEDIA_TYPE
from api.readiness import Readiness
from api.state import MetricsOf
from extractor.snapshot import SNAPSHOT_VERSION

router = APIRouter(tags=["operations"])
_log = structlog.get_logger("pagefold.health")


def package_version() -> str:
    """The installed version, or ``0.0.0`` when it runs from a bare checkout."""
    try:
        return version("pagefold")
    except PackageNotFoundError:
        return "0.0.0"


@router.get("/healthz", summary="Is the process alive?")
async def healthz() -> dict[str, str]:
    """Answers as long as the event loop turns."""
    return {"status": "ok"}


@router.get(
    "/readyz", summary="Can pages be read?", responses=problem_responses("draining", "unhealthy")
)
async def readyz(request: Request) -> Response:
    """Tries browser, stores and egress, and remembers the outcome for a few seconds."""
    if cast(Drain, request.app.state.drain).draining:
        return problem("draining", "The service is stopping.", retryable=True)
    failures = await cast(Readiness, request.app.state.readiness).failures()
    if not failures:
        return JSONResponse({"status": "ready"})
    detail = "; ".join(f"{name}: {why}" for name, why in failures.items())
    _log.warning("not_ready", detail=detail)
    return problem("unhealthy", detail, retryable=True)


@router.get(
    "/metrics",
    summary="Counters for Prometheus",
    response_class=Response,
    responses={
        200: {"description": "Prometheus' text format.", "content": {"text/plain": {}}},
        **problem_responses("internal"),
    },
)
async def metrics(found: MetricsOf) -> Response:
    """Every series; the table in `docs/how-to/operate.md` says what each means."""
    return Response(found.text(), headers={"Content-Type": MEDIA_TYPE})


@router.get("/version", summary="Which version is this?")
async def show_version() -> dict[str, str | int]:
    """Version of the package and of the snapshots that it writes."""
    return {"version": package_version(), "api": "v1", "snapshot": SNAPSHOT_VERSION}
