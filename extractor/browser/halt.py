"""End what a page does, so that what there is can be read; and look how far a page has grown."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable
from typing import Any

from playwright.async_api import CDPSession, Error, Page

from extractor.browser.blocking import pattern_of

#: What the browser process answers itself comes at once; a renderer at work may take its time.
_PATIENCE_S = 1.0
_EVERY_S = 0.5
_Orders = tuple[tuple[str, dict[str, Any]], ...]
_STAY: _Orders = (
    # The first two interrupt a script that runs; without the first a timer would start the next one.
    ("Emulation.setScriptExecutionDisabled", {"value": True}),
    ("Runtime.terminateExecution", {}),
    # A document that is asked for stays in the air: a refused one would take the page's place.
    ("Fetch.enable", {"patterns": [{"urlPattern": "*", "resourceType": "Document"}]}),
)
_STOP: _Orders = (
    ("Page.stopLoading", {}),
    ("Network.setBlockedURLs", {"urlPatterns": [pattern_of("*://*:*/*")]}),
)


async def stay(page: Page, session: CDPSession) -> None:
    """No further script or document; the one that is there may end loading, for a second at most."""
    await _sent(session, _STAY)
    with contextlib.suppress(Error):
        await page.wait_for_load_state("domcontentloaded", timeout=_PATIENCE_S * 1000)


async def halt(session: CDPSession, cut_connections: Callable[[], Awaitable[None]]) -> None:
    """No further script, request or byte; what there is stays readable.

    A script that waits for an answer (a synchronous request) is freed by cutting its connection. Returns
    after a second at the latest, whether or not the renderer has answered.
    """
    await asyncio.gather(_sent(session, (*_STAY, *_STOP)), cut_connections())


async def _sent(session: CDPSession, orders: _Orders) -> None:
    sent = [asyncio.ensure_future(session.send(name, params)) for name, params in orders]
    try:
        await asyncio.wait(sent, timeout=_PATIENCE_S)
    finally:
        for order in sent:
            order.cancel()
        await asyncio.gather(*sent, return_exceptions=True)


async def nodes_past(session: CDPSession, most: int) -> int:
    """Wait until the page holds more than ``most`` nodes; how many it has then.

    The count comes from the renderer between two steps of a script that runs, and includes what was
    removed and is not yet collected.
    """
    while True:
        await asyncio.sleep(_EVERY_S)
        try:
            answer = await session.send("Performance.getMetrics")
        except Error:
            continue  # between two documents there may be nobody to ask
        values = {metric["name"]: metric["value"] for metric in answer["metrics"]}
        if values.get("Nodes", 0) > most:
            return int(values["Nodes"])
