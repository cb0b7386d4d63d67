"""The caller's headers: they go to the origin that was asked for, and to no other."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from playwright.async_api import CDPSession, Error

from extractor.browser.watch import Watch


async def send_headers(
    session: CDPSession, watch: Watch, origin: str, headers: Mapping[str, str]
) -> None:
    """Pause each request to ``origin`` and amend it; no request of another origin is touched."""
    if not headers:
        return
    lowered = {name.lower() for name in headers}

    def amended(event: dict[str, Any]) -> list[dict[str, str]]:
        own = dict(event["request"]["headers"])
        if str(event["request"]["url"]).lower().startswith(f"{origin}/"):
            own = {name: text for name, text in own.items() if name.lower() not in lowered}
            own |= headers
        return [{"name": name, "value": text} for name, text in own.items()]

    async def go_on(event: dict[str, Any]) -> None:
        if watch.halted:
            return
        request = {"requestId": event["requestId"]}
        try:
            await session.send("Fetch.continueRequest", {**request, "headers": amended(event)})
        except Error:
            # A paused request that no one continues would hold the page up to its deadline.
            await session.send("Fetch.continueRequest", request)

    session.on("Fetch.requestPaused", lambda event: watch.spawn(go_on(event)))
    await session.send("Fetch.enable", {"patterns": [{"urlPattern": f"{origin}/*"}]})
