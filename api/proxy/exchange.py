"""One request to a provider and its answer."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator
from dataclasses import dataclass

import httpx2

from api.proxy.dialling import UpstreamTransport, typed
from api.proxy.headers import Raw
from api.proxy.settings import ProxySettings
from api.proxy.upstreams import Upstream
from compactor.messages import Json
from extractor.errors import InvalidUrl, TooLarge


@dataclass(frozen=True, slots=True)
class Target:
    """Where a request goes, and how: ``path`` with its query, below the upstream's own."""

    upstream: Upstream
    method: str
    path: bytes
    headers: Raw


class Exchange:
    """Sends requests over one transport."""

    def __init__(self, settings: ProxySettings, transport: UpstreamTransport) -> None:
        self._transport = transport
        self._most_bytes = settings.proxy_max_answer_bytes
        silence = settings.proxy_silence_s
        self._timeouts = {
            "connect": settings.connect_timeout_s,
            "read": silence,
            "write": silence,
            "pool": settings.connect_timeout_s,
        }

    async def send(self, target: Target, body: bytes) -> httpx2.Response:
        """The answer's head; whoever gets it closes it.

        Raises:
            ExtractorError: the path is none, the provider is refused, or did not answer.
        """
        upstream = target.upstream
        try:
            raw_path = upstream.path.encode() + target.path
            url = httpx2.URL(upstream.origin).copy_with(raw_path=raw_path)
        except (UnicodeError, httpx2.InvalidURL) as error:
            raise InvalidUrl("The path cannot be sent on; write it percent-encoded.") from error
        request = httpx2.Request(
            target.method,
            url,
            headers=target.headers,
            content=body,
            extensions={"timeout": self._timeouts},
        )
        try:
            return await self._transport.handle_async_request(request)
        except httpx2.HTTPError as error:
            raise typed(error) from error

    async def whole(self, response: httpx2.Response) -> bytes:
        """The body. Raises TooLarge, or another ExtractorError where it ends early."""
        parts, size = [], 0
        async for chunk in chunks(response):
            size += len(chunk)
            if size > self._most_bytes:
                raise TooLarge(
                    f"The provider's answer has more than {self._most_bytes} bytes "
                    "(setting PAGEFOLD_PROXY_MAX_ANSWER_BYTES)."
                )
            parts.append(chunk)
        return b"".join(parts)


async def chunks(response: httpx2.Response) -> AsyncGenerator[bytes, None]:
    """The body as it comes, decompressed where the provider compressed it unasked.

    Raises:
        ExtractorError: it ends early.
    """
    try:
        async for chunk in response.aiter_bytes() if is_packed(response) else response.aiter_raw():
            yield chunk
    except httpx2.HTTPError as error:
        raise typed(error) from error


def is_packed(response: httpx2.Response) -> bool:
    """Whether the body is compressed."""
    return response.headers.get("content-encoding", "identity").lower() not in ("", "identity")


def packed(value: Json) -> bytes:
    """JSON as it is sent: in the order of its keys, in ASCII only where UTF-8 cannot write it."""
    try:
        return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()
    except UnicodeEncodeError:
        return json.dumps(value, separators=(",", ":")).encode()
