"""The tools by name: what a model is told of each, what it takes, and what does it.

All of them together may take ``MOST_CHARS`` of schema, as a test counts.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any

from mcp_types import Tool

from api.mcp import noting, reading
from api.mcp.arguments import (
    Arguments,
    CheckpointIn,
    OpenIn,
    RecallIn,
    ScanIn,
    UnfoldIn,
    lean_schema,
)
from api.mcp.visit import Visit

MOST_TOOLS = 12
MOST_CHARS = 3_000


@dataclass(frozen=True, slots=True)
class ToolSpec:
    """``run`` gets arguments that ``takes`` has checked."""

    about: str
    takes: type[Arguments]
    run: Callable[[Visit, Any], Awaitable[str]]


TOOLS: Mapping[str, ToolSpec] = {
    "web_open": ToolSpec(
        "Open a URL as Markdown, its first line has the page id. What does not fit, or not your query, "
        "is folded to [folded REF: ...].",
        OpenIn,
        reading.web_open,
    ),
    "web_scan": ToolSpec(
        "See an opened page again, with another budget or query.", ScanIn, reading.web_scan
    ),
    "unfold": ToolSpec(
        "Get what a marker stands for: a page's fold, or ref=a:... of your history.",
        UnfoldIn,
        reading.unfold,
    ),
    "update_working_checkpoint": ToolSpec(
        "Replace your working notes; they stay in view.",
        CheckpointIn,
        noting.update_working_checkpoint,
    ),
    "recall": ToolSpec(
        "Search what has left your context; gives lines with refs.", RecallIn, noting.recall
    ),
}


def listed() -> list[Tool]:
    """The tools as a client gets to see them."""
    return [
        Tool(name=name, description=tool.about, input_schema=lean_schema(tool.takes))
        for name, tool in TOOLS.items()
    ]
