"""The caller's cookies: they go to the host and port that was asked for.

A browser's cookies know no ports (RFC 6265, 8.5), so that whatever else listens on the host would be
sent them. Chromium is started so that a cookie without subdomains is bound to one port.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from urllib.parse import SplitResult, urlsplit

from playwright.async_api import CDPSession, Error

from extractor.errors import InvalidRequest
from extractor.request import Cookie, PageRequest

_DEFAULT_PORTS = {"http": 80, "https": 443}


async def add_cookies(session: CDPSession, request: PageRequest) -> None:
    """Set the request's cookies, exactly as given, in the context of the session's page.

    Raises:
        InvalidRequest: the browser does not take one.
    """
    url = urlsplit(str(request.url))
    cookies = [_written(each, url, port) for each in request.cookies for port in _ports(each, url)]
    if not cookies:
        return
    try:
        await session.send("Network.setCookies", {"cookies": cookies})
    except Error as error:
        # Its text may hold the cookies.
        raise InvalidRequest("cookies: the browser does not take them", field="cookies") from error


def _written(cookie: Cookie, url: SplitResult, port: int) -> dict[str, Any]:
    """The cookie by the names of the DevTools protocol."""
    written: dict[str, Any] = {
        "name": cookie.name,
        "value": cookie.value,
        "domain": cookie.domain or url.hostname or "",
        "path": cookie.path,
        "secure": cookie.secure,
        "httpOnly": cookie.http_only,
        "sourceScheme": "Secure" if port == _DEFAULT_PORTS["https"] else "NonSecure",
        "sourcePort": port,
    }
    if cookie.expires is not None:
        written["expires"] = cookie.expires
    if cookie.same_site is not None:
        written["sameSite"] = cookie.same_site
    return written


def _ports(cookie: Cookie, url: SplitResult) -> Iterator[int]:
    """The address's own port. From http to https of the same host a cookie goes along."""
    own = url.port or _DEFAULT_PORTS.get(url.scheme.lower(), 443)
    if cookie.domain is not None and cookie.domain.lower() != (url.hostname or "").lower():
        # Another host was named, without a port.
        own = _DEFAULT_PORTS["http"]
    yield own
    if own == _DEFAULT_PORTS["http"]:
        yield _DEFAULT_PORTS["https"]
