"""Stored captures: the same page again under other options, and single folds of it."""

from __future__ import annotations

import asyncio
from typing import Annotated

from fastapi import APIRouter, Header, Path, Query
from starlette.responses import Response

from api.callers import CallerOf
from api.errors import problem_responses
from api.maps import map_bytes, map_schema
from api.media import MEDIA_TYPES, chosen_format, content_format, page_contents, page_response
from api.metrics import Metrics
from api.models import MapQuery, ReplayQuery, UnfoldQuery
from api.state import ExtractorOf, MetricsOf
from extractor.errors import NotFound
from extractor.offline import filter_snapshot, unfold
from extractor.request import PICTURES
from extractor.snapshot import Snapshot
from extractor.store import SnapshotStore

router = APIRouter(prefix="/v1/snapshots", tags=["snapshots"])

SnapshotId = Annotated[str, Path(description="the snapshot's id", pattern="^[0-9a-f]{32}$")]
Ref = Annotated[str, Path(description="ref of a fold or region", pattern="^[A-Za-z0-9_.:-]{1,64}$")]

_ERRORS = problem_responses(
    "invalid_request", "invalid_selector", "budget_impossible", "not_found", "internal"
)


@router.get(
    "/{snapshot_id}",
    summary="Filter a stored page again",
    response_class=Response,
    responses={
        200: {"description": "The page in the form asked for.", "content": page_contents()},
        **_ERRORS,
    },
)
async def replay(
    snapshot_id: SnapshotId,
    params: Annotated[ReplayQuery, Query()],
    extractor: ExtractorOf,
    caller: CallerOf,
    metrics: MetricsOf,
    accept: Annotated[str | None, Header()] = None,
) -> Response:
    """The captured page under another budget, query or format; nothing is fetched."""
    wanted = chosen_format(params.format, accept)
    form = content_format(wanted)
    pictured = wanted in PICTURES
    snapshot = await _loaded(
        extractor.store.of(caller.tenant), snapshot_id, metrics, pictures=pictured
    )
    page = await asyncio.to_thread(
        filter_snapshot,
        snapshot,
        budget=params.budget,
        format=form,
        query=params.query,
        main_only=params.main_only,
        include=tuple(params.include),
        exclude=tuple(params.exclude),
        collapsed=params.collapsed,
        filter=params.filter,
        fold=params.fold,
        markup=params.markup,
        explain=params.explain,
        provenance=params.provenance,
        include_hidden=params.include_hidden,
        sr_only_chars=extractor.settings.sr_only_chars,
    )
    return page_response(page, wanted)


@router.get(
    "/{snapshot_id}/folds/{ref}",
    summary="Unfold one part",
    response_class=Response,
    responses={
        200: {
            "description": "The part alone.",
            "content": {
                media: {"schema": {"type": "string"}}
                for media in ("text/markdown", "text/html", "text/plain")
            },
        },
        **_ERRORS,
    },
)
async def unfold_part(
    snapshot_id: SnapshotId,
    ref: Ref,
    params: Annotated[UnfoldQuery, Query()],
    extractor: ExtractorOf,
    caller: CallerOf,
    metrics: MetricsOf,
) -> Response:
    """What a fold marker stands for, in full or under a budget of its own."""
    snapshot = await _loaded(extractor.store.of(caller.tenant), snapshot_id, metrics)
    part = await asyncio.to_thread(
        unfold,
        snapshot,
        ref,
        budget=params.budget,
        format=params.format,
        sr_only_chars=extractor.settings.sr_only_chars,
    )
    return Response(
        part.encode(),
        headers={"X-Pagefold-Snapshot": snapshot_id},
        media_type=MEDIA_TYPES[params.format],
    )


@router.get(
    "/{snapshot_id}/map",
    summary="Where everything stands",
    response_class=Response,
    responses={
        200: {
            "description": "The page, and where on its picture is what was kept, folded and hidden.",
            "content": {"application/json": {"schema": map_schema()}},
        },
        **_ERRORS,
    },
)
async def draw_map(
    snapshot_id: SnapshotId,
    params: Annotated[MapQuery, Query()],
    extractor: ExtractorOf,
    caller: CallerOf,
    metrics: MetricsOf,
) -> Response:
    """The captured page under another budget or query, with boxes; captures with a screenshot have most."""
    store, settings = extractor.store.of(caller.tenant), extractor.settings
    snapshot = await _loaded(store, snapshot_id, metrics, pictures=False, looked_at=True)
    drawn = await asyncio.to_thread(map_bytes, snapshot, params, settings.sr_only_chars)
    asyncio.get_running_loop().call_later(settings.map_idle_s + 1, store.recent.expire)
    return Response(drawn, media_type="application/json")


async def _loaded(
    store: SnapshotStore,
    snapshot_id: str,
    metrics: Metrics,
    *,
    pictures: bool = True,
    looked_at: bool = False,
) -> Snapshot:
    outcome = "failed"
    try:
        snapshot = await asyncio.to_thread(
            store.load, snapshot_id, pictures=pictures, looked_at=looked_at
        )
        outcome = "hit"
    except NotFound:
        outcome = "miss"
        raise
    finally:
        metrics.snapshot(outcome)
    return snapshot
