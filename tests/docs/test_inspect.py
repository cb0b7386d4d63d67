"""The guide to the inspector: its commands print what it says, and it names what is there."""

from __future__ import annotations

from pathlib import Path

from tests.docs.fences import ROOT, blocks, page_text
from tests.docs.following import need, printed_by
from tests.faults.serving import Service

PAGE = "docs/how-to/inspect.md"
INDEX = (ROOT / "api" / "inspector" / "index.html").read_text("utf-8")


def test_commands_print_what_the_guide_says(running: Service, tmp_path: Path) -> None:
    need("sh", "curl", "jq")
    assert printed_by(blocks(PAGE, "sh"), running, tmp_path) == blocks(PAGE, "json")


def test_what_the_guide_names_exists() -> None:
    for name in (
        "Read page",
        "Budget",
        "Question",
        "Archive",
        "Validate",
        "Compact",
        "What it knows, and why",
        "Cancel",
        "API key",
    ):
        assert f"**{name}**" in page_text(PAGE)
        assert name in INDEX
