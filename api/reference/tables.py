"""JSON schemas as Markdown tables: type, default, limits, meaning, example."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any

Schema = dict[str, Any]
_LIMITS = (
    ("minimum", "at least {}"),
    ("exclusiveMinimum", "more than {}"),
    ("maximum", "at most {}"),
    ("exclusiveMaximum", "less than {}"),
    ("minLength", "at least {} characters"),
    ("maxLength", "at most {} characters"),
    ("minItems", "at least {} entries"),
    ("maxItems", "at most {} entries"),
    ("maxProperties", "at most {} entries"),
)  # fmt: skip


def table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A Markdown table; bars in cells are escaped."""
    lines = [heads, ["---"] * len(heads), *rows]
    cells = [[cell.replace("|", "\\|").replace("\n", " ") for cell in line] for line in lines]
    return "\n".join(f"| {' | '.join(line)} |".replace("|  |", "| |") for line in cells)


def code(value: object) -> str:
    """``value`` as JSON in code marks, text without its quotes."""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    fence = "``" if "`" in text else "`"
    return f"{fence}{text}{fence}"


def prose(text: str) -> str:
    """A docstring's paragraph in Markdown, on one line."""
    return " ".join(text.split()).replace("``", "`")


def kind(schema: Schema, *, null: bool = True) -> str:
    """The type of a value in words; another schema is a link to its section. ``null``: name it."""
    if "$ref" in schema:
        name = schema["$ref"].rsplit("/", 1)[-1]
        return f"[{name}](#{name.lower()})"
    if "anyOf" in schema:
        parts = [part for part in schema["anyOf"] if null or part.get("type") != "null"]
        return " or ".join(kind(part) for part in parts)
    if "enum" in schema:
        return ", ".join(code(value) for value in schema["enum"])
    if "const" in schema:
        return code(schema["const"])
    name = schema.get("type", "any")
    if name == "array":
        if "prefixItems" in schema:
            return f"list of {len(schema['prefixItems'])} {kind(schema['prefixItems'][0])}s"
        return f"list of {kind(schema.get('items', {}))}"
    if name == "object":
        inner = schema.get("additionalProperties")
        return f"object of {kind(inner)}" if isinstance(inner, dict) else "object"
    return str(name)


def limits(schema: Schema) -> str:
    """The bounds of a value, those of its alternatives too."""
    found = [text.format(f"{schema[name]:,}") for name, text in _LIMITS if name in schema]
    if "pattern" in schema:
        found.append(f"matches {code(schema['pattern'])}")
    found += [limits(part) for part in schema.get("anyOf", ())]
    return ", ".join(filter(None, found))


def default(name: str, schema: Schema, required: Sequence[str]) -> str:
    """The default in code marks, or that there is none."""
    if name in required:
        return "required"
    value = schema.get("default")
    if value is None or value == []:
        return ""
    return code(value)


def example(schema: Schema) -> str:
    """The first example in code marks."""
    examples = schema.get("examples")
    return code(examples[0]) if examples else ""
