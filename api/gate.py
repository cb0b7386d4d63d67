"""The one gate before the application: who has no valid key gets 401, whatever the path."""

from __future__ import annotations

import ipaddress
from collections.abc import Mapping

import structlog
from starlette.datastructures import MutableHeaders
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from api.access import OPEN_PATHS, PROXY, permission_for
from api.callers import Caller, let_in
from api.errors import problem
from api.hosts import sent_by_a_foreign_page
from api.inspector_files import INSPECTOR_PATHS
from api.key_ring import KeyRing
from api.keys import ApiKey, parse_key, secret_fits
from api.quota import Quota
from api.turning_away import turn_away

_log = structlog.get_logger("pagefold.gate")


class Gate:
    """Lets in callers with a valid key, within their limits.

    As long as there is no key, and ``always`` is not set, everyone on this machine is let in.

    Args:
        always: ask for a key even when none was made yet.
        anyone: without keys let in other machines too.
    """

    def __init__(
        self, app: ASGIApp, ring: KeyRing, quota: Quota, *, always: bool, anyone: bool
    ) -> None:
        self.app, self._ring, self._quota = app, ring, quota
        self._always, self._anyone = always, anyone

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        if scope["type"] == "http" and scope["path"] in OPEN_PATHS:
            let_in(scope, Caller())
            await self.app(scope, receive, send)
            return
        if _asks_for_the_inspector(scope):
            # Files of ours, the same for all; keys are given in the page, since no browser sends one with
            # an address. What it asks for then passes the gate like every call.
            if sent_by_a_foreign_page(scope["headers"]):
                await turn_away(_foreign(), scope, receive, send)
                return
            let_in(scope, Caller())
            await self.app(scope, receive, send)
            return
        answer = await self._judge(scope)
        if isinstance(answer, Response):
            await turn_away(answer, scope, receive, send)
        elif answer.key is None:
            let_in(scope, answer)
            await self.app(scope, receive, send)
        else:
            await self._counted(answer, answer.key, scope, receive, send)

    async def _judge(self, scope: Scope) -> Caller | Response:
        try:
            keys = await self._ring.keys()
        except Exception:
            _log.exception("keys_unreadable")
            return problem("unhealthy", "Keys cannot be checked at the moment.", retryable=True)
        if not keys and not self._always:
            if sent_by_a_foreign_page(scope["headers"]):
                return _foreign()
            return Caller() if self._anyone or _is_near(scope) else _unauthorized()
        key = _shown_key(scope, keys)
        if key is None:
            return _unauthorized()
        caller = Caller(key)
        needed = permission_for(scope["path"])
        if needed is not None and not caller.may(needed):
            return problem("forbidden", f"This key does not allow {needed!r}.")
        return caller

    async def _counted(
        self, caller: Caller, key: ApiKey, scope: Scope, receive: Receive, send: Send
    ) -> None:
        standing = await self._quota.enter(key)

        async def send_with_standing(message: Message) -> None:
            if message["type"].endswith("http.response.start"):
                MutableHeaders(scope=message).update(standing.headers)
            await send(message)

        with structlog.contextvars.bound_contextvars(tenant=key.tenant, key_id=key.id):
            if standing.refusal:
                answer = problem(
                    "rate_limited",
                    f"This key has reached its limit. {standing.refusal}",
                    retryable=True,
                    retry_after_s=standing.retry_after_s,
                )
                await turn_away(answer, scope, receive, send_with_standing)
                return
            let_in(scope, caller)
            try:
                await self.app(scope, receive, send_with_standing)
            finally:
                self._quota.leave(key)


def _asks_for_the_inspector(scope: Scope) -> bool:
    return scope["type"] == "http" and scope["method"] == "GET" and scope["path"] in INSPECTOR_PATHS


def _foreign() -> Response:
    return problem("foreign_origin", "Web pages of other origins get no answer.")


def _unauthorized() -> Response:
    answer = problem(
        "unauthorized",
        "A valid API key is needed, as `Authorization: Bearer KEY`, `X-API-Key: KEY` or "
        "`X-Pagefold-Key: KEY`.",
    )
    answer.headers["WWW-Authenticate"] = 'Bearer realm="pagefold"'
    return answer


def _shown_key(scope: Scope, keys: Mapping[str, ApiKey]) -> ApiKey | None:
    """The valid key in the headers; several that differ are none."""
    shown = set()
    to_provider = scope["path"].startswith(PROXY)
    for name, value in scope["headers"]:
        if name == b"x-pagefold-key":
            shown.add(value.decode("latin-1").strip())
        elif to_provider:
            continue  # the others are the provider's
        elif name == b"x-api-key":
            shown.add(value.decode("latin-1").strip())
        elif name == b"authorization":
            # Other schemes may be meant for a gateway in front.
            scheme, _, rest = value.decode("latin-1").strip().partition(" ")
            if scheme.lower() == "bearer":
                shown.add(rest.strip())
    parsed = parse_key(shown.pop()) if len(shown) == 1 else None
    if parsed is None:
        return None
    key_id, secret = parsed
    key = keys.get(key_id)
    return key if secret_fits(key, secret) else None


def _is_near(scope: Scope) -> bool:
    """Whether the peer is this machine; peers without an address are (a Unix socket, a test)."""
    host = (scope.get("client") or ("",))[0]
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return True
    mapped = address.ipv4_mapped if isinstance(address, ipaddress.IPv6Address) else None
    return (mapped or address).is_loopback
