"""Orders from standard input, answers to standard output; nothing here needs more than Python."""

from __future__ import annotations

import asyncio
import json
import sys
import time
from collections.abc import Awaitable, Callable
from typing import Any

#: Names are not looked up: what a page wants from other hosts it does not get, at once.
NO_NAMES = "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"

Fetch = Callable[[str, str], Awaitable[str]]


async def serve(fetch: Fetch) -> None:
    """Say that all is ready, then fetch batches until the input ends."""
    print("{}", flush=True)
    loop = asyncio.get_running_loop()
    while line := await loop.run_in_executor(None, sys.stdin.readline):
        print(json.dumps(await _batch(fetch, json.loads(line))), flush=True)


async def _batch(fetch: Fetch, order: dict[str, Any]) -> dict[str, Any]:
    gate, errors = asyncio.Semaphore(order["concurrency"]), list[str]()

    async def one(url: str) -> str:
        async with gate:
            try:
                return await fetch(url, order["mode"])
            except Exception as error:  # whatever a fetcher raises, the batch goes on and says it
                errors.append(f"{url}: {type(error).__name__}: {error}"[:300])
                return ""

    started = time.perf_counter()
    texts = await asyncio.gather(*map(one, order["urls"]))
    return {
        "wall_s": time.perf_counter() - started,
        "chars": [len(text) for text in texts],
        "found": [order["needle"] in text for text in texts],
        "errors": errors,
    }
