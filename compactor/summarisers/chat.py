"""Summaries by a chat model behind any endpoint that speaks OpenAI's Chat Completions.

The client is handed in as a summariser; nothing else of the compactor makes a request. Keys stand in one
header and nowhere else: no error, note or representation quotes them, nor what the endpoint said.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable
from dataclasses import dataclass
from urllib.parse import urlsplit

import httpx2

from compactor.errors import InvalidRequest
from compactor.estimate import estimate_tokens
from compactor.messages import Json
from compactor.summarise import SummariserFailed, SummaryRequest
from compactor.summarisers.breaker import Breaker

_RETRIED = frozenset((408, 409, 425, 429, 500, 502, 503, 504))
_LABEL = re.compile(r"\s*(?:[>*-]\s+)*(?:user|assistant|tool(?::[^\s:]{1,80})?): ")


@dataclass(frozen=True, slots=True)
class ChatRule:
    """How an endpoint is asked.

    Attributes:
        timeout_s: one try, from the first byte that is sent to the last that comes.
        tries: requests for one summary, the first included.
        backoff_s: the wait before the second; it doubles. ``Retry-After`` is kept to where it asks for more.
        most_backoff_s: a longer wait is not waited for: the summary has failed.
        failures: summaries in a row that fail before the endpoint is left alone.
        open_s: for how long.
        window_tokens: what one request may hold; a longer record goes in several.
        most_bytes: of an answer.
        cap_field: what the endpoint calls the most tokens of an answer.
    """

    timeout_s: float = 60.0
    tries: int = 3
    backoff_s: float = 1.0
    most_backoff_s: float = 20.0
    failures: int = 3
    open_s: float = 300.0
    window_tokens: int = 16_000
    most_bytes: int = 1_000_000
    cap_field: str = "max_tokens"


class ChatEndpoint:
    """One endpoint with its circuit breaker, shared by all sessions. Thread-safe."""

    def __init__(
        self,
        base_url: str,
        model: str,
        key: str = "",
        *,
        rule: ChatRule | None = None,
        transport: httpx2.BaseTransport | None = None,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        """``base_url`` is what ``/chat/completions`` is put behind; ``transport`` decides what is dialled.

        Raises:
            InvalidRequest: it is no http(s) URL, or carries credentials.
        """
        parts = urlsplit(base_url)
        if parts.scheme not in ("http", "https") or not parts.hostname or "@" in parts.netloc:
            raise InvalidRequest(
                "base_url must be an http(s) URL without credentials.", field="base_url"
            )
        self.rule = rule or ChatRule()
        self.model = model
        self._url = f"{base_url.rstrip('/')}/chat/completions"
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        self._client = httpx2.Client(
            transport=transport,
            headers=headers,
            timeout=self.rule.timeout_s,
            follow_redirects=False,
            trust_env=False,
        )
        self._clock, self._sleep = clock, sleep
        self._breaker = Breaker(self.rule.failures, self.rule.open_s, clock)

    def close(self) -> None:
        """Let go of its connections."""
        self._client.close()

    def ask(self, request: SummaryRequest, notes: list[str]) -> str:
        """A summary; tries that failed are added to ``notes``.

        Raises:
            SummariserFailed: there is none to be had now.
        """
        if not self._breaker.allows():
            raise SummariserFailed("circuit open")
        try:
            text = self._tried(request, notes)
        except SummariserFailed:
            self._breaker.failed()
            raise
        self._breaker.worked()
        return text

    def _tried(self, request: SummaryRequest, notes: list[str]) -> str:
        rule = self.rule
        for number in range(1, rule.tries + 1):
            wait = rule.backoff_s * 2 ** (number - 1)
            try:
                return self._once(request)
            except _Again as again:
                reason, asked = str(again), again.after_s
            wait = max(wait, asked)
            if number == rule.tries:
                raise SummariserFailed(f"{reason} ({rule.tries} tries)")
            if wait > rule.most_backoff_s:
                raise SummariserFailed(f"{reason}, asked to wait {wait:.0f} s")
            notes.append(f"{reason}: tried again after {wait:g} s")
            self._sleep(wait)
        raise SummariserFailed("no try allowed")

    def _once(self, request: SummaryRequest) -> str:
        body = {
            "model": self.model,
            "messages": request.messages,
            self.rule.cap_field: request.most_tokens,
            "temperature": 0,
            "stream": False,
        }
        try:
            return _summary(self._sent(body), request)
        except httpx2.TimeoutException as error:
            raise _Again("no answer in time") from error
        except httpx2.HTTPError as error:
            raise _Again(f"no connection ({type(error).__name__})") from error

    def _sent(self, body: Json) -> Json:
        """The answer as JSON. Raises _Again where another try may help, SummariserFailed where not."""
        end = self._clock() + self.rule.timeout_s
        with self._client.stream("POST", self._url, json=body) as response:
            if response.status_code in _RETRIED:
                raise _Again(f"status {response.status_code}", _seconds(response))
            if response.status_code != 200:
                raise SummariserFailed(f"status {response.status_code}")
            if "json" not in response.headers.get("content-type", "").partition(";")[0]:
                raise SummariserFailed("the answer is no JSON")
            data = bytearray()
            for chunk in response.iter_bytes():
                data += chunk
                if len(data) > self.rule.most_bytes:
                    raise SummariserFailed(f"the answer is over {self.rule.most_bytes} bytes")
                if self._clock() > end:
                    raise _Again("no answer in time")
        try:
            return json.loads(bytes(data))
        except (ValueError, RecursionError) as error:
            raise _Again("the answer is no JSON") from error


class ChatSummariser:
    """An endpoint as a summariser of one session."""

    name = "openai"

    def __init__(self, endpoint: ChatEndpoint) -> None:
        self._endpoint = endpoint
        self._notes: list[str] = []
        self.window_tokens = endpoint.rule.window_tokens

    def __call__(self, request: SummaryRequest) -> str:
        """Raises SummariserFailed."""
        return self._endpoint.ask(request, self._notes)

    def take_notes(self) -> tuple[str, ...]:
        """What went wrong since the last time."""
        made, self._notes = tuple(self._notes), []
        return made


class _Again(Exception):
    """A try that failed; another may work, ``after_s`` seconds later."""

    def __init__(self, reason: str, after_s: float = 0.0) -> None:
        super().__init__(reason)
        self.after_s = after_s


def _seconds(response: httpx2.Response) -> float:
    """``Retry-After`` in seconds; 0 where it is a date or nothing."""
    value = response.headers.get("retry-after", "").strip()
    return float(value) if value.isdigit() and len(value) < 9 else 0.0


def _summary(answer: Json, request: SummaryRequest) -> str:
    """The text of an answer that is a whole summary.

    Raises:
        SummariserFailed: it is empty, cut off, not smaller than the record, an error, or no summary.
    """
    choices = answer.get("choices") if isinstance(answer, dict) else None
    choice = choices[0] if isinstance(choices, list) and choices else None
    message = choice.get("message") if isinstance(choice, dict) else None
    if not isinstance(choice, dict) or not isinstance(message, dict):
        raise SummariserFailed("the answer has no choices")
    text = message.get("content")
    if not isinstance(text, str) or not text.strip():
        raise SummariserFailed("the summary is empty")
    ended = choice.get("finish_reason")
    if ended not in ("stop", None):
        cut = ended == "length"
        raise SummariserFailed("the summary is cut off" if cut else "the model did not finish")
    if not any(map(_LABEL.match, text.split("\n"))):
        # Error texts and refusals come as summaries, too; they label no source.
        raise SummariserFailed("no line has the label of a source")
    if estimate_tokens(text) > estimate_tokens(request.text):
        raise SummariserFailed("the summary is larger than the record")
    return text
