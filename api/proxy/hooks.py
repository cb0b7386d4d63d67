"""What the rest of the service does for the proxy, and hears of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from api.proxy.holding import Reason
from compactor.messages import JsonObject
from compactor.truncate import FoldHtml


@dataclass(frozen=True, slots=True)
class Hooks:
    """``note_report`` hears what each compaction did, as JSON; ``note_forgotten`` why a history was let
    go.
    """

    fold_html: FoldHtml | None = None
    note_report: Callable[[JsonObject], None] | None = None
    note_forgotten: Callable[[Reason], None] | None = None


NO_HOOKS = Hooks()
