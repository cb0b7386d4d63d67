"""Many pages at once."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence

from api.client import job_calls
from api.client.awaiting.sending import AsyncSending
from api.client.call import Json
from api.client.following import Event
from api.client.options import PageOptions


class AsyncJobs(AsyncSending):
    """Many pages at once."""

    async def start_job(
        self,
        pages: Sequence[str | PageOptions],
        *,
        options: PageOptions | None = None,
        webhook: Json | None = None,
        key: str | None = None,
    ) -> Json:
        """Read many pages in the background. A repeated ``key`` starts nothing twice."""
        return await self.send(job_calls.start(pages, options, webhook, key=key))

    async def jobs(
        self, *, state: str | None = None, cursor: str | None = None, limit: int | None = None
    ) -> Json:
        """Jobs, newest first; ``next`` is the cursor for those after them."""
        return await self.send(job_calls.listed(state, cursor, limit))

    async def job(self, job: str) -> Json:
        """How far a job is."""
        return await self.send(job_calls.show(job))

    def job_events(self, job: str, *, after: str = "") -> AsyncIterator[Event]:
        """Each page as it ends (``page``), then the job (``end``); ``after`` is the last id seen."""
        return self.follow(job_calls.events(job, after))

    async def job_results(
        self, job: str, *, cursor: str | None = None, limit: int | None = None
    ) -> Json:
        """Results of a job; ``next`` is the cursor for those after them."""
        return await self.send(job_calls.results(job, cursor, limit))

    async def delete_job(self, job: str) -> None:
        """Cancel a job, or forget one that has ended."""
        await self.send(job_calls.delete(job))
