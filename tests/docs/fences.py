"""The fenced blocks of the documentation, and which test takes them."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
_FENCE = re.compile(r"^( *)```(\w*)[^\n]*\n(.*?)^\1```", re.MULTILINE | re.DOTALL)
#: Page → language of a fence → the module that runs each such block of it, or compares it with what was printed.
#: A block of a language that is not named here fails ``test_snippets``; no language means a drawing.
TAKEN_BY: dict[str, dict[str, str]] = {
    "CONTRIBUTING.md": {"sh": "tests/docs/test_long_commands.py"},
    "README.md": dict.fromkeys(("sh", "python", "markdown"), "tests/docs/test_readme.py"),
    "docs/benchmarks.md": {"sh": "tests/docs/test_long_commands.py"},
    "docs/design/browsers.md": {"sh": "tests/docs/test_long_commands.py"},
    "docs/design/egress.md": {"sh": "tests/docs/test_egress.py"},
    "docs/design/filter.md": dict.fromkeys(("sh", "html"), "tests/docs/test_filter.py"),
    "docs/how-to/choose-a-strategy.md": dict.fromkeys(
        ("sh", "json", "python"), "tests/docs/test_choose_a_strategy.py"
    ),
    "docs/how-to/clients.md": dict.fromkeys(
        ("sh", "python", "javascript", "text"), "tests/examples/test_howto.py"
    ),
    "docs/how-to/compare-compactors.md": {"sh": "tests/docs/test_compare_compactors.py"},
    "docs/how-to/compare-filters.md": {
        "sh": "tests/docs/test_compare_filters.py",
        "console": "tests/docs/test_long_commands.py",
    },
    "docs/how-to/drive-a-page.md": dict.fromkeys(
        ("sh", "python", "text"), "tests/docs/test_drive_a_page.py"
    ),
    "docs/how-to/inspect.md": dict.fromkeys(("sh", "json"), "tests/docs/test_inspect.py"),
    "docs/how-to/keep-the-cache-warm.md": {"python": "tests/docs/test_keep_the_cache_warm.py"},
    "docs/how-to/keys.md": dict.fromkeys(("sh", "text"), "tests/docs/test_keys.py"),
    "docs/how-to/operate.md": dict.fromkeys(
        ("sh", "json", "text", "console"), "tests/docs/test_operate.py"
    ),
    "docs/how-to/proxy.md": dict.fromkeys(("sh", "python", "text"), "tests/docs/test_proxy.py"),
    "docs/how-to/run-a-job.md": dict.fromkeys(
        ("sh", "python", "json", "text"), "tests/docs/test_run_a_job.py"
    ),
    "docs/how-to/scrape-a-data-set.md": dict.fromkeys(
        ("sh", "text", "sql"), "tests/docs/test_scrape_a_data_set.py"
    ),
    "docs/how-to/sessions.md": dict.fromkeys(
        ("sh", "python", "javascript", "text", "json"), "tests/examples/test_howto.py"
    ),
    "docs/how-to/use-with-datatrove.md": dict.fromkeys(
        ("sh", "python"), "tests/docs/test_use_with_datatrove.py"
    ),
    "docs/how-to/use-with-mcp.md": dict.fromkeys(
        ("python", "json", "toml", "console"), "tests/examples/test_mcp_howto.py"
    ),
    "docs/reference/errors.md": {"json": "tests/api/test_errors.py"},
    "docs/tutorials/a-data-set-with-a-card.md": {"sh": "tests/docs/test_a_data_set_with_a_card.py"},
    "docs/tutorials/an-agent-that-remembers.md": dict.fromkeys(
        ("sh", "python", "text"), "tests/docs/test_an_agent_that_remembers.py"
    ),
    "examples/README.md": dict.fromkeys(("sh", "text"), "tests/examples/test_agent_loops.py"),
}


def pages() -> list[str]:
    """Every page of the documentation, from the folder of the project."""
    found = (*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "examples").glob("*.md"))
    return sorted(str(path.relative_to(ROOT)) for path in found)


def page_text(page: str) -> str:
    return (ROOT / page).read_text("utf-8")


def fences(page: str) -> list[tuple[str, str]]:
    """Language and text of each fenced block, in order."""
    return [(language, text) for _, language, text in _FENCE.findall(page_text(page))]


def blocks(page: str, *languages: str) -> list[str]:
    """The texts of the blocks in these languages, in order."""
    return [text for language, text in fences(page) if language in languages]


def prose(page: str) -> str:
    """The page without its fenced blocks."""
    return _FENCE.sub("", page_text(page))
