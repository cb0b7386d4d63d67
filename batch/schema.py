"""The rows' schema as Arrow has it, made from the dataclasses of ``batch.rows``."""

from __future__ import annotations

import types
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from functools import cache
from typing import Any, Union, get_args, get_origin, get_type_hints

import orjson

from batch.errors import extra
from batch.rows import SCHEMA_VERSION, Json, Row

_PLAIN = {str: "string", int: "int64", float: "float64", bool: "bool_"}


@cache
def arrow_schema() -> Any:
    """A ``pyarrow.Schema``; its metadata names the version under ``pagefold.schema_version``.

    Raises:
        MissingExtra: pyarrow is not installed.
    """
    pa = extra("pyarrow")
    known = get_type_hints(Row)
    columns = [_field(pa, item.name, known[item.name]) for item in fields(Row)]
    return pa.schema(columns, metadata={"pagefold.schema_version": str(SCHEMA_VERSION)})


def _field(pa: Any, name: str, kind: Any) -> Any:
    parts = get_args(kind) if get_origin(kind) in (Union, types.UnionType) else (kind,)
    [only] = [part for part in parts if part is not type(None)]
    about = {"encoding": "json"} if only is Json else None
    return pa.field(name, _type(pa, only), nullable=len(parts) > 1, metadata=about)


def _type(pa: Any, kind: Any) -> Any:
    if kind is Json:
        return pa.string()
    if kind in _PLAIN:
        return getattr(pa, _PLAIN[kind])()
    if is_dataclass(kind):
        known = get_type_hints(kind)
        return pa.struct([_field(pa, item.name, known[item.name]) for item in fields(kind)])
    if get_origin(kind) is tuple:
        return pa.list_(pa.field("item", _type(pa, get_args(kind)[0]), nullable=False))
    if get_origin(kind) is Mapping:
        return pa.map_(pa.string(), pa.string())
    raise TypeError(f"{kind!r} has no place in a table")


@cache
def json_columns() -> tuple[str, ...]:
    """Columns that are JSON text in Parquet and objects in JSONL."""
    known = get_type_hints(Row)
    return tuple(item.name for item in fields(Row) if Json in get_args(known[item.name]))


def arrow_record(record: Mapping[str, Any]) -> dict[str, Any]:
    """A row as JSONL has it, as ``pyarrow.Table.from_pylist`` wants it."""
    made = dict(record)
    for name in json_columns():
        if made[name] is not None:
            made[name] = orjson.dumps(made[name], option=orjson.OPT_SORT_KEYS).decode()
    made["fields"] = list(made["fields"].items())
    return made
