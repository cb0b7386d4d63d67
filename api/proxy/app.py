"""The proxy as an ASGI application: which requests are compacted, and what is said about it."""

from __future__ import annotations

import re
from types import SimpleNamespace
from urllib.parse import unquote_to_bytes

import structlog
from fastapi import HTTPException
from starlette.requests import Request
from starlette.types import Receive, Scope, Send

from api.callers import caller_in
from api.json_bodies import parse
from api.proxy.answering import Answering
from api.proxy.dialect import Dialect, Untouched
from api.proxy.dialects import dialect_for
from api.proxy.dialling import UpstreamTransport
from api.proxy.exchange import Exchange, Target, packed
from api.proxy.headers import outgoing
from api.proxy.hooks import NO_HOOKS, Hooks
from api.proxy.passing import relay
from api.proxy.recognition import Identity, credentials_of
from api.proxy.settings import ProxySettings
from api.proxy.turn import Passage, Turn
from api.proxy.turns import Turns
from api.proxy.upstreams import Upstream
from api.threads import run_to_end

_log = structlog.get_logger("pagefold.proxy")
_ROUTE = SimpleNamespace(path="/proxy/{provider}")
#: What a provider may take for the end of a folder.
_SLASH = re.compile(rb"[/\\]")


class Proxy:
    """Takes ``/proxy/NAME/…`` to the provider of that name; mounted at ``/proxy``."""

    def __init__(
        self,
        settings: ProxySettings,
        hooks: Hooks = NO_HOOKS,
        *,
        transport: UpstreamTransport | None = None,
    ) -> None:
        self._upstreams = settings.upstreams
        self._transport = transport or UpstreamTransport(settings)
        self._exchange = Exchange(settings, self._transport)
        self._turns = Turns(settings, hooks)
        self._answering = Answering(settings, self._exchange, self._turns)

    async def close(self) -> None:
        """Give all connections back."""
        await self._transport.aclose()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Raises HTTPException, ExtractorError or CompactorError, before anything was sent."""
        scope["route"] = _ROUTE
        if scope["type"] != "http":
            raise HTTPException(404)
        upstream, path = self._split(scope)
        request = Request(scope, receive)
        body = await request.body()
        dialect = dialect_for(request.method, path.decode("latin-1").partition("?")[0])
        headers = outgoing(scope["headers"], plain=dialect is not None)
        target = Target(upstream, request.method, path, headers)
        reason = "path"
        if dialect is not None:
            try:
                turn = await self._open(scope, upstream, dialect, body)
            except Untouched as untouched:
                reason = untouched.reason
                if untouched.instead is not None:
                    body = packed(untouched.instead)
            else:
                await self._answering.answer(turn, target, send)
                return
        _log.info("proxy_untouched", provider=upstream.name, reason=reason)
        await self._pass(target, body, reason, send)

    def _split(self, scope: Scope) -> tuple[Upstream, bytes]:
        """The provider, and the path below it with its query."""
        raw: bytes = scope.get("raw_path") or scope["path"].encode()
        _, _, rest = raw.partition(b"/proxy/")
        name, slash, path = rest.partition(b"/")
        upstream = self._upstreams.get(name.decode("latin-1"))
        folders = _SLASH.split(unquote_to_bytes(path))
        if upstream is None or b"." in folders or b".." in folders:
            raise HTTPException(404)
        query = scope.get("query_string", b"")
        return upstream, slash + path + (b"?" + query if query else b"")

    async def _open(self, scope: Scope, upstream: Upstream, dialect: Dialect, body: bytes) -> Turn:
        try:
            asked = await run_to_end(lambda: parse(body))
        except (HTTPException, ValueError) as error:
            raise Untouched("no JSON") from error
        if not isinstance(asked, dict):
            raise Untouched("no JSON")
        caller = caller_in(scope)
        identity = Identity(
            tenant=caller.tenant if caller is not None else "",
            provider=upstream.name,
            format=dialect.format,
            model=str(asked.get("model", "")),
            credentials=credentials_of(scope["headers"], scope.get("query_string", b"")),
        )
        return await self._turns.open(Passage(upstream, dialect, identity, asked))

    async def _pass(self, target: Target, body: bytes, reason: str, send: Send) -> None:
        response = await self._exchange.send(target, body)
        try:
            await relay(response, {"history": "untouched", "reason": reason}, send)
        finally:
            await response.aclose()
