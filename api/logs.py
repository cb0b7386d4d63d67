"""Log lines: for people on a terminal, or one JSON object a line for machines."""

from __future__ import annotations

import logging
import sys
from typing import Literal

import structlog

from api.redaction import Redactor


def configure_logs(
    shape: Literal["console", "json"], *, level: int = logging.INFO, texts: bool = False
) -> None:
    """Send structlog and the standard library's loggers to stderr in one shape.

    Every line passes ``api.redaction``. ``level`` is the standard library's number; lines below it are
    left out. ``texts`` shows what exceptions and other libraries say, which may hold secrets.
    """
    shared: list[structlog.typing.Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_log_level,
        structlog.stdlib.add_logger_name,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
    ]
    structlog.configure(
        processors=[*shared, structlog.stdlib.ProcessorFormatter.wrap_for_formatter],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
        cache_logger_on_first_use=False,
    )
    last: structlog.typing.Processor = (
        structlog.processors.JSONRenderer() if shape == "json" else _console()
    )
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=shared,
            processors=[
                Redactor(texts=texts),
                structlog.stdlib.ProcessorFormatter.remove_processors_meta,
                last,
            ],
            # What a library fills into its message is judged apart from the message.
            use_get_message=False,
            pass_foreign_args=True,
        )
    )
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(level)


def guard_logs() -> None:
    """Where nothing has set structlog up, keep its lines as safe as ours.

    Its own default prints the local variables of a traceback, and those may hold secrets.
    """
    if structlog.is_configured():
        return
    structlog.configure(
        processors=[
            structlog.contextvars.merge_contextvars,
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            Redactor(),
            _console(),
        ]
    )


def _console() -> structlog.dev.ConsoleRenderer:
    return structlog.dev.ConsoleRenderer(colors=sys.stderr.isatty())
