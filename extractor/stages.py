"""Where a request stands: each stage is named as it begins, to whoever listens in the same task."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Literal

#: ``queue`` waits for a browser, ``capture`` has one, ``fetch`` and ``parse`` do without.
Stage = Literal["queue", "capture", "fetch", "parse", "filter"]
Listener = Callable[[Stage], None]

_listener: ContextVar[Listener | None] = ContextVar("stages", default=None)


def entered(stage: Stage) -> None:
    """Say that ``stage`` begins; the one before it has ended. A stage may come twice."""
    listener = _listener.get()
    if listener is not None:
        listener(stage)


@contextmanager
def listening(listener: Listener) -> Iterator[None]:
    """Hear every stage that is entered inside the block, in this task and those it starts."""
    token = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(token)
