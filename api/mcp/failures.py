"""What a tool call ends in when it fails: the same codes as over HTTP, as a result that a model can read."""

from __future__ import annotations

from typing import Any

from mcp_types import CallToolResult, TextContent

from api.client import PagefoldError, ProblemError


class Refused(Exception):
    """The call cannot be done as it is."""

    def __init__(self, code: str, message: str, *, field: str | None = None) -> None:
        super().__init__(message)
        self.code, self.message, self.field = code, message, field


def failure(code: str, message: str, *, retryable: bool = False, **more: object) -> CallToolResult:
    """A failed call: a line for the model, and the fields of a problem document for programs."""
    fields: dict[str, Any] = {"code": code, "detail": message, "retryable": retryable}
    fields |= {name: value for name, value in more.items() if value is not None}
    wait = more.get("retry_after_s")
    hint = f" Try again in {wait:g} s." if retryable and isinstance(wait, int | float) else ""
    text = TextContent(text=f"{code}: {message}{hint}")
    return CallToolResult(content=[text], structured_content=fields, is_error=True)


def failure_of(error: Refused | PagefoldError) -> CallToolResult:
    """The failed call that an error means."""
    if isinstance(error, Refused):
        return failure(error.code, error.message, field=error.field)
    if isinstance(error, ProblemError):
        return failure(
            error.code,
            error.message,
            retryable=error.retryable,
            phase=error.phase,
            field=error.field,
            retry_after_s=error.retry_after_s,
        )
    return failure("no_answer", error.message, retryable=error.retryable)
