"""Inputs that lie on a server, fetched through the egress policy for readers that are not async."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from anyio.from_thread import start_blocking_portal

from batch.errors import InputError
from extractor.egress.fetch import fetch
from extractor.egress.proxy import EgressProxy
from extractor.errors import ExtractorError
from extractor.settings import ExtractorSettings

Get = Callable[[str], bytes]


@contextmanager
def files_outside(settings: ExtractorSettings, max_bytes: int) -> Iterator[Get]:
    """A function that fetches a file and waits for it, from any thread but that of an event loop's own.

    It runs a loop of its own in a thread of its own, both of which end with the block.

    Args:
        settings: rules and limits of the egress policy.
        max_bytes: of one file, as it is sent.
    """
    wished = settings.model_copy(update={"max_document_bytes": max_bytes})
    with (
        start_blocking_portal() as portal,
        portal.wrap_async_context_manager(EgressProxy(wished)) as proxy,
    ):

        async def get(url: str) -> bytes:
            deadline = asyncio.get_running_loop().time() + wished.deadline_s
            try:
                answer = await fetch(url, settings=wished, proxy=proxy, deadline=deadline)
            except ExtractorError as error:
                raise InputError(f"{url}: {error.code}: {error.message}") from error
            if not 200 <= answer.status < 300:
                raise InputError(f"{url}: HTTP status {answer.status}")
            if not answer.complete:
                raise InputError(f"{url}: broke off ({answer.incomplete_reason})")
            return answer.body

        yield lambda url: portal.call(get, url)
