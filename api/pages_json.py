"""A page as the plain values of JSON: the snapshot stands in it as its id only."""

from __future__ import annotations

import dataclasses
from typing import Any

import orjson

from extractor.page import Page


def page_dict(page: Page) -> dict[str, Any]:
    """Every field of ``page`` by its own name; ``snapshot`` is ``{"id": …, "stored": …}``, to be replayed."""
    record: dict[str, Any] = {
        field.name: _plain(getattr(page, field.name))
        for field in dataclasses.fields(page)
        if field.name not in ("snapshot", "stored")
    }
    record["snapshot"] = {"id": page.snapshot.id, "stored": page.stored}
    return record


def page_bytes(page: Page) -> bytes:
    """``page_dict`` as UTF-8 JSON."""
    return orjson.dumps(page_dict(page), option=orjson.OPT_NON_STR_KEYS)


def _plain(value: object) -> object:
    """Dataclasses as dicts; the rest is what orjson already writes (tuples become arrays)."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return dataclasses.asdict(value)
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    if isinstance(value, dict):
        return {name: _plain(item) for name, item in value.items()}
    return value
