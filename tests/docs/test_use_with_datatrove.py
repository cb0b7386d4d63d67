"""The how-to on datatrove: its programs are Python, and what they take from Pagefold is there."""

from __future__ import annotations

import ast
import importlib
import inspect
import re
from pathlib import Path
from types import ModuleType

import pytest

from tests.batch.test_datatrove import steps

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "how-to" / "use-with-datatrove.md").read_text("utf-8")
PROGRAMS = re.findall(r"^```python\n(.*?)^```", PAGE, re.M | re.S)

__all__ = ["steps"]  # a fixture


@pytest.mark.parametrize("program", PROGRAMS)
def test_a_program_takes_what_there_is(program: str, steps: ModuleType) -> None:
    for node in ast.walk(ast.parse(program)):
        if isinstance(node, ast.ImportFrom) and str(node.module).startswith("batch."):
            extractor = node.module == steps.__name__
            module = steps if extractor else importlib.import_module(str(node.module))
            assert all(hasattr(module, each.name) for each in node.names)


def test_the_arguments_are_those_of_the_extractor(steps: ModuleType) -> None:
    named = re.findall(r"^\| `(\w+)` \|", PAGE, re.M)
    taken = list(inspect.signature(steps.PagefoldExtractor).parameters)
    assert named == taken


def test_the_extra_is_one_that_there_is() -> None:
    extras = (ROOT / "pyproject.toml").read_text("utf-8")
    for name in re.findall(r"pip install 'pagefold\[([\w,]+)\]'", PAGE)[0].split(","):
        assert re.search(rf"^{name} = \[", extras, re.M)
