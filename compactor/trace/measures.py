"""Measurements, and predicates over them that code evaluates."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from typing import Literal, get_args

from compactor.errors import InvalidRequest
from compactor.messages import JsonObject

Comparator = Literal["<", "<=", ">", ">=", "==", "!="]
COMPARATORS: tuple[Comparator, ...] = get_args(Comparator)
_COMPARE: Mapping[str, Callable[[float, float], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "==": operator.eq,
    "!=": operator.ne,
}
#: Unit → what it measures, and how many of the smallest unit it is.
UNITS: Mapping[str, tuple[str, float]] = {
    "ns": ("time", 1e-9), "us": ("time", 1e-6), "µs": ("time", 1e-6), "ms": ("time", 1e-3),
    "s": ("time", 1.0), "sec": ("time", 1.0), "seconds": ("time", 1.0), "min": ("time", 60.0),
    "minutes": ("time", 60.0), "h": ("time", 3600.0), "hours": ("time", 3600.0), "days": ("time", 86400.0),
    "B": ("size", 1.0), "bytes": ("size", 1.0), "kB": ("size", 1e3), "KB": ("size", 1e3), "MB": ("size", 1e6),
    "GB": ("size", 1e9), "TB": ("size", 1e12), "KiB": ("size", 2.0**10), "MiB": ("size", 2.0**20),
    "GiB": ("size", 2.0**30), "%": ("share", 0.01), "": ("number", 1.0),
}  # fmt: skip
_WORD = re.compile(r"[^\W_]+")


@dataclass(frozen=True, slots=True)
class Measurement:
    """That ``measure`` of ``subject`` was ``value`` in ``unit``; an unknown unit stands for itself."""

    subject: str
    measure: str
    value: float
    unit: str = ""

    def as_json(self) -> JsonObject:
        """Plain JSON."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Predicate:
    """What a measurement is compared with: ``measure`` of ``subject`` stands so to ``value`` in ``unit``."""

    subject: str
    measure: str
    comparator: Comparator
    value: float
    unit: str = ""

    def __post_init__(self) -> None:
        if self.comparator not in COMPARATORS:
            raise InvalidRequest(
                f"comparator must be one of {' '.join(COMPARATORS)}.", field="comparator"
            )
        if not _words(self.subject) or not _words(self.measure):
            raise InvalidRequest("A predicate needs a subject and a measure.", field="subject")

    def as_json(self) -> JsonObject:
        """Plain JSON."""
        return asdict(self)

    @property
    def key(self) -> str:
        """Predicates and measurements of one measure share it."""
        return measure_key(self.measure)

    def __str__(self) -> str:
        unit = f" {self.unit}" if self.unit else ""
        return f"{self.subject} {self.measure} {self.comparator} {self.value:g}{unit}"


def measure_key(measure: str) -> str:
    """A measure's name, the same in any case and order of words."""
    return " ".join(sorted(_words(measure)))


def verdict(predicate: Predicate, found: Measurement) -> bool | None:
    """Whether a measurement is as the predicate says; ``None`` where it is of something else.

    The subject's words must all be among those of what was measured, the measure's must be the same;
    units of one kind are converted, of different kinds never compared.
    """
    if predicate.key != measure_key(found.measure):
        return None
    if not _words(predicate.subject) <= _words(found.subject):
        return None
    wanted, scale = _unit(predicate.unit)
    kind, factor = _unit(found.unit)
    if wanted != kind:
        return None
    # Rounded: 0.2 s and 200 ms are one value.
    left, right = (round(v, 12) for v in (found.value * factor, predicate.value * scale))
    return _COMPARE[predicate.comparator](left, right)


def _unit(name: str) -> tuple[str, float]:
    return UNITS.get(name, (name.casefold(), 1.0))


def _words(text: str) -> frozenset[str]:
    return frozenset(_WORD.findall(text.casefold()))
