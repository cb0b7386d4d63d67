"""Every error that ends a run, with its stable code.

    BatchError
    ├── MissingExtra     missing_extra      a package that an option needs is not installed
    ├── InputError       input_invalid      the input cannot be read
    ├── PlanError        plan_invalid       settings that cannot work
    ├── RunDiffers       run_differs        the folder holds a run of other input or settings
    ├── OutputTaken      output_taken       the folder holds something else, or a run that goes on
    ├── OutputDamaged    output_damaged     files of a run are missing or changed
    ├── OutputFull       output_full        the disk is full
    └── EngineFailed     engine_failed      the engine could not start or go on; the run can be resumed

What goes wrong with one page ends no run: it stands in that page's row, with the codes of
``extractor.errors`` and ``batch.rows``.
"""

from __future__ import annotations

import importlib
from types import ModuleType
from typing import ClassVar


class BatchError(Exception):
    """Base of all errors that end a run. ``message`` says in one line what to do."""

    code: ClassVar[str] = "internal"

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


class MissingExtra(BatchError):
    code = "missing_extra"


class InputError(BatchError):
    code = "input_invalid"


class PlanError(BatchError):
    code = "plan_invalid"


class RunDiffers(BatchError):
    code = "run_differs"


class OutputTaken(BatchError):
    code = "output_taken"


class OutputDamaged(BatchError):
    code = "output_damaged"


class OutputFull(BatchError):
    code = "output_full"


class EngineFailed(BatchError):
    code = "engine_failed"


def extra(module: str, *, extra: str = "batch") -> ModuleType:
    """Import a module that only an extra brings.

    Raises:
        MissingExtra: it is not installed; names the extra.
    """
    try:
        return importlib.import_module(module)
    except ImportError as error:
        package = module.partition(".")[0]
        raise MissingExtra(
            f"{package} is not installed; it comes with pagefold[{extra}]"
        ) from error
