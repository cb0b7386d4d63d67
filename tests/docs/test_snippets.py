"""No block of the documentation goes without a test, and what prose names is there."""

from __future__ import annotations

import importlib.util
import re

import pytest

from api.cli import app
from api.settings import ApiSettings
from batch.engine.ray_settings import RaySettings
from tests.docs.fences import ROOT, TAKEN_BY, fences, page_text, pages, prose

#: Variables that are no settings of the service, and the folder or file that reads each.
ELSEWHERE = {
    "KEY": "examples",
    "URL": "examples",
    "DEMO_URL": "examples",
    "SHARED": "tests",
    "LARGE": "tests",
    "LARGE_APPENDS": "tests",
    "NODE_PEERS": "testbed",
    "CRAWL4AI_PYTHON": "testbed",
    "GENERICAGENT": "testbed",
    "HELD_OUT": "testbed",
}


@pytest.mark.parametrize("page", pages())
def test_every_block_is_taken_by_a_test(page: str) -> None:
    languages = {language for language, _ in fences(page)} - {""}
    taken = TAKEN_BY.get(page, {})
    assert languages - taken.keys() == set(), "name the test that runs it in tests/docs/fences.py"
    assert taken.keys() - languages == set(), "there is no such block any more"


@pytest.mark.parametrize(
    ("page", "module"),
    sorted({(page, module) for page, taken in TAKEN_BY.items() for module in taken.values()}),
)
def test_the_test_reads_the_page(page: str, module: str) -> None:
    source = (ROOT / module).read_text("utf-8")
    assert page.rpartition("/")[2] in source


def test_blocks_are_found_in_lists_too() -> None:
    # Those of lists are indented; a fence that is opened is closed.
    for page in pages():
        assert len(re.findall(r"^ *```", page_text(page), re.MULTILINE)) == 2 * len(fences(page)), (
            page
        )


@pytest.mark.parametrize("page", pages())
def test_settings_that_a_page_names_exist(page: str) -> None:
    settings = {name.upper() for name in ApiSettings.model_fields}
    settings |= {f"RAY_{name.upper()}" for name in RaySettings.model_fields}
    for name in set(re.findall(r"PAGEFOLD_([A-Z0-9_]+)", page_text(page))) - settings:
        assert name in ELSEWHERE, f"PAGEFOLD_{name}"
        files = (ROOT / ELSEWHERE[name]).rglob("*.[pms][yjh]*")
        assert any(f"PAGEFOLD_{name}" in file.read_text("utf-8") for file in files)


def test_commands_that_prose_names_exist() -> None:
    targets = set(re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE))
    commands = {each.name or each.callback.__name__ for each in app.registered_commands}  # type: ignore[union-attr]
    commands |= {group.name for group in app.registered_groups}
    for page in pages():
        words = "\n".join(re.findall(r"`([^`\n]+)`", prose(page)))
        for target in re.findall(r"^make ([\w-]+)", words, re.MULTILINE):
            assert target in targets, (page, target)
        for command in re.findall(r"^(?:\S*/)?pagefold ([a-z]+)", words, re.MULTILINE):
            assert command in commands, (page, command)
        for module in re.findall(r"^(?:\S*/)?python -m ([\w.]+)", words, re.MULTILINE):
            assert importlib.util.find_spec(module), (page, module)
