"""The names that a caller may have meant by one that a request does not have."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from difflib import get_close_matches
from typing import Any, get_args

from fastapi.exceptions import RequestValidationError
from fastapi.routing import APIRoute
from pydantic import BaseModel

_MOST = 2


def near_names(error: RequestValidationError, route: object) -> list[str]:
    """Names like the unknown one that ``error`` begins with, the likest first. Empty for other errors."""
    finding = error.errors()[0]
    if finding["type"] != "extra_forbidden" or not isinstance(route, APIRoute):
        return []
    source, *path = finding["loc"]
    if source == "body":
        known = [route.body_field] if route.body_field else []
    else:
        known = route.dependant.query_params
    names = {name for field in known for name in _names(field.field_info.annotation, path)}
    return get_close_matches(str(path[-1]), sorted(names), _MOST)


def _names(annotation: Any, path: Sequence[str | int]) -> Iterator[str]:
    """Names of the fields beside the last one of ``path``, which leads into ``annotation``."""
    models = list(_models(annotation))
    for part in path[:-1]:
        inside = [model.model_fields[part] for model in models if part in model.model_fields]
        models = [model for field in inside for model in _models(field.annotation)] or models
    for model in models:
        yield from (field.alias or name for name, field in model.model_fields.items())


def _models(annotation: Any) -> Iterator[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for part in get_args(annotation):
        yield from _models(part)
