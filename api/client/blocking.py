"""The client for code that waits."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any, Self, TypeVar, Unpack

import httpx2

from api.client import answers, job_calls, page_calls, session_calls, tab_calls, trace_calls
from api.client.call import Call, Json
from api.client.errors import NoAnswer, ProblemError
from api.client.options import (
    ActOptions,
    ExecuteOptions,
    MessageFormat,
    PageFormat,
    PageOptions,
    ReadOptions,
    ReplayOptions,
    ScanOptions,
    SessionOptions,
    TabOptions,
)
from api.client.page_calls import PartFormat
from api.client.retrying import Retries

T = TypeVar("T")


class Pagefold:
    """A service at ``url``; ``key`` is shown to it where one is given.

    Every method raises ``ProblemError`` for what the service refuses, and ``NoAnswer`` where nothing
    answers. What is refused because all places are taken is sent again, as ``retries`` says.
    """

    def __init__(
        self,
        url: str = "http://127.0.0.1:8000",
        *,
        key: str | None = None,
        timeout_s: float = 120.0,
        retries: Retries | None = None,
        transport: httpx2.BaseTransport | None = None,
    ) -> None:
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        self._retries = retries or Retries()
        self._url = url
        self._http = httpx2.Client(
            base_url=url, headers=headers, timeout=timeout_s, transport=transport
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the connections."""
        self._http.close()

    def send(self, call: Call[T]) -> T:
        """What the answer to ``call`` means."""
        tried = 0
        while True:
            tried += 1
            try:
                return call.value(self._http.send(call.request_with(self._http)))
            except httpx2.TransportError as error:
                raise NoAnswer(f"no answer from {self._url} ({error})", retryable=True) from error
            except ProblemError as error:
                wait_s = self._retries.wait_s(error, tried)
                if wait_s is None:
                    raise
            time.sleep(wait_s)

    def read(
        self, url: str, *, format: PageFormat = "markdown", **options: Unpack[ReadOptions]
    ) -> str:
        """The page at ``url`` as text in one form."""
        return self.send(page_calls.read(url, format, options))

    def page(self, **options: Unpack[PageOptions]) -> answers.Page:
        """The page with all that is known of it."""
        return self.send(page_calls.page(**options))

    def again(
        self, snapshot: str, *, format: PageFormat = "markdown", **options: Unpack[ReplayOptions]
    ) -> str:
        """A stored page once more, under another budget, question or filter; nothing is fetched."""
        return self.send(page_calls.again(snapshot, format, options))

    def unfold(
        self, snapshot: str, ref: str, *, format: PartFormat = "markdown", budget: int | None = None
    ) -> str:
        """What the marker ``ref`` of a stored page stands for."""
        return self.send(page_calls.unfold(snapshot, ref, format, budget))

    def open_session(self, **options: Unpack[SessionOptions]) -> answers.Session:
        """A new session."""
        return self.send(session_calls.open_session(**options))

    def session(self, session: str) -> answers.Session:
        """Version and sizes of a session."""
        return self.send(session_calls.show(session))

    def delete_session(self, session: str) -> None:
        """Delete a session, and the originals that only it holds."""
        self.send(session_calls.delete(session))

    def append(
        self,
        session: str,
        messages: Sequence[Json],
        *,
        format: MessageFormat = "anthropic",
        key: str | None = None,
        version: int | None = None,
    ) -> answers.Report:
        """Append messages. A repeated ``key`` changes nothing twice; a stale ``version`` is refused."""
        call = session_calls.append(session, messages, format, key=key, version=version)
        return self.send(call)

    def append_page(
        self,
        session: str,
        page: PageOptions,
        *,
        format: MessageFormat = "anthropic",
        key: str | None = None,
        version: int | None = None,
    ) -> answers.AppendedPage:
        """Fetch a page and append it as a tool's result."""
        call = session_calls.append_page(session, page, format, key=key, version=version)
        return self.send(call)

    def context(
        self, session: str, *, format: MessageFormat = "anthropic"
    ) -> tuple[answers.Context, str]:
        """What to send to the model, with its ETag."""
        made = self.send(session_calls.context(session, format, None))
        assert made is not None
        return made

    def context_since(
        self, session: str, etag: str, *, format: MessageFormat = "anthropic"
    ) -> tuple[answers.Context, str] | None:
        """As ``context``; ``None`` when it is still that of ``etag``."""
        return self.send(session_calls.context(session, format, etag))

    def key_info(self, session: str) -> answers.KeyInfo:
        """What the agent keeps in view."""
        return self.send(session_calls.key_info(session))

    def put_key_info(
        self, session: str, text: str, *, version: int | None = None
    ) -> answers.KeyInfo:
        """Replace what the agent keeps in view."""
        return self.send(session_calls.put_key_info(session, text, version))

    def expand(
        self, session: str, ref: str, *, start: int = 0, count: int | None = None
    ) -> answers.Expanded:
        """What was taken out of a session, or a range of it in characters."""
        return self.send(session_calls.expand(session, ref, start, count))

    def grep(self, session: str, ref: str, keyword: str) -> list[answers.Line]:
        """The lines of what was taken out that hold ``keyword``."""
        return self.send(session_calls.grep(session, ref, keyword))

    def certificate(self, session: str) -> list[Json]:
        """Where every entry of the session stands."""
        return self.send(session_calls.certificate(session))

    def validate(self, messages: Sequence[Json], *, profile: str = "anthropic") -> answers.Verdict:
        """What a provider would refuse of these messages."""
        return self.send(session_calls.validate(messages, profile))

    def compact(
        self,
        messages: Sequence[Json],
        *,
        format: MessageFormat = "anthropic",
        **options: Unpack[SessionOptions],
    ) -> dict[str, Any]:
        """A whole history compacted at once, without a session."""
        return self.send(session_calls.compact(messages, format, options))

    def start_job(
        self,
        pages: Sequence[str | PageOptions],
        *,
        options: PageOptions | None = None,
        webhook: Json | None = None,
    ) -> Json:
        """Read many pages in the background."""
        return self.send(job_calls.start(pages, options, webhook))

    def job(self, job: str) -> Json:
        """How far a job is."""
        return self.send(job_calls.show(job))

    def job_results(self, job: str, *, cursor: str | None = None, limit: int | None = None) -> Json:
        """Results of a job; ``next`` is the cursor for those after them."""
        return self.send(job_calls.results(job, cursor, limit))

    def delete_job(self, job: str) -> None:
        """Cancel a job, or forget one that has ended."""
        self.send(job_calls.delete(job))

    def open_tab(self, **options: Unpack[TabOptions]) -> answers.Tab:
        """Open a page that stays; it is closed when nobody has used it for a while."""
        return self.send(tab_calls.open_tab(options))

    def tabs(self) -> list[answers.Tab]:
        """The tabs that are open, oldest first."""
        return self.send(tab_calls.tabs())

    def scan(self, tab: str, **options: Unpack[ScanOptions]) -> answers.Scan:
        """The page of a tab as it stands, with refs of what can be acted on."""
        return self.send(tab_calls.scan(tab, options))

    def act(self, tab: str, **options: Unpack[ActOptions]) -> answers.Outcome:
        """Click, type, select, press or scroll; what that changed."""
        return self.send(tab_calls.act(tab, options))

    def execute(self, tab: str, **options: Unpack[ExecuteOptions]) -> answers.Outcome:
        """Run a script in a tab; its value, and what it changed."""
        return self.send(tab_calls.execute(tab, options))

    def value(self, ref: str) -> str:
        """The whole value of a script that was saved."""
        return self.send(tab_calls.value(ref))

    def screenshot(self, tab: str, *, full_page: bool = False) -> bytes:
        """A PNG of a tab."""
        return self.send(tab_calls.screenshot(tab, full_page))

    def close_tab(self, tab: str) -> None:
        """Close a tab; those that its page opened stay."""
        self.send(tab_calls.close(tab))

    def note_evidence(self, session: str, evidence: Json, *, version: int | None = None) -> Json:
        """Note a fact: ``text``, and what it ``supports`` or ``contradicts``; the item, with its id."""
        return self.send(trace_calls.write(session, "evidence", evidence, version))

    def propose(self, session: str, hypothesis: Json, *, version: int | None = None) -> Json:
        """Propose a hypothesis: ``claim``, and what ``supports`` it; the item, with its id."""
        return self.send(trace_calls.write(session, "hypotheses", hypothesis, version))

    def decide(self, session: str, decision: Json, *, version: int | None = None) -> Json:
        """Write down a decision: ``text``, and what it ``depends_on``; the item, with its id."""
        return self.send(trace_calls.write(session, "decisions", decision, version))

    def recall(self, session: str, query: str, *, budget_chars: int = 4_000) -> Json:
        """What the session knows that matters for a question, as ``text`` and as ``items``."""
        return self.send(trace_calls.recall(session, query, budget_chars))
