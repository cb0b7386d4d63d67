"""Rooms stay small: no function over 50 lines, no module over 300."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import extractor

ROOT = Path(extractor.__file__).parent
MODULES = sorted(ROOT.rglob("*.py"))
SCRIPTS = sorted(ROOT.rglob("*.js"))
MOST_LINES, MOST_FUNCTION_LINES = 300, 50


def _functions(tree: ast.Module) -> Iterator[tuple[str, int]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node.name, (node.end_lineno or node.lineno) - node.lineno + 1


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_module_and_its_functions_are_small(path: Path) -> None:
    text = path.read_text("utf-8")
    assert len(text.splitlines()) <= MOST_LINES
    long = {name: n for name, n in _functions(ast.parse(text)) if n > MOST_FUNCTION_LINES}
    assert not long


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.name)
def test_script_is_small(path: Path) -> None:
    assert len(path.read_text("utf-8").splitlines()) <= MOST_LINES
