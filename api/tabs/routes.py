"""``/v1/tabs``: open a page, look at it, act on it, and look again."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, TypeVar

import orjson
from fastapi import APIRouter, Body, Path
from pydantic import ValidationError
from starlette.responses import Response

from api.callers import CallerOf
from api.errors import explain_validation
from api.json_bodies import ThreadedJsonRoute
from api.state import ExtractorOf
from api.tabs import docs, values
from api.tabs.shapes import outcome_json, scan_json
from api.threads import run_to_end
from compactor import ObjectArchive
from extractor.errors import InvalidRequest
from extractor.tabs import TabAct, TabExecute, TabOpen, TabScan, TabShot, picture_type

TabId = Annotated[str, Path(description="the tab's id", pattern="^t_[0-9a-f]{16}$")]
ValueRef = Annotated[str, Path(description="ref of a value", pattern="^a:[0-9a-f]{8,64}$")]
ArchiveOf = Callable[[str], ObjectArchive]
_T = TypeVar("_T")


def router(archive_of: ArchiveOf) -> APIRouter:
    """All routes of tabs; ``archive_of`` gives the archive of a tenant."""
    routes = APIRouter(prefix="/v1/tabs", tags=["tabs"], route_class=ThreadedJsonRoute)
    _add_values(routes, archive_of)
    _add_life(routes)
    _add_looking(routes)
    _add_steps(routes, archive_of)
    return routes


def _add_life(routes: APIRouter) -> None:
    @routes.post(
        "", status_code=201, summary="Open a tab", response_class=Response, responses=docs.OPENING
    )
    async def open_tab(
        wanted: Annotated[TabOpen, Body(openapi_examples=docs.OPEN_EXAMPLES)],
        extractor: ExtractorOf,
        caller: CallerOf,
    ) -> Response:
        """The page stays open until it is closed, or nobody has used it for `PAGEFOLD_TAB_IDLE_S`."""
        _checked(wanted.page_request)
        tab = await extractor.tabs.open(wanted, tenant=caller.tenant)
        return _json(tab, 201, {"Location": f"/v1/tabs/{tab.id}"})

    @routes.get("", summary="Tabs that are open", response_class=Response, responses=docs.LISTING)
    async def list_tabs(extractor: ExtractorOf, caller: CallerOf) -> Response:
        return _json({"tabs": extractor.tabs.list(caller.tenant)})

    @routes.get("/{tab_id}", summary="One tab", response_class=Response, responses=docs.SHOWING)
    async def show_tab(tab_id: TabId, extractor: ExtractorOf, caller: CallerOf) -> Response:
        return _json(extractor.tabs.get(tab_id, tenant=caller.tenant))

    @routes.delete("/{tab_id}", status_code=204, summary="Close a tab", responses=docs.CLOSING)
    async def close_tab(tab_id: TabId, extractor: ExtractorOf, caller: CallerOf) -> Response:
        """Those that its page opened stay."""
        await extractor.tabs.close(tab_id, tenant=caller.tenant)
        return Response(status_code=204)


def _add_looking(routes: APIRouter) -> None:
    @routes.post(
        "/{tab_id}/scan", summary="Look at a tab", response_class=Response, responses=docs.SCANNING
    )
    async def scan(
        tab_id: TabId,
        extractor: ExtractorOf,
        caller: CallerOf,
        wanted: Annotated[TabScan, Body(openapi_examples=docs.SCAN_EXAMPLES)] = TabScan(),  # noqa: B008
    ) -> Response:
        """The page as it stands, with refs of what can be acted on."""
        _checked(lambda: wanted.page_request("https://example.org/"))
        seen = await extractor.tabs.scan(tab_id, wanted, tenant=caller.tenant)
        return await run_to_end(lambda: _json(scan_json(seen)))

    @routes.post(
        "/{tab_id}/screenshot",
        summary="A picture of a tab",
        response_class=Response,
        responses=docs.DRAWING,
    )
    async def screenshot(
        tab_id: TabId,
        extractor: ExtractorOf,
        caller: CallerOf,
        wanted: TabShot = TabShot(),  # noqa: B008
    ) -> Response:
        """What is in view, or the whole page."""
        picture = await extractor.tabs.screenshot(tab_id, wanted, tenant=caller.tenant)
        return Response(picture, media_type=picture_type(picture))


def _add_steps(routes: APIRouter, archive_of: ArchiveOf) -> None:
    @routes.post(
        "/{tab_id}/execute",
        summary="Run a script in a tab",
        response_class=Response,
        responses=docs.EXECUTING,
    )
    async def execute(
        tab_id: TabId,
        wanted: Annotated[TabExecute, Body(openapi_examples=docs.EXECUTE_EXAMPLES)],
        extractor: ExtractorOf,
        caller: CallerOf,
    ) -> Response:
        """An expression, or the body of an asynchronous function. The key must allow `execute`."""
        caller.require("execute")
        outcome = await extractor.tabs.execute(tab_id, wanted, tenant=caller.tenant)
        saved = None
        if wanted.save_to_file:
            archive = archive_of(caller.tenant)
            saved = await run_to_end(
                lambda: values.save(archive, outcome.whole, outcome.value_type)
            )
        return _json(outcome_json(outcome, saved))

    @routes.post(
        "/{tab_id}/act", summary="Act on a tab", response_class=Response, responses=docs.ACTING
    )
    async def act(
        tab_id: TabId,
        wanted: Annotated[TabAct, Body(openapi_examples=docs.ACT_EXAMPLES)],
        extractor: ExtractorOf,
        caller: CallerOf,
    ) -> Response:
        """Click, type, select, press or scroll, on refs of the last scan."""
        outcome = await extractor.tabs.act(tab_id, wanted, tenant=caller.tenant)
        return _json(outcome_json(outcome))


def _add_values(routes: APIRouter, archive_of: ArchiveOf) -> None:
    @routes.get(
        "/values/{value_ref}",
        summary="The whole value of a script",
        response_class=Response,
        responses=docs.VALUE,
    )
    async def value(value_ref: ValueRef, caller: CallerOf) -> Response:
        """What `save_to_file` kept. It is kept for a day at least."""
        archive = archive_of(caller.tenant)
        found = await run_to_end(lambda: values.load(archive, value_ref))
        return Response(
            str(found["text"]).encode("utf-8", "replace"),
            headers={"X-Pagefold-Type": str(found["type"])},
            media_type="text/plain; charset=utf-8",
        )


def _json(body: Any, status: int = 200, headers: dict[str, str] | None = None) -> Response:
    written = orjson.dumps(body, option=orjson.OPT_NON_STR_KEYS)
    return Response(written, status, headers, media_type="application/json")


def _checked(make: Callable[[], _T]) -> _T:
    """What the fields make, before anything is begun.

    Raises:
        InvalidRequest: a field holds what it cannot.
    """
    try:
        return make()
    except ValidationError as error:
        field, detail = explain_validation(error)
        raise InvalidRequest(detail, field=field or None) from error
