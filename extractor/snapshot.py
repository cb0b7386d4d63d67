"""The page as captured: one annotated HTML document and a metadata record."""

from __future__ import annotations

import dataclasses
import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal, TypeVar, cast

from extractor.tree import Tree, parse

_Found = TypeVar("_Found")

#: Findings that are kept with a snapshot; the oldest goes first.
_MOST_KEPT = 2
#: Raised whenever an annotation changes its meaning; part of the content address.
SNAPSHOT_VERSION = 1


@dataclass(frozen=True, slots=True)
class Notice:
    """One thing the caller should know: hidden text, a dialog, a blocked host, a cap, …"""

    code: str
    """Stable name: `dialog`, `blocked_host`, `cap`, `frame`, `hidden_text`, `render`, `retried`, …"""
    text: str
    """One line for people."""
    count: int = 1
    """How often it happened."""


@dataclass(frozen=True, slots=True)
class PageFact:
    """Something that only a browser notices of the page as a whole: ``growth``, ``lazy_images``."""

    kind: str
    label: str
    count: int = 1


@dataclass(frozen=True, slots=True)
class Wait:
    """Which sign ended the wait for the page, and what was still pending then."""

    ended_by: str = "static"
    """`no_scripts`, `unchanged`, `quiet`, `cap`, what was asked for, or `static` without a browser."""
    pending: tuple[str, ...] = ()
    """What had not come to an end: fetches, skeletons, `aria-busy`, a script that never rests."""


@dataclass(frozen=True, slots=True)
class SnapshotMeta:
    """What is known of a capture besides its document.

    ``captured_at`` is ISO 8601 in UTC. ``raw_chars`` counts code points of the page's own markup as
    received or serialised, before any cleaning. ``dropped`` maps a tag (``script``, ``style``, …) to the
    code points of text inside the elements that were left out. ``timings_ms`` is by stage.
    """

    url: str
    final_url: str
    render: Literal["browser", "static", "given"]
    status: int = 200
    redirects: tuple[str, ...] = ()
    content_type: str = "text/html"
    charset: str = "utf-8"
    title: str = ""
    lang: str = ""
    captured_at: str = ""
    viewport: tuple[int, int] | None = None
    wait: Wait = Wait()
    complete: bool = True
    incomplete_reason: str | None = None
    notices: tuple[Notice, ...] = ()
    raw_chars: int = 0
    nodes: int = 0
    dropped: dict[str, int] = field(default_factory=dict)
    json_ld: tuple[str, ...] = ()
    unseen: tuple[PageFact, ...] = ()
    timings_ms: dict[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A capture that can be filtered again and again without the network.

    ``html`` is in normal form: parsing it and writing it back gives the same bytes.
    ``id`` is the SHA-256 (first 32 hex digits) of the document and the record, timings left out.
    ``pictures`` (``screenshot``, ``pdf``) are there only if the capture was asked for them; they are no
    part of the id and are stored beside the document. ``built`` is ``html`` with the arrays that it was
    written from, so that the stages which follow at once need not parse it; results do not keep it.
    """

    html: str
    meta: SnapshotMeta
    pictures: dict[str, bytes] = field(default_factory=dict)
    built: tuple[str, Tree] | None = field(default=None, compare=False, repr=False)
    _id: list[str] = field(default_factory=list, init=False, compare=False, repr=False)
    _known: dict[object, object] = field(
        default_factory=dict, init=False, compare=False, repr=False
    )

    def tree(self) -> Tree:
        """The document as arrays, which nobody may change."""
        if self.built is not None and self.built[0] is self.html:
            return self.built[1]
        return parse(self.html)

    def once(self, name: object, make: Callable[[], _Found]) -> tuple[_Found, bool]:
        """What ``make`` finds in this snapshot, and whether it was found before: it is kept with it.

        ``name`` tells it from other findings. What is found must not refer to this snapshot itself.
        """
        if name in self._known:
            return cast(_Found, self._known[name]), True
        found = make()
        for oldest in list(self._known)[: 1 - _MOST_KEPT]:
            self._known.pop(oldest, None)
        self._known[name] = found
        return found, False

    @property
    def id(self) -> str:
        if not self._id:
            self._id.append(self._worked_out())
        return self._id[0]

    def _worked_out(self) -> str:
        record = _record(self.meta)
        record.pop("timings_ms")
        payload = json.dumps(
            [SNAPSHOT_VERSION, record, self.html], sort_keys=True, ensure_ascii=True
        )
        return hashlib.sha256(payload.encode("ascii")).hexdigest()[:32]

    def to_bytes(self) -> bytes:
        """One UTF-8 file that any HTML reader opens: the record as a comment, then the document."""
        record = json.dumps(_record(self.meta), sort_keys=True, ensure_ascii=True)
        safe = record.replace("-", "\\u002d").replace(">", "\\u003e")
        return f"<!--pagefold {SNAPSHOT_VERSION} {safe}-->{self.html}".encode()

    @classmethod
    def from_bytes(cls, data: bytes) -> Snapshot:
        """Read what ``to_bytes`` wrote.

        Raises:
            ValueError: the bytes are not a snapshot of this version.
        """
        text = data.decode("utf-8")
        head, found, html = text.partition("-->")
        prefix = f"<!--pagefold {SNAPSHOT_VERSION} "
        if not found or not head.startswith(prefix):
            raise ValueError(f"not a snapshot of version {SNAPSHOT_VERSION}")
        return cls(html=html, meta=_meta(json.loads(head[len(prefix) :])))


def _record(meta: SnapshotMeta) -> dict[str, Any]:
    return dataclasses.asdict(meta)


def _meta(record: dict[str, Any]) -> SnapshotMeta:
    values = dict(record)
    values["wait"] = Wait(values["wait"]["ended_by"], tuple(values["wait"]["pending"]))
    values["notices"] = tuple(Notice(**notice) for notice in values["notices"])
    values["unseen"] = tuple(PageFact(**fact) for fact in values.get("unseen", ()))
    values["redirects"] = tuple(values["redirects"])
    values["json_ld"] = tuple(values["json_ld"])
    values["viewport"] = tuple(values["viewport"]) if values["viewport"] else None
    return SnapshotMeta(**values)
