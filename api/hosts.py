"""By which names the service may be called, so that no web page reaches it by a name of its own.

A page whose host name changes its address to loopback (DNS rebinding) is, to the browser that shows it,
of the same origin as a service on loopback. What it cannot change is the name in the Host header.
"""

from __future__ import annotations

from collections.abc import Iterable

from starlette.types import ASGIApp, Receive, Scope, Send

from api.access import OPEN_PATHS
from api.errors import problem
from api.settings import ApiSettings, is_loopback, plain_host
from api.turning_away import turn_away

_LOOPBACK_NAMES = frozenset({"localhost", "127.0.0.1", "::1"})


class HostCheck:
    """Refuses requests for a host that is not ours. Without any host of ours every one is taken."""

    def __init__(self, app: ASGIApp, hosts: frozenset[str], exempt: frozenset[str]) -> None:
        self.app, self.hosts, self.exempt = app, hosts, exempt

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan" or self._ours(scope):
            await self.app(scope, receive, send)
            return
        answer = problem(
            "foreign_host",
            "The service is not called by this name; operators list its names in "
            "PAGEFOLD_ALLOWED_HOSTS.",
        )
        await turn_away(answer, scope, receive, send)

    def _ours(self, scope: Scope) -> bool:
        if not self.hosts or scope["path"] in self.exempt:
            return True
        given = [value for name, value in scope["headers"] if name == b"host"]
        return len(given) == 1 and host_of(given[0]) in self.hosts


def own_hosts(settings: ApiSettings) -> frozenset[str]:
    """The hosts that are ours; empty when every one is taken."""
    if not is_loopback(settings.host):
        return frozenset(settings.allowed_hosts)
    return _LOOPBACK_NAMES | {plain_host(settings.host), *settings.allowed_hosts}


def watched_paths(settings: ApiSettings) -> frozenset[str]:
    """Paths that are answered by any name: probes of an orchestrator come by address."""
    return frozenset() if is_loopback(settings.host) else OPEN_PATHS


def host_of(authority: bytes) -> str | None:
    """The host of an authority such as ``[::1]:8000``, or ``None`` when it is malformed."""
    text = authority.decode("latin-1")
    host, colon, port = text.rpartition(":")
    if not colon or text.endswith("]"):
        host, port = text, ""
    if colon and not text.endswith("]") and not (port.isascii() and port.isdigit()):
        return None
    try:
        return plain_host(host)
    except ValueError:
        return None


def sent_by_a_foreign_page(headers: Iterable[tuple[bytes, bytes]]) -> bool:
    """Whether a web page of another origin makes its browser send this, other than by a link to it."""
    found = {name: value for name, value in headers if name.startswith((b"sec-fetch-", b"origin"))}
    site = found.get(b"sec-fetch-site")
    if site is not None:
        followed = (found.get(b"sec-fetch-mode"), found.get(b"sec-fetch-dest"))
        linked = followed == (b"navigate", b"document") and b"origin" not in found
        return site not in (b"same-origin", b"none") and not linked
    # A browser too old for those headers; programs send no origin.
    own = next((value for name, value in headers if name == b"host"), b"")
    origin = found.get(b"origin")
    return origin is not None and origin.lower().partition(b"://")[2] != own.lower()
