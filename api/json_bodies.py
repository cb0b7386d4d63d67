"""JSON of any size and content: read in a thread, and written even where an original is no Unicode."""

from __future__ import annotations

import json
from collections.abc import Callable, Coroutine
from typing import Any, NoReturn

from fastapi import HTTPException, Request, Response
from fastapi.responses import JSONResponse
from fastapi.routing import APIRoute

from api.threads import run_to_end

#: Deeper JSON than any provider takes, its envelope included.
MOST_LEVELS = 220


class SafeJson(JSONResponse):
    """JSON in UTF-8; escaped to ASCII where an original holds what UTF-8 cannot write."""

    def render(self, content: Any) -> bytes:
        try:
            return super().render(content)
        except UnicodeEncodeError:
            return json.dumps(content, separators=(",", ":")).encode("ascii")


class ThreadedJsonRoute(APIRoute):
    """A route whose body is parsed in a thread, and is refused where it is nested too deeply."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        handle = super().get_route_handler()

        async def threaded(request: Request) -> Response:
            return await handle(_ThreadedRequest(request.scope, request.receive))

        return threaded


class _ThreadedRequest(Request):
    async def json(self) -> Any:
        body = await self.body()
        return await run_to_end(lambda: parse(body))


def parse(body: bytes) -> Any:
    """A JSON value. Lone surrogates pass; the compactor knows what to do with them.

    Raises:
        json.JSONDecodeError: it is no JSON.
        HTTPException: it is nested too deeply, or holds what JSON cannot say.
    """
    try:
        value = json.loads(body, parse_constant=_refuse)
    except RecursionError:
        raise _too_deep() from None
    except UnicodeDecodeError:
        raise HTTPException(422, "The request body is not valid JSON in UTF-8.") from None
    level = [value] if isinstance(value, dict | list) else []
    for _ in range(MOST_LEVELS):
        level = [
            inner
            for outer in level
            for inner in (outer.values() if isinstance(outer, dict) else outer)
            if isinstance(inner, dict | list)
        ]
        if not level:
            return value
    raise _too_deep()


def _refuse(name: str) -> NoReturn:
    raise HTTPException(422, f"JSON has no {name}; send null or a string.")


def _too_deep() -> HTTPException:
    return HTTPException(
        422, f"JSON may be nested {MOST_LEVELS} levels deep; send deeper values as text."
    )
