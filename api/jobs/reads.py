"""One page of a job, read like any other."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import structlog

from api.errors import problem, problem_of
from api.jobs.leases import Claim
from api.jobs.sealing import Seal
from api.metrics import Metrics
from api.page_request import page_request
from api.page_watch import watching
from api.pages_json import page_bytes
from extractor.errors import Busy, DeadlineExceeded, Draining, ExtractorError
from extractor.extract import Extractor
from extractor.stages import Stage

_log = structlog.get_logger("pagefold.jobs")


@dataclass(frozen=True, slots=True)
class Read:
    """What came of one try: a page as JSON, or a problem document.

    ``again``: another try may help; ``counts``: this one was a try; ``wait_s``: not before then.
    """

    page: bytes | None = None
    problem: dict[str, Any] | None = None
    again: bool = False
    counts: bool = True
    wait_s: float = 0.0


class Reader:
    """Reads pages of jobs with the service's own extractor, behind all other requests."""

    def __init__(self, extractor: Extractor, seal: Seal, metrics: Metrics) -> None:
        self._extractor, self._seal, self._metrics = extractor, seal, metrics

    async def read(self, claim: Claim) -> Read:
        """Read the page of a claim; what goes wrong is part of what is returned."""
        stage: list[Stage] = []
        try:
            return Read(page=await self._page(claim, stage.append))
        except (Busy, Draining) as error:
            # The service had no room: that says nothing about the page.
            wait_s = getattr(error, "retry_after_s", 1.0)
            return Read(problem=_document(error), again=True, counts=False, wait_s=wait_s)
        except DeadlineExceeded as error:
            return Read(
                problem=_document(error), again=True, counts=stage[-1:] != ["queue"], wait_s=1
            )
        except ExtractorError as error:
            return Read(problem=_document(error), again=error.retryable)
        except Exception:
            _log.exception("job_page_failed")
            answer = problem("internal", "Something failed on our side; the log says what.")
            return Read(problem=json.loads(bytes(answer.body)))

    async def _page(self, claim: Claim, heard: Callable[[Stage], None]) -> bytes:
        shared = self._seal.open(claim.options) if claim.options else {}
        own = self._seal.open(claim.request) if claim.request else {}
        wanted = page_request({**shared, **own}, prefix=f"pages.{claim.position}")
        with watching(self._metrics, heard) as watched:
            page = await self._extractor.extract(wanted, tenant=claim.tenant, behind=True)
            watched.page = page
        return page_bytes(page)


def _document(error: Exception) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(bytes(problem_of(error).body))
    return found
