"""``/healthz``, ``/readyz``, ``/version``: for machines that watch the service."""

from __future__ import annotations

import asyncio
import time
from importlib.metadata import PackageNotFoundError, version
from typing import cast

from fastapi import APIRouter, Request
from starlette.responses import JSONResponse, Response

from api.errors import problem, problem_responses
from extractor.errors import Busy, ExtractorError
from extractor.extract import Extractor
from extractor.snapshot import SNAPSHOT_VERSION

router = APIRouter(tags=["operations"])

_PROBE_TIMEOUT_S = 10


class Readiness:
    """Whether a page can be read right now; one answer is reused for ``ttl_s`` seconds."""

    def __init__(self, extractor: Extractor, ttl_s: float) -> None:
        self._extractor = extractor
        self._ttl_s = ttl_s
        self._checked_at = -float("inf")
        self._failure: ExtractorError | None = None
        self._lock = asyncio.Lock()

    async def failure(self) -> ExtractorError | None:
        """What keeps the service from reading pages, or ``None``."""
        async with self._lock:
            if time.monotonic() - self._checked_at >= self._ttl_s:
                self._failure = await self._probe()
                self._checked_at = time.monotonic()
            return self._failure

    async def _probe(self) -> ExtractorError | None:
        deadline = asyncio.get_running_loop().time() + _PROBE_TIMEOUT_S
        try:
            async with self._extractor.pool.lease("ready", {}, deadline=deadline, probe=True):
                return None
        except Busy:
            return None  # all places taken is a service at work
        except ExtractorError as error:
            return error


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


@router.get("/readyz", summary="Can pages be read?", responses=problem_responses("unhealthy"))
async def readyz(request: Request) -> Response:
    """Opens a browser context and remembers the outcome for a few seconds."""
    failure = await cast(Readiness, request.app.state.readiness).failure()
    if failure is None:
        return JSONResponse({"status": "ready"})
    return problem("unhealthy", f"{failure.code}: {failure.message}", retryable=True)


@router.get("/version", summary="Which version is this?")
async def show_version() -> dict[str, str | int]:
    """Version of the package and of the snapshots that it writes."""
    return {"version": package_version(), "api": "v1", "snapshot": SNAPSHOT_VERSION}
