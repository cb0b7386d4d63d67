"""Fields from the wire as a page request; what is wrong with them names its field."""

from __future__ import annotations

from collections.abc import Mapping

from pydantic import ValidationError

from api.callers import Caller
from api.errors import explain_validation
from api.metrics import Metrics
from api.page_watch import watching
from extractor.errors import InvalidRequest
from extractor.extract import Extractor
from extractor.page import Page
from extractor.request import Delay, PageRequest
from extractor.stages import Listener


def page_request(fields: Mapping[str, object], *, prefix: str = "") -> PageRequest:
    """The request that ``fields`` make; ``prefix`` stands before names of fields in errors.

    Raises:
        InvalidRequest: a field is unknown or holds what it cannot.
    """
    try:
        return PageRequest.model_validate(dict(fields))
    except ValidationError as error:
        field, detail = explain_validation(error)
        name = ".".join(filter(None, (prefix, field)))
        raise InvalidRequest(detail, field=name or None) from error


async def extract_for(
    caller: Caller,
    extractor: Extractor,
    wanted: PageRequest,
    *,
    metrics: Metrics,
    also: Listener | None = None,
) -> Page:
    """The page, read and kept for the caller's tenant; ``also`` hears every stage as it begins.

    Raises:
        Forbidden: the caller's key does not allow what the request asks for.
        ExtractorError: as ``Extractor.extract``.
    """
    caller.require("pages")
    if isinstance(wanted.wait, Delay) and wanted.wait.predicate is not None:
        caller.require("execute")
    with watching(metrics, also) as watched:
        page = await extractor.extract(wanted, tenant=caller.tenant)
        watched.page = page
    return page
