"""Whether a page can be read right now: browser, stores and egress, each tried and not just looked at."""

from __future__ import annotations

import asyncio
import tempfile
import time
from collections.abc import Awaitable, Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

import structlog

from api.session_pool import SessionDeps
from compactor.errors import NotFound
from extractor.errors import Busy, ExtractorError
from extractor.extract import Extractor

#: Failures in a row that make the service not ready: one may be a hiccup.
FAILURES_BEFORE_RED = 2
_PROBE_BYTES = 65_536
_THREADS = ThreadPoolExecutor(4, thread_name_prefix="readiness")
_NO_SESSION, _NO_REF = "0" * 32, "a:" + "0" * 64

_log = structlog.get_logger("pagefold.health")

Check = Callable[[], Awaitable[None]]


@dataclass(slots=True)
class Health:
    """How one check went lately; ``why`` is empty when it last passed."""

    failures: int = 0
    why: str = ""
    running: asyncio.Task[None] | None = field(default=None, repr=False)


class Readiness:
    """The outcome of all checks; one answer is reused for ``ttl_s`` seconds.

    A check that hangs fails after ``timeout_s`` and is not started again before it has ended.
    """

    def __init__(self, checks: Mapping[str, Check], *, ttl_s: float, timeout_s: float) -> None:
        self._checks, self._ttl_s, self._timeout_s = checks, ttl_s, timeout_s
        self._health = {name: Health() for name in checks}
        self._checked_at = -float("inf")
        self._lock = asyncio.Lock()

    async def failures(self) -> dict[str, str]:
        """Checks that failed twice in a row, with the reason; empty when all is well."""
        async with self._lock:
            if time.monotonic() - self._checked_at >= self._ttl_s:
                await asyncio.gather(*map(self._check, self._checks))
                self._checked_at = time.monotonic()
        return {
            name: health.why
            for name, health in self._health.items()
            if health.failures >= FAILURES_BEFORE_RED
        }

    async def close(self) -> None:
        """End what still runs."""
        running = [health.running for health in self._health.values() if health.running]
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)

    async def _check(self, name: str) -> None:
        health = self._health[name]
        if health.running is None:
            health.running = asyncio.ensure_future(_run(self._checks[name]))
        done, _ = await asyncio.wait({health.running}, timeout=self._timeout_s)
        if not done:
            health.failures, health.why = health.failures + 1, "no answer in time"
            return
        error = health.running.exception()
        health.running = None
        if error is not None:
            _log.warning("check_failed", check=name, error=f"{type(error).__name__}: {error}")
        health.failures = 0 if error is None else health.failures + 1
        health.why = "" if error is None else _reason(error)


def checks_of(extractor: Extractor, deps: SessionDeps) -> dict[str, Check]:
    """What the service cannot do without."""

    async def browser() -> None:
        pool = extractor.pool.state
        if pool.busy >= pool.capacity:
            # A service at work is a healthy one: no request waits for a probe.
            _check(pool.healthy, pool.failure.partition(":")[0])
            return
        deadline = asyncio.get_running_loop().time() + extractor.settings.launch_timeout_s
        extractor.proxy.register(_PROBE_KEY)
        try:
            async with extractor.pool.lease(_PROBE_KEY, {}, deadline=deadline, probe=True):
                pass
        except Busy:
            pass
        finally:
            await extractor.proxy.forget(_PROBE_KEY)

    async def tabs() -> None:
        await extractor.tabs.ready()

    async def egress() -> None:
        _check(await _refuses(extractor.proxy.port), "the egress proxy does not answer")

    async def snapshots() -> None:
        await _apart(_write, extractor.settings.data_dir)

    async def sessions() -> None:
        await _apart(_expect_nothing, lambda: deps.store.header(_NO_SESSION))

    async def archive() -> None:
        await _apart(_expect_nothing, lambda: deps.archive.get(_NO_REF))

    return {
        "browser": browser,
        "tabs": tabs,
        "egress": egress,
        "snapshots": snapshots,
        "sessions": sessions,
        "archive": archive,
    }


_PROBE_KEY = "ready"


async def _run(check: Check) -> None:
    await check()


def _reason(error: BaseException) -> str:
    """For anyone who asks: no paths, hosts or addresses, those are in the log."""
    if isinstance(error, _NotWell):
        return str(error)
    if isinstance(error, ExtractorError):
        return error.code
    return f"failed with {type(error).__name__}"


class _NotWell(Exception):
    """What a check found wrong, in words for the caller."""


def _check(fine: bool, otherwise: str) -> None:
    if not fine:
        raise _NotWell(otherwise)


async def _refuses(port: int) -> bool:
    """Whether the proxy turns away a client without credentials, as it must."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    try:
        writer.write(b"GET http://readyz.invalid/ HTTP/1.1\r\nHost: readyz.invalid\r\n\r\n")
        return b" 407 " in await reader.readline()
    finally:
        writer.close()


def _write(folder: Path) -> None:
    """Raises OSError where nothing can be written, also when the disk is full."""
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryFile(dir=folder) as file:
        file.write(b"\0" * _PROBE_BYTES)
        file.flush()


async def _apart(work: Callable[..., object], *arguments: object) -> None:
    """In a thread that no page and no session can keep busy."""
    await asyncio.get_running_loop().run_in_executor(_THREADS, lambda: work(*arguments))


def _expect_nothing(look_up: Callable[[], object]) -> None:
    try:
        look_up()
    except NotFound:
        return
    raise _NotWell("a store found what was never stored")
