"""Name lookups and connections of the proxy. The browser never makes one itself."""

from __future__ import annotations

import asyncio
import errno
import socket
import threading
from collections.abc import Awaitable, Callable, Collection, Sequence
from contextlib import suppress

from extractor.egress.policy import EgressRules, Verdict, judge_host

#: From a canonical name to its addresses as text; raises ``OSError`` when there are none.
Resolver = Callable[[str], Awaitable[list[str]]]

_READ_LIMIT_BYTES = 1 << 18


class SystemResolver:
    """Asks the operating system, each time in a thread of its own, at most ``limit`` at a time.

    The threads are not the ones that parse pages, and the process does not wait for them at its end:
    a lookup that hangs in the system can be given up, but not stopped.
    """

    def __init__(self, limit: int) -> None:
        self._free = asyncio.Semaphore(limit)

    async def __call__(self, host: str) -> list[str]:
        """Addresses in the system's order of preference, each once.

        Raises:
            OSError: the name has no address or the lookup failed.
        """
        await self._free.acquire()
        loop = asyncio.get_running_loop()
        answer: asyncio.Future[list[str]] = loop.create_future()

        def settle(found: list[str] | OSError) -> None:
            self._free.release()
            if answer.done():
                return
            if isinstance(found, OSError):
                answer.set_exception(found)
            else:
                answer.set_result(found)

        def work() -> None:
            try:
                found: list[str] | OSError = _look_up(host)
            except (OSError, UnicodeError) as error:
                found = error if isinstance(error, OSError) else OSError(errno.EINVAL, repr(error))
            with suppress(RuntimeError):  # the loop has ended meanwhile
                loop.call_soon_threadsafe(settle, found)

        threading.Thread(target=work, name="pagefold-dns", daemon=True).start()
        return await answer


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
    last: OSError = TimeoutError("no address")
    for index, address in enumerate(addresses):
        share_s = (end - loop.time()) / (len(addresses) - index)
        try:
            async with asyncio.timeout(max(share_s, 0)):
                return await asyncio.open_connection(address, port, limit=_READ_LIMIT_BYTES)
        except OSError as error:
            last = error
    raise last


def judge_dial(
    host: str,
    port: int,
    addresses: Sequence[str],
    rules: EgressRules,
    *,
    own_ports: Collection[int],
) -> Verdict:
    """As ``judge_host``, for addresses that are dialled next: a port of our own is never among them,
    whatever the rules allow.
    """
    verdict = judge_host(host, port, addresses, rules)
    if verdict.allowed and port in own_ports and any(map(is_own, addresses)):
        return Verdict(False, "the service's own port")
    return verdict


def is_own(address: str) -> bool:
    """Whether an address belongs to this machine: only on such can a socket be bound."""
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as probe:
        try:
            probe.bind((address, 0))
        except OSError as error:
            return error.errno != errno.EADDRNOTAVAIL
    return True


def _look_up(host: str) -> list[str]:
    answers = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(sockaddr[0]) for *_, sockaddr in answers))
