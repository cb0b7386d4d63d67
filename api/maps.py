"""A page with its map: what became of which part of its picture."""

from __future__ import annotations

import dataclasses
from typing import Any

import orjson

from api.models import MapQuery
from api.page_schema import field_docs
from api.pages_json import page_dict
from extractor.judged import Options
from extractor.pipeline import filter_judged, judged_once
from extractor.places import Part, places_of
from extractor.snapshot import Snapshot

#: Lists of a page that grow with it.
_LISTS = ("regions", "folds", "ledger", "links", "unseen", "hidden")


def map_bytes(snapshot: Snapshot, params: MapQuery, sr_only_chars: int) -> bytes:
    """The page with ``parts``, ``left_out``, ``cut`` and ``viewport`` as UTF-8 JSON; see ``map_schema``."""
    options = Options(
        (params.format,),
        params.budget,
        params.query,
        params.main_only,
        explain=params.explain,
        sr_only_chars=sr_only_chars,
    )
    judged = judged_once(snapshot, sr_only_chars=sr_only_chars)
    page = filter_judged(judged, options)
    places = places_of(judged, page, most=params.parts)
    lists = {name: getattr(page, name) for name in _LISTS}
    cut = {name: len(found) - params.entries for name, found in lists.items()}
    cut = {name: more for name, more in cut.items() if more > 0}
    short = dataclasses.replace(page, **{name: lists[name][: params.entries] for name in cut})
    record: dict[str, Any] = {
        "page": page_dict(short),
        "cut": cut,
        "parts": [dataclasses.asdict(part) for part in places.parts],
        "left_out": places.left_out,
        "viewport": snapshot.meta.viewport,
    }
    return orjson.dumps(record, option=orjson.OPT_NON_STR_KEYS)


def map_schema() -> dict[str, Any]:
    """The answer as a JSON schema."""
    docs = field_docs(Part)
    kinds: dict[str, dict[str, Any]] = {
        "state": {"enum": ["kept", "folded", "collapsed", "hidden"]},
        "box": {"type": "array", "items": {"type": "integer"}, "minItems": 4, "maxItems": 4},
        "chars": {"type": "integer"},
    }
    part = {
        name: {**kinds.get(name, {"type": "string"}), "description": text}
        for name, text in docs.items()
    }
    properties = {
        "page": {"$ref": "#/components/schemas/Page"},
        "parts": {
            "type": "array",
            "description": "Parts of the page in reading order; empty without a browser.",
            "items": {"type": "object", "properties": part, "required": list(part)},
        },
        "cut": {
            "type": "object",
            "description": "List of the page → its entries past the most asked for.",
            "additionalProperties": {"type": "integer"},
        },
        "left_out": {"type": "integer", "description": "Parts past the most asked for."},
        "viewport": {
            "type": ["array", "null"],
            "description": "Width and height of the window, in CSS pixels.",
            "items": {"type": "integer"},
        },
    }
    return {"type": "object", "properties": properties, "required": list(properties)}
