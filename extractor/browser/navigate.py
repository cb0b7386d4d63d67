"""Open an address in a page, and say in our own words what went wrong."""

from __future__ import annotations

import asyncio
import re
from typing import Literal, Protocol
from urllib.parse import urlsplit

from playwright.async_api import Error, Page
from playwright.async_api import TimeoutError as PlaywrightTimeout

from extractor.browser.document import PageStopped
from extractor.browser.watch import Watch
from extractor.egress.record import EgressRecord
from extractor.errors import (
    BlockedAddress,
    BrowserCrashed,
    ConnectError,
    DnsError,
    DownloadError,
    EmptyPage,
    ExtractorError,
    HttpProtocolError,
    InvalidUrl,
    PageCrashed,
    TlsError,
    TooManyRedirects,
)

Until = Literal["load", "domcontentloaded"]

_NET = re.compile(r"net::(ERR_[A-Z0-9_]+)")


class Egress(Protocol):
    """The part of the proxy that a capture needs."""

    def record(self, key: str) -> EgressRecord:
        """What was refused or failed on behalf of ``key``."""
        ...

    async def cut(self, key: str) -> None:
        """End the connections that ``key`` has open."""
        ...


async def navigate(page: Page, watch: Watch, url: str, until: Until, give_up: float) -> bool:
    """Open ``url`` and wait for ``until``, at most to ``give_up`` (event loop's time).

    Returns whether it got there; what has arrived by then can be read all the same.

    Raises:
        ExtractorError: nothing arrived, with the cause (see ``failure_of`` for network errors).
    """
    left_ms = max(1.0, (give_up - asyncio.get_running_loop().time()) * 1000)
    try:
        await watch.guard(page.goto(url, wait_until=until, timeout=left_ms), stoppable=True)
    except (PlaywrightTimeout, PageStopped):
        return False
    except Error as error:
        # A script that moves on at once aborts the first navigation: the next one is the page.
        if "interrupted by another navigation" in str(error) or (
            "ERR_ABORTED" in str(error) and (watch.navigations or watch.cut)
        ):
            return await _follow(page, watch, until, give_up)
        raise
    return True


async def _follow(page: Page, watch: Watch, until: Until, give_up: float) -> bool:
    left_ms = max(1.0, (give_up - asyncio.get_running_loop().time()) * 1000)
    if watch.cut:
        return False
    try:
        await watch.guard(page.wait_for_load_state(until, timeout=left_ms), stoppable=True)
    except (PlaywrightTimeout, PageStopped):
        return False
    return True


def refusal_of(code: str, watch: Watch, record: EgressRecord) -> ExtractorError:
    """Why the proxy did not let the page's own address through."""
    host = urlsplit(watch.document.url).hostname or ""
    seen = record.error_for(host)
    return seen or ConnectError("the server could not be reached", detail=f"{host}: {code}")


def failure_of(error: Error, watch: Watch, record: EgressRecord) -> ExtractorError:
    """A browser error as one of ours; what the proxy saw tells the causes apart."""
    text = str(error)
    found = _NET.search(text) or _NET.search(watch.document.failure)
    name = found.group(1) if found else ""
    host = urlsplit(watch.document.url).hostname or ""
    if (
        name.startswith("ERR_TUNNEL")
        or name.startswith("ERR_PROXY")
        or name == "ERR_EMPTY_RESPONSE"
    ):
        seen = record.error_for(host)
        if seen is not None:
            return seen
    if "Download is starting" in text:
        return DownloadError("the server offers this address as a download")
    if "crashed" in text.lower():
        return PageCrashed("the page crashed", detail=text)
    if "has been closed" in text or "Target closed" in text or "Connection closed" in text:
        return BrowserCrashed("the browser went away", detail=text)
    return _by_name(name, text, watch.document.status)


def _by_name(name: str, text: str, status: int) -> ExtractorError:
    if name == "ERR_NAME_NOT_RESOLVED":
        return DnsError("the host name could not be resolved", detail=text)
    if name.startswith(("ERR_CERT", "ERR_SSL", "ERR_BAD_SSL")):
        return TlsError("the server's certificate or TLS is not acceptable", detail=text)
    if name == "ERR_TOO_MANY_REDIRECTS":
        return TooManyRedirects("the server redirects in circles", detail=text)
    if name in ("ERR_UNSAFE_PORT", "ERR_UNSAFE_REDIRECT", "ERR_BLOCKED_BY_CLIENT"):
        return BlockedAddress("the address may not be opened", detail=text)
    if name == "ERR_INVALID_URL" or "invalid URL" in text:
        return InvalidUrl("not an address that can be opened", detail=text, field="url")
    if name == "ERR_ABORTED" and status in (204, 205):
        return EmptyPage(f"the server answered {status} without a document")
    if name == "ERR_ABORTED" and not status:
        return HttpProtocolError("the server leads to no usable http(s) address", detail=text)
    if name == "ERR_ABORTED":
        return DownloadError("the server offers this address as a download", detail=text)
    if name.startswith(("ERR_HTTP2", "ERR_INVALID_", "ERR_RESPONSE_", "ERR_CONTENT_", "ERR_EMPTY")):
        return HttpProtocolError("the server did not answer in HTTP", detail=text)
    return ConnectError("the server could not be reached", detail=text)
