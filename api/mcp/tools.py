"""The tools by name: what a model is told of each, what it takes, and what does it.

All of them together may take ``MOST_CHARS`` of schema, as a test counts.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any

from mcp_types import ImageContent, Tool

from api.mcp import noting, reading, tabs
from api.mcp.arguments import (
    ActIn,
    Arguments,
    CheckpointIn,
    DecideIn,
    EvidenceIn,
    ExecuteIn,
    OpenIn,
    ProposeIn,
    RecallIn,
    ScanIn,
    TabsIn,
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
    run: Callable[[Visit, Any], Awaitable[str | ImageContent]]


TOOLS: Mapping[str, ToolSpec] = {
    "web_open": ToolSpec(
        "Read a URL; as_tab=true keeps it open to act on. Line 1 has its id; [folded REF: ...] is left out.",
        OpenIn,
        reading.web_open,
    ),
    "web_scan": ToolSpec(
        "A page or tab again, by id; a tab with refs of its controls.", ScanIn, reading.web_scan
    ),
    "web_act": ToolSpec("Act on a tab.", ActIn, tabs.web_act),
    "web_execute_js": ToolSpec("Run JavaScript in a tab.", ExecuteIn, tabs.web_execute_js),
    "web_tabs": ToolSpec("Manage tabs.", TabsIn, tabs.web_tabs),
    "unfold": ToolSpec(
        "What a marker stands for: a fold, or ref=a:... of your history.",
        UnfoldIn,
        reading.unfold,
    ),
    "update_working_checkpoint": ToolSpec(
        "Replace your notes; they stay in view.",
        CheckpointIn,
        noting.update_working_checkpoint,
    ),
    "note_evidence": ToolSpec("Note a fact.", EvidenceIn, noting.note_evidence),
    "propose": ToolSpec("Propose a hypothesis.", ProposeIn, noting.propose),
    "decide": ToolSpec("Note a decision.", DecideIn, noting.decide),
    "recall": ToolSpec("Search notes and what left your context.", RecallIn, noting.recall),
}


def listed() -> list[Tool]:
    """The tools as a client gets to see them."""
    return [
        Tool(name=name, description=tool.about, input_schema=lean_schema(tool.takes))
        for name, tool in TOOLS.items()
    ]
