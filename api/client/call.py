"""One request to the service as a value, and what its answer means: what both clients share."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from email.utils import parsedate_to_datetime
from typing import Any, Generic, TypeVar
from urllib.parse import quote

import httpx2

from api.client.errors import error_of

T = TypeVar("T")
Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Call(Generic[T]):
    """A request; ``read`` turns a good answer into a value. Query values that are ``None`` are left out."""

    method: str
    path: str
    read: Callable[[httpx2.Response], T]
    query: Mapping[str, object] = field(default_factory=dict)
    json: object = None
    headers: Mapping[str, str] = field(default_factory=dict)

    def request_with(self, http: httpx2.Client | httpx2.AsyncClient) -> httpx2.Request:
        """The request, as ``http`` sends it."""
        params = {name: _plain(value) for name, value in self.query.items() if value is not None}
        return http.build_request(
            self.method, self.path, params=params, json=self.json, headers=dict(self.headers)
        )

    def value(self, answer: httpx2.Response) -> T:
        """What a good answer means.

        Raises:
            ProblemError: it is not from the service.
        """
        try:
            return self.read(answer)
        except (ValueError, LookupError, TypeError) as error:
            raise error_of(answer.status_code, b"") from error

    def check(self, answer: httpx2.Response) -> None:
        """Raise ``ProblemError`` unless the answer is a good one."""
        if not answer.is_success and answer.status_code != 304:
            raise error_of(
                answer.status_code, answer.content, retry_after_s=_seconds(answer.headers)
            )


def path(*parts: str) -> str:
    """A path of these parts, each of them escaped.

    Raises:
        ValueError: a part is one that no escape keeps in its place.
    """
    if not_parts := {"", ".", ".."}.intersection(parts):
        raise ValueError(f"no id or ref: {not_parts.pop()!r}")
    return "/" + "/".join(quote(part, safe=":") for part in parts)


def as_json(answer: httpx2.Response) -> Any:
    """The answer's JSON."""
    return answer.json()


def as_json_or_none(answer: httpx2.Response) -> Any:
    """The answer's JSON, where it has any."""
    return answer.json() if answer.content else None


def as_text(answer: httpx2.Response) -> str:
    """The answer's text."""
    return answer.text


def as_nothing(answer: httpx2.Response) -> None:
    """An answer that says nothing."""
    return None


def guards(key: str | None, version: int | None) -> dict[str, str]:
    """Headers of a write: a repeated ``key`` changes nothing twice, a stale ``version`` is refused."""
    headers = {} if key is None else {"Idempotency-Key": key}
    return headers if version is None else {**headers, "If-Match": f'"v{version}"'}


def _plain(value: object) -> Any:
    if isinstance(value, bool):
        return "true" if value else "false"
    return [_plain(item) for item in value] if isinstance(value, list | tuple) else value


def _seconds(headers: httpx2.Headers) -> float | None:
    """Of ``Retry-After``, which something between may send as a date."""
    given = headers.get("Retry-After", "")
    if given.isascii() and given.isdigit():
        return float(given)
    try:
        return max(0.0, parsedate_to_datetime(given).timestamp() - time.time())
    except ValueError:
        return None
