"""Answers from an archive instead of the network."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from playwright.async_api import BrowserContext, Route


@dataclass(frozen=True, slots=True)
class StoredResponse:
    """An archived answer. ``body`` is decoded: no ``Content-Encoding`` is left in ``headers``."""

    status: int
    headers: tuple[tuple[str, str], ...]
    body: bytes


class ResponseSource(Protocol):
    """Looks up archived answers. Pure in memory: called on the event loop."""

    def find(self, method: str, url: str) -> StoredResponse | None:
        """The answer to a request, or ``None`` when the archive has none."""
        ...


#: Headers that describe the original transfer, not the stored body.
TRANSFER_HEADERS = frozenset(
    {"connection", "content-encoding", "content-length", "keep-alive", "transfer-encoding"}
)


async def answer_from(context: BrowserContext, source: ResponseSource) -> None:
    """Let a browser context take every answer, HTTPS included, from ``source``.

    What the source lacks fails with ``net::ERR_INTERNET_DISCONNECTED``. Redirects are not followed by
    the browser here: open the final address, and have the source follow them for subresources.
    """

    async def fulfil(route: Route) -> None:
        stored = source.find(route.request.method, route.request.url)
        if stored is None:
            await route.abort("internetdisconnected")
            return
        headers = {
            name: value for name, value in stored.headers if name.lower() not in TRANSFER_HEADERS
        }
        await route.fulfill(status=stored.status, headers=headers, body=stored.body)

    await context.route("**/*", fulfil)
