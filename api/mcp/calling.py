"""One tool call, from its arguments to its result; nothing that goes wrong gets past here."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import structlog
from mcp.shared.exceptions import MCPError
from mcp_types import INVALID_PARAMS, CallToolResult, TextContent
from pydantic import ValidationError

from api.client import PagefoldError
from api.errors import explain_validation
from api.mcp.failures import Refused, failure, failure_of
from api.mcp.tools import TOOLS
from api.mcp.visit import Visit

_log = structlog.get_logger("pagefold.mcp")


async def call_tool(visit: Visit, name: str, arguments: Mapping[str, Any]) -> CallToolResult:
    """The result of the tool: a picture, or ``visit.most_chars`` characters; failures are results too.

    Raises:
        MCPError: there is no such tool.
    """
    tool = TOOLS.get(name)
    if tool is None:
        raise MCPError(INVALID_PARAMS, f"There is no tool {name[:80]!r}; tools are {list(TOOLS)}.")
    try:
        given = tool.takes.model_validate(dict(arguments))
    except ValidationError as error:
        field, detail = explain_validation(error)
        if error.errors()[0]["type"] == "extra_forbidden":
            detail = (
                f"Unknown argument {field!r}; {name} takes {', '.join(tool.takes.model_fields)}."
            )
        return failure("invalid_request", detail, field=field or None)
    try:
        made = await tool.run(visit, given)
    except (Refused, PagefoldError) as error:
        return failure_of(error)
    except Exception:
        _log.exception("tool_failed", tool=name)
        return failure("internal", "Something failed on our side; the log says what.")
    return CallToolResult(content=[TextContent(text=made) if isinstance(made, str) else made])
