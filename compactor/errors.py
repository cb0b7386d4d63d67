"""Every error that the compactor raises, with its stable code.

    CompactorError
    ├── InvalidRequest          invalid_request        input that cannot be read
    ├── BudgetError             the context cannot be made to fit
    │   ├── BudgetImpossible    budget_impossible
    │   └── MandatoryDoesNotFit mandatory_does_not_fit
    ├── VersionMismatch         version_mismatch       the session has moved on
    ├── Conflict                conflict               the same request is still running
    ├── NotFound                not_found
    ├── PrefixBroken            prefix_broken          a test mode: a request is not the start of the next
    ├── StorageFull             storage_full           the disk is full; nothing was written
    ├── LayoutTooNew            layout_too_new         a newer version has written the database
    └── ArtifactCorrupt         artifact_corrupt       an archived original fails its hash
        ├── RefGone             artifact_corrupt       an original of this session is gone
        └── LogCorrupt          log_corrupt            a row of a session's log fails its chain

Codes never change their meaning. HTTP statuses are known to ``api/errors.py`` alone.
"""

from __future__ import annotations

from typing import ClassVar


class CompactorError(Exception):
    """Base of all compactor errors.

    Attributes:
        code: stable, machine-readable name of the error.
        retryable: whether the same request may succeed later.
        message: one sentence for the caller.
        detail: exact facts for the operator's log, never for the caller.
        field: name of the request field at fault, or ``None``.
    """

    code: ClassVar[str] = "internal"
    retryable: ClassVar[bool] = False

    def __init__(self, message: str, *, detail: str = "", field: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.detail = detail
        self.field = field


class InvalidRequest(CompactorError):
    code = "invalid_request"


class BudgetError(CompactorError):
    """The context cannot be made to fit; nothing was changed."""


class BudgetImpossible(BudgetError):
    """The budget leaves no room for even the smallest form of the newest turn."""

    code = "budget_impossible"


class MandatoryDoesNotFit(BudgetError):
    """Pinned and system messages alone are over the budget.

    ``remedies`` lists what the caller can do about it.
    """

    code = "mandatory_does_not_fit"
    remedies: ClassVar[tuple[str, ...]] = ("shrink", "narrow", "defer")


class VersionMismatch(CompactorError):
    """The session is at another version than the caller expected; nothing was written.

    Not retryable: versions only grow, so the same request would fail again. Read, then ask anew.
    """

    code = "version_mismatch"


class Conflict(CompactorError):
    code = "conflict"
    retryable = True


class NotFound(CompactorError):
    code = "not_found"


class PrefixBroken(CompactorError):
    """A request of an epoch is not the start of the next one; raised only where a policy checks it."""

    code = "prefix_broken"


class StorageFull(CompactorError):
    """The disk, or what is allowed of it, is full; nothing was written."""

    code = "storage_full"
    retryable = True


class LayoutTooNew(CompactorError):
    """The database was written by a newer version; nothing was changed."""

    code = "layout_too_new"


class ArtifactCorrupt(CompactorError):
    code = "artifact_corrupt"


class RefGone(ArtifactCorrupt):
    """A ref of this session whose original cannot be had back.

    ``origin`` says when and why it was taken out, and the call that brings it again; ``None`` if unknown.
    """

    def __init__(self, message: str, *, detail: str = "", origin: object = None) -> None:
        super().__init__(message, detail=detail, field="ref")
        self.origin = origin


class LogCorrupt(ArtifactCorrupt):
    """A row of a session's log was edited, or one is missing; ``detail`` names it."""

    code = "log_corrupt"
