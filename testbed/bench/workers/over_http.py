"""The service: ``POST /v1/pages`` over one kept connection to a server of this process's own."""

from __future__ import annotations

import asyncio
import os
import sys
from typing import Any

import httpx2
import orjson

from testbed.bench.workers.loop import serve

_START_S = 60


async def main() -> None:
    """Start the service, run until the input ends, stop it."""
    port = os.environ["PAGEFOLD_PORT"]
    server = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", "from api.cli import app; app()", "serve", "--no-demo"),
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.DEVNULL,
    )
    try:
        async with httpx2.AsyncClient(base_url=f"http://127.0.0.1:{port}", timeout=120) as client:
            await _ready(client)

            async def fetch(url: str, mode: str) -> str:
                answer = await client.post("/v1/pages", json={"url": url})
                answer.raise_for_status()
                page: dict[str, Any] = orjson.loads(answer.content)
                return str(page["content"]["html"])

            await serve(fetch)
    finally:
        server.terminate()
        await server.wait()


async def _ready(client: httpx2.AsyncClient) -> None:
    async with asyncio.timeout(_START_S):
        while True:
            try:
                if (await client.get("/healthz")).is_success:
                    return
            except httpx2.HTTPError:
                pass
            await asyncio.sleep(0.2)


if __name__ == "__main__":
    asyncio.run(main())
