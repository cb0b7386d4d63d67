"""Frames, with their content where that stands in the page itself."""

from __future__ import annotations

from collections.abc import Callable

from extractor.static.document import Document, read_document
from extractor.tree import Attrs, Tree, body_of

MAX_FRAMES_DEEP = 4


def frame(raw: Attrs, document: Document, annotate: Callable[[Document], Tree] | None) -> Tree:
    """A frame as ``pf-frame``.

    Args:
        annotate: reads what ``srcdoc`` holds; ``None`` where frames are nested too deep for that.
    """
    attrs: Attrs = {}
    if raw.get("title"):
        attrs["title"] = raw["title"]
    if raw.get("src") and "srcdoc" not in raw:
        attrs["src"] = document.base.absolute(raw["src"])
    out = Tree(["pf-frame"], [-1], [1], [attrs or None], [""])
    if "srcdoc" in raw and annotate is not None:
        base, viewport = document.base.url, document.viewport
        inner = annotate(read_document(raw["srcdoc"], base, viewport, {}, document.limits))
        body = body_of(inner)
        _graft(out, inner, body + 1, inner.end[body] if body else 0)
    return out


def _graft(out: Tree, inner: Tree, start: int, stop: int) -> None:
    shift = len(out) - start
    out.tag += inner.tag[start:stop]
    out.attrs += inner.attrs[start:stop]
    out.text += inner.text[start:stop]
    out.parent += [max(above + shift, 0) for above in inner.parent[start:stop]]
    out.end += [end + shift for end in inner.end[start:stop]]
    out.end[0] = len(out)
