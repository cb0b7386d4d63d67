"""Name lookups and connections of the proxy. The browser never makes one itself."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Awaitable, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor

#: From a canonical name to its addresses as text; raises ``OSError`` when there are none.
Resolver = Callable[[str], Awaitable[list[str]]]

#: Lookups that may hang at a time; a dead name server must not use up the threads that parse pages.
_LOOKUP_THREADS = 32
#: Addresses tried of one host.
_MAX_ATTEMPTS = 4
_READ_LIMIT_BYTES = 1 << 18


class SystemResolver:
    """Asks the operating system, in threads of its own."""

    def __init__(self) -> None:
        self._threads = ThreadPoolExecutor(_LOOKUP_THREADS, thread_name_prefix="pagefold-dns")

    async def __call__(self, host: str) -> list[str]:
        """Addresses in the system's order of preference, each once.

        Raises:
            OSError: the name has no address or the lookup failed.
        """
        loop = asyncio.get_running_loop()
        answers = await loop.run_in_executor(self._threads, _look_up, host)
        return list(dict.fromkeys(answers))

    def close(self) -> None:
        """Give up what is waiting; a lookup that hangs in the system ends by the system's timeout."""
        self._threads.shutdown(wait=False, cancel_futures=True)


async def dial(
    addresses: Sequence[str], port: int, timeout_s: float
) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    """Connect to the first address that answers; each gets an equal share of the time that is left.

    Addresses are literals that were judged already: no name is looked up here.

    Raises:
        OSError: none could be reached in time (``TimeoutError`` is one).
    """
    loop = asyncio.get_running_loop()
    end = loop.time() + timeout_s
    tried = addresses[:_MAX_ATTEMPTS]
    last: OSError = TimeoutError("no address")
    for index, address in enumerate(tried):
        share_s = (end - loop.time()) / (len(tried) - index)
        try:
            async with asyncio.timeout(max(share_s, 0)):
                return await asyncio.open_connection(address, port, limit=_READ_LIMIT_BYTES)
        except OSError as error:
            last = error
    raise last


def _look_up(host: str) -> list[str]:
    answers = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)
    return [str(sockaddr[0]) for *_, sockaddr in answers]
