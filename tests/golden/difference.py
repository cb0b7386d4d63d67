"""Where two outputs first differ, said as a place in the document."""

from __future__ import annotations

from typing import Any

from justhtml import JustHTML


def first_difference(expected: str, actual: str, kind: str) -> str:
    """One line for people; empty when they are equal."""
    if expected == actual:
        return ""
    if kind == "html":
        found = _in_tree(
            JustHTML(expected, sanitize=False).root, JustHTML(actual, sanitize=False).root
        )
        if found:
            return found
    return _in_lines(expected, actual)


def _in_lines(expected: str, actual: str) -> str:
    wanted, got = expected.split("\n"), actual.split("\n")
    for number, (line, other) in enumerate(zip(wanted, got, strict=False), 1):
        if line != other:
            return f"line {number}: expected {line[:200]!r}, got {other[:200]!r}"
    more = "ends" if len(got) < len(wanted) else "goes on"
    return (
        f"line {min(len(wanted), len(got)) + 1}: the output {more} where the expected one does not"
    )


def _in_tree(expected: Any, actual: Any) -> str:
    """Depth first, without recursion: pages may be nested deep."""
    stack = [(expected, actual, "")]
    while stack:
        wanted, got, path = stack.pop()
        said = _in_node(wanted, got)
        if said:
            return f"{path or '/'}: {said}"
        pairs = list(zip(wanted.children or (), got.children or (), strict=False))
        if len(wanted.children or ()) != len(got.children or ()):
            said = f"{len(wanted.children)} children expected, {len(got.children)} found"
            pairs.append((None, said))
        seen: dict[str, int] = {}
        below = []
        for child, other in pairs:
            if child is None:
                below.append((_Missing(), _Missing(str(other)), path))
                continue
            seen[child.name] = seen.get(child.name, 0) + 1
            below.append((child, other, f"{path}/{child.name}[{seen[child.name]}]"))
        stack += reversed(below)
    return ""


class _Missing:
    """Stands for a child that only one side has, so that what comes before it is compared first."""

    name, data, attrs, children = "", "", None, ()

    def __init__(self, said: str = "") -> None:
        self.said = said


def _in_node(wanted: Any, got: Any) -> str:
    if isinstance(got, _Missing):
        return got.said
    if wanted.name != got.name:
        return f"<{wanted.name}> expected, <{got.name}> found"
    if wanted.name == "#text" and wanted.data != got.data:
        return f"text {wanted.data[:160]!r} expected, {got.data[:160]!r} found"
    ours, theirs = getattr(wanted, "attrs", None) or {}, getattr(got, "attrs", None) or {}
    if ours != theirs:
        return f"attributes {ours} expected, {theirs} found"
    return ""
