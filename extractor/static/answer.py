"""The order of the static path: bytes → text → tree → styles → annotated tree → snapshot."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Literal

from extractor.documents import document_of
from extractor.encoding import Decoded, decode
from extractor.errors import EmptyPage
from extractor.nesting import normalise
from extractor.serialise import serialise
from extractor.snapshot import Notice, Snapshot, SnapshotMeta
from extractor.sniff import Kind, kind_of, media_type
from extractor.static.annotate import annotated
from extractor.static.bounds import Limits
from extractor.static.document import read_document
from extractor.static.facts import Facts
from extractor.static.splice import first_nodes
from extractor.styles import Viewport
from extractor.tree import Tree

#: Answers whose bytes are no text in any encoding.
_NO_TEXT = ("pdf", "image")


@dataclass(frozen=True, slots=True)
class StaticOptions:
    """How to read a page without a browser.

    Attributes:
        viewport: the window that media queries are answered for.
        sheets: text of linked style sheets by absolute address; those that are not here stay unknown.
        max_nodes: elements and texts that are read; more are cut off and counted.
        max_attributes: attributes of one element that are read; more are left out and counted.
    """

    viewport: Viewport = field(default_factory=Viewport)
    sheets: Mapping[str, str] = field(default_factory=dict)
    max_nodes: int = 300_000
    max_attributes: int = 1_000


DEFAULT_OPTIONS = StaticOptions()


def snapshot_from_bytes(
    body: bytes,
    *,
    url: str,
    final_url: str | None = None,
    content_type: str | None = None,
    status: int = 200,
    redirects: tuple[str, ...] = (),
    render: Literal["static", "given"] = "static",
    disposition: str | None = None,
    options: StaticOptions = DEFAULT_OPTIONS,
) -> Snapshot:
    """Decode, parse and annotate one answer. Linear.

    No script runs, so ``noscript`` is shown as a browser without scripts shows it.

    Raises:
        EmptyPage: there are no bytes.
        UnsupportedMedia, DownloadError: it is nothing that can be read.
    """
    if not body.strip() or status == 204:
        raise EmptyPage("the answer has no body")
    where = final_url or url
    kind = kind_of(content_type, body[:1024], disposition)
    decoded = decode(body, content_type)
    text = decoded.text
    if kind != "html":
        text = document_of(kind, body, text, where, content_type)
    tree, facts = _annotated(text, where, options)
    normal = normalise(tree)
    meta = SnapshotMeta(
        url=url,
        final_url=where,
        render=render,
        status=status,
        redirects=redirects,
        content_type=media_type(content_type),
        charset="" if kind in _NO_TEXT else decoded.charset,
        title=facts.title,
        lang=(normal.attrs[0] or {}).get("lang", ""),
        captured_at=datetime.now(UTC).isoformat(timespec="seconds") if render == "static" else "",
        complete=not facts.cap,
        incomplete_reason=facts.cap or None,
        notices=_notices(decoded, kind, facts, options),
        raw_chars=len(decoded.text),
        nodes=len(normal),
        dropped=facts.dropped,
        json_ld=tuple(facts.json_ld),
    )
    return _built(normal, meta)


def _built(tree: Tree, meta: SnapshotMeta) -> Snapshot:
    html = serialise(tree)
    return Snapshot(html, meta, built=(html, tree))


def _annotated(text: str, where: str, options: StaticOptions) -> tuple[Tree, Facts]:
    facts = Facts()
    limits = Limits(options.max_nodes, options.max_attributes)
    document = read_document(text, where, options.viewport, options.sheets, limits)
    if len(document.tree) > options.max_nodes:
        facts.cut = len(document.tree) - options.max_nodes
        document = replace(document, tree=first_nodes(document.tree, options.max_nodes))
    return annotated(document, facts), facts


def _notices(
    decoded: Decoded, kind: Kind, facts: Facts, options: StaticOptions
) -> tuple[Notice, ...]:
    found = [
        Notice("undecodable", "bytes that make no sense became U+FFFD", decoded.replaced),
        Notice("not_html", f"made from {kind}", int(kind != "html")),
        Notice("depth", "nesting past the deepest level was flattened", facts.deep),
        Notice("formatting", "formatting that never ends was left out", facts.formatting),
        Notice(
            "truncated_nodes",
            f"max_nodes: nodes past the first {options.max_nodes} were not read",
            facts.cut,
        ),
        Notice(
            "truncated_attributes",
            f"attributes past the first {options.max_attributes} of an element were not read",
            facts.attributes,
        ),
        Notice(
            "styles", "style rules that are not understood were passed over", facts.rules_skipped
        ),
        Notice("sheets", "linked style sheets were not read", facts.sheets_missing),
        Notice(
            "revealed",
            "most of the page is hidden until a script shows it; it is taken as shown",
            facts.revealed,
        ),
    ]
    return tuple(notice for notice in found if notice.count)
