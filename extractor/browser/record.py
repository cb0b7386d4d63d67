"""The record of a capture: what is known of a page besides its document."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from extractor.browser.watch import Watch
from extractor.snapshot import Notice, PageFact, SnapshotMeta, Wait
from extractor.sniff import media_type


@dataclass(frozen=True, slots=True)
class Course:
    """How a capture went. ``reached`` says whether the page got to ``load`` in time.

    ``cap`` names the bound of the capture itself that was hit (of scrolling, of nodes), or is empty.
    ``timings_ms`` is by stage.
    """

    url: str
    reached: bool
    wait: Wait
    cap: str
    notices: tuple[Notice, ...]
    timings_ms: dict[str, float]


def record_of(course: Course, watch: Watch, record: dict[str, Any], nodes: int) -> SnapshotMeta:
    """The metadata of a snapshot; ``record`` is the page script's own."""
    document = watch.document
    reason = _incomplete(course, watch)
    width, height = record.get("viewport", (0, 0))
    return SnapshotMeta(
        url=course.url,
        final_url=str(record.get("url") or document.url),
        render="browser",
        status=document.status or 200,
        redirects=tuple(document.redirects),
        content_type=media_type(document.content_type),
        charset=str(record.get("charset", "utf-8")).lower(),
        title=str(record.get("title", "")),
        lang=str(record.get("lang", "")),
        captured_at=datetime.now(UTC).isoformat(timespec="seconds"),
        viewport=(int(width), int(height)),
        wait=course.wait,
        complete=reason is None,
        incomplete_reason=reason,
        notices=_notices(course, watch, record),
        raw_chars=max(int(record.get("raw_chars", 0)), document.received),
        nodes=nodes,
        dropped=dict(record.get("dropped", {})),
        json_ld=tuple(record.get("json_ld", ())),
        unseen=tuple(PageFact(**fact) for fact in record.get("unseen", ())),
        timings_ms={stage: round(spent, 1) for stage, spent in course.timings_ms.items()},
    )


def _incomplete(course: Course, watch: Watch) -> str | None:
    if watch.cut:
        return watch.cut
    if not course.reached:
        return "deadline"
    return course.cap or None


def _notices(course: Course, watch: Watch, record: dict[str, Any]) -> tuple[Notice, ...]:
    notices = [
        *watch.notices(),
        *course.notices,
        *(Notice(**item) for item in record.get("notices", ())),
    ]
    if record.get("surrogates"):
        notices.append(Notice("surrogate", "lone surrogates became U+FFFD", record["surrogates"]))
    if watch.cut:
        notices.append(Notice("cap", watch.cut))
    return tuple(notices)
