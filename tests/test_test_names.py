"""Every process collects the same tests under the same names, so that they can share the work."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

HERE = Path(__file__).parent
# Modules whose answers differ between two processes, and containers without an order.
DIFFERS = {"time", "datetime", "random", "secrets", "tempfile", "uuid"}
UNORDERED = {"set", "frozenset"}


def _parameters(tree: ast.Module) -> Iterator[ast.Call]:
    for node in ast.walk(tree):
        match node:
            case ast.Call(func=ast.Attribute(attr="parametrize")):
                yield node


def differing(source: str) -> list[str]:
    """Parts of the parameters in ``source`` that another process would write otherwise."""
    found = []
    for call in _parameters(ast.parse(source)):
        for node in ast.walk(call):
            match node:
                case ast.Call(func=ast.Attribute(value=ast.Name(id=name))) if name in DIFFERS:
                    found.append(ast.unparse(node))
                case ast.Call(func=ast.Name(id=name)) if name in UNORDERED:
                    found.append(ast.unparse(node))
                # A set inside of a parameter keeps its name out of the test's; a set of them does not.
                case ast.Set() if node in call.args:
                    found.append(ast.unparse(node))
    return found


@pytest.mark.parametrize(
    ("parameters", "names"),
    [
        ("[time.time() + 900]", ["time.time()"]),
        ("[('soon', format(datetime.now()))]", ["datetime.now()"]),
        ("set(KINDS)", ["set(KINDS)"]),
        ("{1, 2}", ["{1, 2}"]),
        ("sorted(KINDS)", []),
        ("[{1, 2}, 3]", []),
    ],
)
def test_what_differs_is_seen(parameters: str, names: list[str]) -> None:
    source = f"@pytest.mark.parametrize('value', {parameters})\ndef test(value): ..."
    assert differing(source) == names


def test_no_parameter_differs_between_processes() -> None:
    found = {
        path.relative_to(HERE).as_posix(): parts
        for path in sorted(HERE.rglob("*.py"))
        if (parts := differing(path.read_text("utf-8")))
    }
    assert found == {}
