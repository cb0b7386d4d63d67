"""Which rules of a provider the validation checks, read from the rules themselves."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterator

from compactor.finding import Rule
from compactor.validate import PROFILES


def rule_rows() -> Iterator[tuple[str, str, str, str, str]]:
    """Profile, name of the rule, severity, what is demanded, how to mend it; one a rule and profile."""
    for profile, (_, rules) in PROFILES.items():
        found: dict[str, list[tuple[str, str, str]]] = {}
        for rule in rules:
            for name, severity, mend in _findings(rule):
                found.setdefault(name, []).append((severity, inspect.getdoc(rule) or "", mend))
        for name, findings in found.items():
            severity, demand, mend = (
                joint.join(dict.fromkeys(parts))
                for joint, parts in zip(
                    (" or ", " ", " "), zip(*findings, strict=True), strict=True
                )
            )
            yield profile, name, severity, demand, mend


def _findings(rule: Rule) -> Iterator[tuple[str, str, str]]:
    for node in ast.walk(ast.parse(inspect.getsource(rule))):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            if node.func.id != "Finding":
                continue
            _, name, mend, *severity = node.args
            yield _text(name), _text(severity[0]) if severity else "error", _text(mend)


def _text(node: ast.expr) -> str:
    """A string of the source; what it says of the case at hand is an ellipsis."""
    if isinstance(node, ast.JoinedStr):
        return "".join(_text(part) for part in node.values)
    if isinstance(node, ast.Constant):
        return str(node.value)
    return "…" if isinstance(node, ast.FormattedValue) else "error or open"
