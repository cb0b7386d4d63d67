"""One message to one webhook: through the egress proxy, signed, without following redirects."""

from __future__ import annotations

import asyncio
import functools
import secrets
import ssl
import time
from dataclasses import dataclass

import httpx2

from api.jobs.signature import signed_headers
from extractor.egress.policy import BLOCKED, as_address, judge_host, judge_url
from extractor.egress.proxy import EgressProxy
from extractor.egress.resolve import SystemResolver
from extractor.errors import BlockedAddress, DnsError, ExtractorError
from extractor.settings import ExtractorSettings

_USER_AGENT = "Pagefold-Webhook/1"
#: More of an answer is not read: only its status counts.
_MOST_BYTES = 65_536
_LONGEST_WAIT_S = 86_400


@dataclass(frozen=True, slots=True)
class Message:
    """What is sent: ``id`` stays the same over all tries, so that receivers can tell."""

    id: str
    url: str
    secret: str
    body: bytes


@dataclass(frozen=True, slots=True)
class Answer:
    """How a try went: a status, or the code of what kept it from one. ``after_s``: not before."""

    status: int | None = None
    code: str | None = None
    after_s: float = 0.0

    @property
    def delivered(self) -> bool:
        return self.status is not None and 200 <= self.status < 300

    @property
    def final(self) -> bool:
        """Whether no other try is wanted: 410 says so, and so do our own rules."""
        return self.status == 410 or self.code == BlockedAddress.code


async def judge_webhook(url: str, settings: ExtractorSettings) -> str:
    """The URL in canonical form, if it may be sent to. Its name is looked up, and again at each try.

    Raises:
        InvalidUrl: no http(s) URL, or it has credentials.
        BlockedAddress: it leads where the egress policy does not.
        DnsError: its name has no address.
    """
    target = judge_url(url, settings.egress_rules)
    if as_address(target.host) is not None:
        return target.url
    try:
        async with asyncio.timeout(settings.dns_timeout_s):
            addresses = await SystemResolver(1)(target.host)
    except (OSError, UnicodeError) as error:
        raise DnsError("The webhook's name could not be resolved.", field="webhook.url") from error
    verdict = judge_host(target.host, target.port, addresses, settings.egress_rules)
    if not verdict.allowed:
        detail = f"{target.host}:{target.port}: {verdict.reason}"
        raise BlockedAddress(BLOCKED, detail=detail, field="webhook.url")
    return target.url


async def send(
    message: Message, proxy: EgressProxy, settings: ExtractorSettings, timeout_s: float
) -> Answer:
    """Send a message once. Every address is judged by the proxy, which dials none but that."""
    key = f"webhook-{secrets.token_hex(8)}"
    record = proxy.register(key, max_bytes=_MOST_BYTES, any_tunnel=True)
    try:
        target = judge_url(message.url, settings.egress_rules)
        async with asyncio.timeout(timeout_s), _client(proxy, key, timeout_s) as client:
            return await _posted(client, message, target.url)
    except TimeoutError:
        return Answer(code="deadline")
    except ExtractorError as error:
        return Answer(code=error.code)
    except httpx2.HTTPError:
        cause = record.error_for(target.host)
        return Answer(code=cause.code if cause is not None else "connect")
    finally:
        await proxy.forget(key)


async def _posted(client: httpx2.AsyncClient, message: Message, url: str) -> Answer:
    headers = signed_headers(message.secret, message.id, int(time.time()), message.body)
    headers["Content-Type"] = "application/json"
    async with client.stream("POST", url, content=message.body, headers=headers) as response:
        if "x-pagefold-refused" in response.headers:
            # Only the proxy can send it: it strips the header from what servers answer.
            raise httpx2.ProxyError(response.headers["x-pagefold-refused"])
        asked = response.headers.get("retry-after", "").strip()
        after_s = min(float(asked), _LONGEST_WAIT_S) if asked.isdecimal() and len(asked) < 9 else 0
        return Answer(status=response.status_code, after_s=after_s)


@functools.cache
def _tls_context() -> ssl.SSLContext:
    # Loading the trust store takes tens of milliseconds; it is the same for every message.
    return httpx2.create_ssl_context(trust_env=False)


def _client(proxy: EgressProxy, key: str, timeout_s: float) -> httpx2.AsyncClient:
    return httpx2.AsyncClient(
        proxy=httpx2.Proxy(proxy.url, auth=proxy.credentials(key)),
        verify=_tls_context(),
        headers={"User-Agent": _USER_AGENT},
        timeout=timeout_s,
        trust_env=False,
        follow_redirects=False,
    )
