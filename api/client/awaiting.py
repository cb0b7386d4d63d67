"""The client for asyncio and trio."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self, TypeVar, Unpack

import anyio
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


class AsyncPagefold:
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
        tried = 0
        while True:
            tried += 1
            try:
                return call.value(await self._http.send(call.request_with(self._http)))
            except httpx2.TransportError as error:
                raise NoAnswer(f"no answer from {self._url} ({error})", retryable=True) from error
            except ProblemError as error:
                wait_s = self._retries.wait_s(error, tried)
                if wait_s is None:
                    raise
            await anyio.sleep(wait_s)

    async def read(
        self, url: str, *, format: PageFormat = "markdown", **options: Unpack[ReadOptions]
    ) -> str:
        """The page at ``url`` as text in one form."""
        return await self.send(page_calls.read(url, format, options))

    async def page(self, **options: Unpack[PageOptions]) -> answers.Page:
        """The page with all that is known of it."""
        return await self.send(page_calls.page(**options))

    async def again(
        self, snapshot: str, *, format: PageFormat = "markdown", **options: Unpack[ReplayOptions]
    ) -> str:
        """A stored page once more, under another budget, question or filter; nothing is fetched."""
        return await self.send(page_calls.again(snapshot, format, options))

    async def unfold(
        self, snapshot: str, ref: str, *, format: PartFormat = "markdown", budget: int | None = None
    ) -> str:
        """What the marker ``ref`` of a stored page stands for."""
        return await self.send(page_calls.unfold(snapshot, ref, format, budget))

    async def open_session(self, **options: Unpack[SessionOptions]) -> answers.Session:
        """A new session."""
        return await self.send(session_calls.open_session(**options))

    async def session(self, session: str) -> answers.Session:
        """Version and sizes of a session."""
        return await self.send(session_calls.show(session))

    async def delete_session(self, session: str) -> None:
        """Delete a session, and the originals that only it holds."""
        await self.send(session_calls.delete(session))

    async def append(
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
        return await self.send(call)

    async def append_page(
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
        return await self.send(call)

    async def context(
        self, session: str, *, format: MessageFormat = "anthropic"
    ) -> tuple[answers.Context, str]:
        """What to send to the model, with its ETag."""
        made = await self.send(session_calls.context(session, format, None))
        assert made is not None
        return made

    async def context_since(
        self, session: str, etag: str, *, format: MessageFormat = "anthropic"
    ) -> tuple[answers.Context, str] | None:
        """As ``context``; ``None`` when it is still that of ``etag``."""
        return await self.send(session_calls.context(session, format, etag))

    async def key_info(self, session: str) -> answers.KeyInfo:
        """What the agent keeps in view."""
        return await self.send(session_calls.key_info(session))

    async def put_key_info(
        self, session: str, text: str, *, version: int | None = None
    ) -> answers.KeyInfo:
        """Replace what the agent keeps in view."""
        return await self.send(session_calls.put_key_info(session, text, version))

    async def expand(
        self, session: str, ref: str, *, start: int = 0, count: int | None = None
    ) -> answers.Expanded:
        """What was taken out of a session, or a range of it in characters."""
        return await self.send(session_calls.expand(session, ref, start, count))

    async def grep(self, session: str, ref: str, keyword: str) -> list[answers.Line]:
        """The lines of what was taken out that hold ``keyword``."""
        return await self.send(session_calls.grep(session, ref, keyword))

    async def certificate(self, session: str) -> list[Json]:
        """Where every entry of the session stands."""
        return await self.send(session_calls.certificate(session))

    async def validate(
        self, messages: Sequence[Json], *, profile: str = "anthropic"
    ) -> answers.Verdict:
        """What a provider would refuse of these messages."""
        return await self.send(session_calls.validate(messages, profile))

    async def compact(
        self,
        messages: Sequence[Json],
        *,
        format: MessageFormat = "anthropic",
        **options: Unpack[SessionOptions],
    ) -> dict[str, Any]:
        """A whole history compacted at once, without a session."""
        return await self.send(session_calls.compact(messages, format, options))

    async def start_job(
        self,
        pages: Sequence[str | PageOptions],
        *,
        options: PageOptions | None = None,
        webhook: Json | None = None,
    ) -> Json:
        """Read many pages in the background."""
        return await self.send(job_calls.start(pages, options, webhook))

    async def job(self, job: str) -> Json:
        """How far a job is."""
        return await self.send(job_calls.show(job))

    async def job_results(
        self, job: str, *, cursor: str | None = None, limit: int | None = None
    ) -> Json:
        """Results of a job; ``next`` is the cursor for those after them."""
        return await self.send(job_calls.results(job, cursor, limit))

    async def delete_job(self, job: str) -> None:
        """Cancel a job, or forget one that has ended."""
        await self.send(job_calls.delete(job))

    async def open_tab(self, **options: Unpack[TabOptions]) -> answers.Tab:
        """Open a page that stays; it is closed when nobody has used it for a while."""
        return await self.send(tab_calls.open_tab(options))

    async def tabs(self) -> list[answers.Tab]:
        """The tabs that are open, oldest first."""
        return await self.send(tab_calls.tabs())

    async def scan(self, tab: str, **options: Unpack[ScanOptions]) -> answers.Scan:
        """The page of a tab as it stands, with refs of what can be acted on."""
        return await self.send(tab_calls.scan(tab, options))

    async def act(self, tab: str, **options: Unpack[ActOptions]) -> answers.Outcome:
        """Click, type, select, press or scroll; what that changed."""
        return await self.send(tab_calls.act(tab, options))

    async def execute(self, tab: str, **options: Unpack[ExecuteOptions]) -> answers.Outcome:
        """Run a script in a tab; its value, and what it changed."""
        return await self.send(tab_calls.execute(tab, options))

    async def value(self, ref: str) -> str:
        """The whole value of a script that was saved."""
        return await self.send(tab_calls.value(ref))

    async def screenshot(self, tab: str, *, full_page: bool = False) -> bytes:
        """A PNG of a tab."""
        return await self.send(tab_calls.screenshot(tab, full_page))

    async def close_tab(self, tab: str) -> None:
        """Close a tab; those that its page opened stay."""
        await self.send(tab_calls.close(tab))

    async def note_evidence(
        self, session: str, evidence: Json, *, version: int | None = None
    ) -> Json:
        """Note a fact: ``text``, and what it ``supports`` or ``contradicts``; the item, with its id."""
        return await self.send(trace_calls.write(session, "evidence", evidence, version))

    async def propose(self, session: str, hypothesis: Json, *, version: int | None = None) -> Json:
        """Propose a hypothesis: ``claim``, and what ``supports`` it; the item, with its id."""
        return await self.send(trace_calls.write(session, "hypotheses", hypothesis, version))

    async def decide(self, session: str, decision: Json, *, version: int | None = None) -> Json:
        """Write down a decision: ``text``, and what it ``depends_on``; the item, with its id."""
        return await self.send(trace_calls.write(session, "decisions", decision, version))

    async def recall(self, session: str, query: str, *, budget_chars: int = 4_000) -> Json:
        """What the session knows that matters for a question, as ``text`` and as ``items``."""
        return await self.send(trace_calls.recall(session, query, budget_chars))
