"""One document without a browser, through the same proxy and under the same rules."""

from __future__ import annotations

import asyncio
import functools
import secrets
import ssl
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urldefrag, urljoin

import httpx2

from extractor.answers import redirected
from extractor.egress.policy import ParsedTarget, judge_url
from extractor.egress.proxy import EgressProxy
from extractor.errors import (
    ConnectError,
    DeadlineExceeded,
    ExtractorError,
    HttpProtocolError,
    InvalidUrl,
    TlsError,
    TooLarge,
    TooManyRedirects,
)
from extractor.settings import ExtractorSettings

_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_ACCEPT = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"
#: Time kept back for returning the part of a body that has arrived.
_PARTIAL_MARGIN_S = 0.1


@dataclass(frozen=True, slots=True)
class Fetched:
    """An answer. ``body`` is decoded; ``headers`` have lower-case names, repeats joined by a comma, while
    ``raw_headers`` are as they were sent.

    ``redirects`` are the addresses that led to ``final_url``, the first one included; it is empty when
    there was none. ``complete`` is false when the deadline or the server ended the body early, which
    ``incomplete_reason`` names (``deadline`` or ``connection``), or ``cut_bytes`` did (``size``).
    """

    url: str
    final_url: str
    redirects: tuple[str, ...]
    status: int
    headers: dict[str, str]
    body: bytes
    content_type: str
    raw_headers: tuple[tuple[str, str], ...] = ()
    complete: bool = True
    incomplete_reason: str | None = None


async def fetch(
    url: str,
    *,
    settings: ExtractorSettings,
    proxy: EgressProxy,
    deadline: float,
    headers: Mapping[str, str] | None = None,
    cut_bytes: int | None = None,
) -> Fetched:
    """Fetch a document, following redirects that the rules allow.

    Args:
        url: where to start.
        settings: caps and rules.
        proxy: a started proxy; nothing is ever dialled but by it.
        deadline: absolute, on the clock of the running loop (``loop.time()``), in seconds.
        headers: the caller's own, for the first origin only.
        cut_bytes: where reading ends when that is enough; a longer body is cut, and ``TooLarge`` never is.

    Raises:
        InvalidUrl, BlockedAddress: the address may not be opened.
        DnsError, ConnectError, TlsError, HttpProtocolError: the server could not be reached or read.
        TooManyRedirects: more than ``max_redirects``.
        TooLarge: the decoded document is larger than ``max_document_bytes``.
        DeadlineExceeded: nothing had arrived by the deadline.
    """
    key = f"fetch-{secrets.token_hex(8)}"
    first = judge_url(url, settings.egress_rules)
    record = proxy.register(key, max_bytes=settings.max_page_bytes, any_tunnel=True)
    run = _Run(settings, deadline, cut_bytes)
    target = first
    try:
        async with asyncio.timeout_at(deadline), _client(settings, proxy, key) as client:
            while True:
                own = dict(headers or {}) if _origin(target) == _origin(first) else {}
                location = await run.request(client, target, own)
                if location is None:
                    return run.fetched(url, target.url)
                target = run.redirect(target, location)
                await redirected(target.url)
    except TimeoutError as error:
        raise DeadlineExceeded("Nothing had arrived by the deadline.") from error
    except httpx2.InvalidURL as error:
        raise _unsendable(error, asked_for=target is first) from error
    except httpx2.HTTPError as error:
        raise record.error_for(target.host) or _typed(error) from error
    finally:
        await proxy.forget(key)


class _Run:
    """One fetch under way: the redirects so far and the answer being read."""

    def __init__(self, settings: ExtractorSettings, deadline: float, cut_bytes: int | None) -> None:
        self._settings = settings
        self._deadline = deadline
        self._cut_bytes = cut_bytes
        self._redirects: list[str] = []
        self._response: httpx2.Response | None = None
        self._body = bytearray()
        self._cut: str | None = None

    async def request(
        self, client: httpx2.AsyncClient, target: ParsedTarget, headers: Mapping[str, str]
    ) -> str | None:
        """Send one request; the place it redirects to, or ``None`` when its body was read."""
        # The reading has a limit of its own, a little before the deadline, so that a part is kept.
        async with client.stream("GET", target.url, headers=headers) as response:
            if "x-pagefold-refused" in response.headers:
                # Only the proxy can send it: it strips the header from what servers answer.
                raise httpx2.ProxyError(response.headers["x-pagefold-refused"])
            if response.status_code in _REDIRECTS and "location" in response.headers:
                return response.headers["location"]
            self._response = response
            await self._read(response)
        return None

    async def _read(self, response: httpx2.Response) -> None:
        if not _codings(response.headers) <= {*_codings(response.request.headers), "identity"}:
            raise HttpProtocolError("The body comes in an encoding that was not asked for.")
        cap = self._settings.max_document_bytes
        try:
            async with asyncio.timeout_at(self._deadline - _PARTIAL_MARGIN_S):
                async for chunk in response.aiter_bytes():
                    self._body += chunk
                    if self._cut_bytes is not None and len(self._body) > self._cut_bytes:
                        del self._body[self._cut_bytes :]
                        self._cut = "size"
                        return
                    if len(self._body) > cap:
                        raise TooLarge(f"The document is larger than max_document_bytes ({cap}).")
        except (TimeoutError, httpx2.TimeoutException):
            self._cut = "deadline"
        except httpx2.DecodingError as error:
            raise HttpProtocolError("The body could not be decompressed.") from error
        except httpx2.TransportError:
            self._cut = "connection"
        if self._cut == "deadline" and not self._body:
            raise DeadlineExceeded("Nothing had arrived by the deadline.")
        if self._cut == "connection" and not self._body:
            raise HttpProtocolError("The server closed the connection before any content.")

    def redirect(self, target: ParsedTarget, location: str) -> ParsedTarget:
        """Judge where a redirect leads."""
        self._redirects.append(target.url)
        if len(self._redirects) > self._settings.max_redirects:
            raise TooManyRedirects(f"More than max_redirects ({self._settings.max_redirects}).")
        try:
            joined = urldefrag(urljoin(target.url, location)).url
            return judge_url(joined, self._settings.egress_rules)
        except (InvalidUrl, ValueError) as error:
            raise HttpProtocolError("The server redirects to no usable http(s) address.") from error

    def fetched(self, url: str, final_url: str) -> Fetched:
        """The result once a body was read."""
        assert self._response is not None
        headers = {name.lower(): value for name, value in self._response.headers.items()}
        return Fetched(
            url=url,
            final_url=final_url,
            redirects=tuple(self._redirects),
            status=self._response.status_code,
            headers=headers,
            body=bytes(self._body),
            content_type=headers.get("content-type", ""),
            raw_headers=tuple(
                (name.decode("latin-1"), value.decode("latin-1"))
                for name, value in self._response.headers.raw
            ),
            complete=self._cut is None,
            incomplete_reason=self._cut,
        )


def _codings(headers: httpx2.Headers) -> set[str]:
    """Encodings that a request accepts or a response has."""
    given = headers.get("accept-encoding", headers.get("content-encoding", ""))
    return {name.partition(";")[0].strip().lower() for name in given.split(",") if name.strip()}


def _client(settings: ExtractorSettings, proxy: EgressProxy, key: str) -> httpx2.AsyncClient:
    return httpx2.AsyncClient(
        proxy=httpx2.Proxy(proxy.url, auth=proxy.credentials(key)),
        verify=_tls_context(),
        headers={"User-Agent": settings.user_agent, "Accept": _ACCEPT},
        timeout=settings.deadline_s,
        trust_env=False,
        follow_redirects=False,
    )


@functools.cache
def _tls_context() -> ssl.SSLContext:
    # Loading the trust store takes tens of milliseconds; it is the same for every fetch.
    return httpx2.create_ssl_context(trust_env=False)


def _origin(target: ParsedTarget) -> tuple[str, str, int]:
    return target.scheme, target.host, target.port


def _unsendable(error: httpx2.InvalidURL, *, asked_for: bool) -> ExtractorError:
    """Of an address that the rules let pass and the HTTP client does not, such as a very long one."""
    if asked_for:
        return InvalidUrl(f"The URL cannot be fetched as it is: {error}.", field="url")
    return HttpProtocolError("The server redirects to no usable http(s) address.")


def _typed(error: httpx2.HTTPError) -> ExtractorError:
    detail = repr(error)
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, ssl.SSLError):
            return TlsError("The server's certificate or TLS is not acceptable.", detail=detail)
        cause = cause.__cause__ or cause.__context__
    if isinstance(error, httpx2.TimeoutException):
        return DeadlineExceeded("Nothing had arrived by the deadline.", detail=detail)
    if isinstance(error, httpx2.NetworkError | httpx2.ProxyError):
        return ConnectError("The server could not be reached.", detail=detail)
    return HttpProtocolError("The server did not answer in HTTP.", detail=detail)
