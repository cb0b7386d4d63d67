"""Proof, before the first request, that the browser cannot get past the egress proxy."""

from __future__ import annotations

import asyncio
import contextlib

from playwright.async_api import BrowserContext, Error

from extractor.egress.record import EgressRecord
from extractor.errors import BrowserCrashed

_METADATA_HOST = "169.254.169.254"


async def prove_no_way_past(
    context: BrowserContext, record: EgressRecord, timeout_s: float
) -> None:
    """Open a loopback and a link-local address; the proxy must see and refuse both.

    A listener of our own comes first. Chromium treats both ranges alike, so unless that one was refused
    the link-local address is not even tried.

    Raises:
        BrowserCrashed: an address was reached, or the proxy was not asked.
    """
    touched = asyncio.Event()

    async def touch(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        touched.set()
        writer.close()

    canary = await asyncio.start_server(touch, "127.0.0.1", 0)
    async with canary:
        port = canary.sockets[0].getsockname()[1]
        await _refused(context, record, "127.0.0.1", f"http://127.0.0.1:{port}/", timeout_s)
        if touched.is_set():
            raise _failure("a loopback listener was reached")
        await _refused(context, record, _METADATA_HOST, f"http://{_METADATA_HOST}/", timeout_s)


async def _refused(
    context: BrowserContext, record: EgressRecord, host: str, url: str, timeout_s: float
) -> None:
    page = await context.new_page()
    status = 0
    with contextlib.suppress(Error):
        response = await page.goto(url, timeout=timeout_s * 1000)
        status = response.status if response is not None else 0
    await page.close()
    if status != 403 or host not in {blocked for blocked, _ in record.blocked}:
        raise _failure(f"{host}: status {status}, blocked {record.blocked}")


def _failure(detail: str) -> BrowserCrashed:
    return BrowserCrashed(
        "Chromium does not send all its traffic to the egress proxy, so nothing is opened with it.",
        detail=detail,
    )
