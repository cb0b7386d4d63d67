"""How the files that speak for a whole site are fetched: through the egress policy, and not for long."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from extractor.egress.fetch import Fetched, fetch
from extractor.egress.proxy import EgressProxy
from extractor.settings import ExtractorSettings

#: RFC 9309, 2.3.1.2.
MAX_REDIRECTS = 5


def site_files(
    settings: ExtractorSettings,
    proxy: EgressProxy,
    *,
    deadline_s: float = 20.0,
    max_bytes: int = 512_000,
) -> Callable[[str], Awaitable[Fetched]]:
    """A function that gets an address, five redirects at most.

    Args:
        settings: rules, limits and user agent of the crawler.
        proxy: a started proxy; nothing is ever dialled but by it.
        deadline_s: of one file, redirects included.
        max_bytes: what is used of a file; a longer one is cut (``incomplete_reason`` is ``size``) one byte
            later, so that whoever reads it knows.
    """
    wished = settings.model_copy(update={"max_redirects": MAX_REDIRECTS})

    async def get(url: str) -> Fetched:
        deadline = asyncio.get_running_loop().time() + deadline_s
        return await fetch(
            url, settings=wished, proxy=proxy, deadline=deadline, cut_bytes=max_bytes + 1
        )

    return get
