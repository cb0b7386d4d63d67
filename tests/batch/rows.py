"""Rows of every shape, for properties of what is written."""

from __future__ import annotations

from hypothesis import strategies as st

from batch.rows import (
    FilterUsed,
    Hashes,
    Json,
    Row,
    RowError,
    RowFold,
    RowRegion,
    RowWarning,
    Sizes,
    Source,
)

TEXT = st.text(st.characters(codec="utf-8"), max_size=20)
COUNT = st.integers(0, 2**40)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=6,
)


def some(kind: st.SearchStrategy[object]) -> st.SearchStrategy[object]:
    return st.none() | kind


ROWS = st.builds(
    Row,
    index=st.integers(0, 10**9),
    key=TEXT,
    url=TEXT,
    schema_version=st.just(1),
    fields=st.dictionaries(TEXT, TEXT, max_size=3),
    final_url=some(TEXT),
    redirects=st.lists(TEXT, max_size=3).map(tuple),
    status=some(st.integers(100, 599)),
    content_type=some(TEXT),
    charset=some(TEXT),
    fetched_at=some(st.just("2026-01-02T03:04:05Z")),
    render=some(st.sampled_from(["static", "browser", "archive"])),
    title=some(TEXT),
    lang=some(TEXT),
    html=some(TEXT),
    text=some(TEXT),
    markdown=some(TEXT),
    metadata=some(st.dictionaries(TEXT, JSON, max_size=3).map(Json)),
    regions=st.lists(st.builds(RowRegion, TEXT, TEXT, COUNT, TEXT, st.floats(0, 1)), max_size=2).map(tuple),
    folds=st.lists(st.builds(RowFold, TEXT, COUNT, COUNT, TEXT, TEXT, TEXT), max_size=2).map(tuple),
    warnings=st.lists(st.builds(RowWarning, TEXT, TEXT, COUNT), max_size=2).map(tuple),
    complete=some(st.booleans()),
    incomplete_reason=some(TEXT),
    sizes=some(st.builds(Sizes, *[COUNT] * 9)),
    hashes=some(st.builds(Hashes, *[TEXT] * 4)),
    rights=some(st.dictionaries(TEXT, JSON, max_size=3).map(Json)),
    source=some(st.builds(Source, TEXT, COUNT, TEXT)),
    filter=some(st.builds(FilterUsed, TEXT, TEXT)),
    attempts=st.integers(0, 9),
    error=some(st.builds(RowError, TEXT, TEXT, TEXT, st.booleans())),
)  # fmt: skip
