"""The HTTP API from inside, for a caller that the gate has let in already.

Nothing is counted twice: no gate, quota or queue of the outer layers. What a key allows is asked again for
each path, as the gate does.
"""

from __future__ import annotations

from fastapi import FastAPI
from fastapi.middleware.asyncexitstack import AsyncExitStackMiddleware
from httpx2 import ASGITransport
from starlette.middleware.exceptions import ExceptionMiddleware
from starlette.types import ASGIApp, Receive, Scope, Send

from api.access import permission_for
from api.callers import Caller, let_in
from api.client import AsyncPagefold, Retries
from api.errors import problem

#: It is never dialled.
_URL = "http://inside"


class Inside:
    """The routes of ``app`` with their errors, and none of its layers."""

    def __init__(self, app: FastAPI) -> None:
        self._app = app
        handlers = dict(app.exception_handlers)
        self._routes = ExceptionMiddleware(AsyncExitStackMiddleware(app.router), handlers=handlers)

    def client_of(self, caller: Caller) -> AsyncPagefold:
        """A client of the API as ``caller``."""
        transport = ASGITransport(self._as(caller))
        # Whoever calls a tool is told to wait, rather than kept waiting.
        return AsyncPagefold(_URL, transport=transport, retries=Retries(tries=1))

    def _as(self, caller: Caller) -> ASGIApp:
        async def run(scope: Scope, receive: Receive, send: Send) -> None:
            needed = permission_for(scope["path"])
            if needed is not None and not caller.may(needed):
                answer = problem("forbidden", f"This key does not allow {needed!r}.")
                await answer(scope, receive, send)
                return
            scope["app"] = self._app
            let_in(scope, caller)
            await self._routes(scope, receive, send)

        return run
