"""How requests are sent, whatever they are about."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from typing import Any, Self, TypeVar

import anyio
import httpx2

from api.client.call import Call, as_json_or_none
from api.client.errors import NoAnswer, ProblemError
from api.client.following import Event, EventLines
from api.client.retrying import Retries

T = TypeVar("T")


class AsyncSending:
    """The connection to a service, and what all calls have in common."""

    def __init__(
        self,
        url: str = "http://127.0.0.1:8000",
        *,
        key: str | None = None,
        timeout_s: float = 120.0,
        retries: Retries | None = None,
        transport: httpx2.AsyncBaseTransport | None = None,
    ) -> None:
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        self._retries = retries or Retries()
        self._url = url
        self._http = httpx2.AsyncClient(
            base_url=url, headers=headers, timeout=timeout_s, transport=transport
        )

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Close the connections."""
        await self._http.aclose()

    async def send(self, call: Call[T]) -> T:
        """What the answer to ``call`` means."""
        return call.value(await self._answer(call))

    async def call(
        self,
        method: str,
        path: str,
        *,
        body: object = None,
        query: Mapping[str, object] | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Any:
        """Any call that has no method here: the JSON of its answer, or ``None`` where there is none."""
        given = Call(method, path, as_json_or_none, query or {}, body, headers or {})
        return await self.send(given)

    async def follow(self, call: Call[Any]) -> AsyncIterator[Event]:
        """The events of a stream as they come. One that breaks off raises ``NoAnswer``."""
        answer = await self._answer(call, stream=True)
        lines = EventLines()
        try:
            async for line in answer.aiter_lines():
                event = lines.take(line)
                if event is not None:
                    yield event
        except httpx2.TransportError as error:
            raise self._no_answer(error) from error
        finally:
            await answer.aclose()

    async def _answer(self, call: Call[Any], *, stream: bool = False) -> httpx2.Response:
        tried = 0
        while True:
            tried += 1
            try:
                request = call.request_with(self._http)
                answer = await self._http.send(request, stream=stream)
                if not answer.is_success:
                    await answer.aread()
                call.check(answer)
                return answer
            except httpx2.TransportError as error:
                raise self._no_answer(error) from error
            except ProblemError as error:
                wait_s = self._retries.wait_s(error, tried)
                if wait_s is None:
                    raise
            await anyio.sleep(wait_s)

    def _no_answer(self, error: Exception) -> NoAnswer:
        return NoAnswer(f"no answer from {self._url} ({error})", retryable=True)
