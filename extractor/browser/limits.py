"""The limits of one page, from what the operator set and the request asks."""

from __future__ import annotations

from dataclasses import replace

from extractor.browser.document import Caps
from extractor.browser.frame_reader import FrameLimits
from extractor.browser.reach import reach_of
from extractor.browser.script import CaptureLimits
from extractor.browser.settle import SettleLimits
from extractor.browser.steer import SteerLimits
from extractor.request import PageRequest
from extractor.settings import ExtractorSettings

#: Characters of a document as it is captured, with its annotations, for each byte that may be received.
_GROWTH = 3


def caps_of(request: PageRequest, settings: ExtractorSettings) -> Caps:
    """What stops a page; a request can only lower the size of its document."""
    document = settings.max_document_bytes
    return Caps(
        document_bytes=min(document, request.max_bytes) if request.max_bytes else document,
        page_bytes=settings.max_page_bytes,
        requests=settings.max_requests,
        redirects=settings.max_redirects,
        navigations=settings.max_navigations,
        nodes=settings.max_nodes,
        frames=settings.max_frames,
        workers=settings.max_workers,
        dialogs=settings.max_dialogs,
        popups=settings.max_popups,
    )


def capture_limits(settings: ExtractorSettings) -> CaptureLimits:
    """How much of one document is read; what scripts made of it may be larger than what was sent."""
    return CaptureLimits(
        settings.max_nodes, settings.max_attributes, _GROWTH * settings.max_document_bytes
    )


def frame_limits(request: PageRequest, settings: ExtractorSettings) -> FrameLimits:
    """How much of a page and its frames is read; beside a picture, where everything stands on it."""
    limits = replace(
        capture_limits(settings),
        places="screenshot" in request.pictures,
        reach=reach_of(request, settings),
    )
    return FrameLimits(limits, settings.max_frames, scripts=request.javascript)


def settle_limits(settings: ExtractorSettings) -> SettleLimits:
    """How long a page may take to become quiet."""
    return SettleLimits(settings.settle_quiet_ms, int(settings.settle_cap_s * 1000))


def steer_limits(request: PageRequest, settings: ExtractorSettings, give_up: float) -> SteerLimits:
    """Bounds of scrolling and opening; ``give_up`` is in the event loop's time."""
    return SteerLimits(
        capture_limits(settings), request.javascript, settle_limits(settings), give_up
    )
