"""Engines by name."""

from __future__ import annotations

import importlib
from typing import Literal, cast

from batch.engine.engine import Engine
from batch.errors import MissingExtra
from extractor.settings import ExtractorSettings

EngineName = Literal["local", "ray"]
#: Where each one is, and the extra that brings what it needs.
_PLACES = {
    "local": ("batch.engine.local", "LocalEngine", "batch"),
    "ray": ("batch.engine.ray", "RayEngine", "ray"),
}


def engine_named(name: EngineName, settings: ExtractorSettings) -> Engine:
    """The engine of that name; it is loaded only now.

    Raises:
        MissingExtra: a package that it needs is not installed.
    """
    place, kind, extra = _PLACES[name]
    try:
        made = getattr(importlib.import_module(place), kind)(settings)
    except ImportError as error:
        raise MissingExtra(
            f"{error.name} is not installed; it comes with pagefold[{extra}]"
        ) from error
    return cast("Engine", made)
