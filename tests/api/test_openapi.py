"""The OpenAPI document is complete: every parameter is described, every body has examples, all of them hold."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator
from referencing import Registry, Resource
from referencing.jsonschema import DRAFT202012

Json = dict[str, Any]
FILE = Path(__file__).parents[2] / "docs" / "reference" / "openapi.json"
DOCUMENT: Json = json.loads(
    FILE.read_text("utf-8").replace('"#/components', '"urn:document#/components')
)
REGISTRY: Registry[Json] = Registry().with_resource(
    "urn:document", Resource.from_contents(DOCUMENT, default_specification=DRAFT202012)
)
CALLS = {
    f"{method.upper()} {path}": call
    for path, calls in DOCUMENT["paths"].items()
    for method, call in calls.items()
}
#: A page with its map has both in its schema; it is too long to be read as an example.
WITHOUT_EXAMPLE = {"GET /v1/snapshots/{snapshot_id}/map 200"}


def wrong_with(schema: Json, value: object) -> list[str]:
    found = Draft202012Validator(schema, registry=REGISTRY).iter_errors(value)
    return [f"{error.json_path}: {error.message[:200]}" for error in found]


def examples_of(content: Json) -> list[object]:
    """Those of a body, else those of its schema."""
    named = [each["value"] for each in content.get("examples", {}).values()]
    alone = [content["example"]] if "example" in content else []
    kind = content["schema"].get("$ref", "").rpartition("/")[2]
    shape = DOCUMENT["components"]["schemas"].get(kind, content["schema"])
    return named + alone or shape.get("examples", [])


def bodies() -> Iterator[tuple[str, str, Json]]:
    """Call, media type and content of all that is sent and answered."""
    for name, call in CALLS.items():
        for media, content in call.get("requestBody", {}).get("content", {}).items():
            yield f"{name} request", media, content
        for status, answer in call["responses"].items():
            for media, content in answer.get("content", {}).items():
                yield f"{name} {status}", media, {"schema": {}, **content}


def test_every_call_has_a_name_of_its_own_and_a_summary() -> None:
    names = Counter(call["operationId"] for call in CALLS.values())
    assert [name for name, count in names.items() if count > 1] == []
    assert [name for name, call in CALLS.items() if not call["summary"] or not call["tags"]] == []


def test_every_parameter_is_described_and_takes_its_examples() -> None:
    for name, call in CALLS.items():
        for parameter in call.get("parameters", ()):
            shape = parameter["schema"]
            assert parameter.get("description") or shape.get("description"), (
                name,
                parameter["name"],
            )
            for example in shape.get("examples", ()):
                assert wrong_with(shape, example) == [], (name, parameter["name"])


def test_every_body_has_examples_that_hold() -> None:
    without = set()
    for name, media, content in bodies():
        examples = examples_of(content)
        if media.endswith("json") and not examples:
            without.add(name)
        for example in examples:
            assert wrong_with(content["schema"], example) == [], name
    assert without == WITHOUT_EXAMPLE
