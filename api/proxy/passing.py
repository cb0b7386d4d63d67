"""Giving a provider's answer on as it is."""

from __future__ import annotations

from collections.abc import Mapping

import httpx2
import structlog
from starlette.types import Send

from api.proxy.exchange import is_packed
from api.proxy.headers import incoming
from compactor.errors import CompactorError
from extractor.errors import ExtractorError

_log = structlog.get_logger("pagefold.proxy")


async def relay(response: httpx2.Response, facts: Mapping[str, str], send: Send) -> None:
    """Give the client an answer byte for byte; where it breaks off, so does ours."""
    try:
        await begin(response, facts, send)
        async for chunk in response.aiter_raw():
            await part(chunk, send)
        await part(b"", send, more=False)
    except httpx2.HTTPError as error:
        cut(error)


async def begin(
    response: httpx2.Response, facts: Mapping[str, str], send: Send, *, length: int | None = None
) -> None:
    """Send the head. ``length``: that of a body that is not the provider's own, -1 for one yet unknown."""
    resized = length is not None
    headers = incoming(response.headers.raw, facts, resized=resized)
    if length is not None and length >= 0:
        headers.append((b"content-length", str(length).encode()))
    await send({"type": "http.response.start", "status": response.status_code, "headers": headers})


async def begin_stream(response: httpx2.Response, facts: Mapping[str, str], send: Send) -> None:
    """Send the head of a stream; its events come as they came, if need be unpacked."""
    packed = is_packed(response) or "content-length" in response.headers
    await begin(response, facts, send, length=-1 if packed else None)


async def part(data: bytes, send: Send, *, more: bool = True) -> None:
    """Send a part of the body."""
    await send({"type": "http.response.body", "body": data, "more_body": more})


def cut(error: httpx2.HTTPError | ExtractorError | CompactorError) -> None:
    """Note that an answer broke off. The server closes a connection whose answer was not ended."""
    _log.info("proxy_cut", error=repr(error), detail=getattr(error, "detail", ""))
