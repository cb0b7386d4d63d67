"""The reference pages and OpenAPI say what the models say."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pydantic import TypeAdapter
from starlette.testclient import TestClient

from api.models import ReadQuery, ReplayQuery
from api.page_schema import page_example, page_model, page_schema
from api.reference import DOCUMENTS
from api.reference.openapi import NAME, written
from extractor.attributes import ATTRIBUTES, ELEMENTS
from extractor.request import PageRequest
from extractor.settings import ExtractorSettings

REFERENCE = Path(__file__).parents[2] / "docs" / "reference"
Json = dict[str, Any]


@pytest.fixture(scope="module")
def openapi(client: TestClient) -> Json:
    found: Json = client.get("/openapi.json").json()
    return found


@pytest.mark.parametrize("name", DOCUMENTS)
def test_reference_is_as_the_code_says(name: str) -> None:
    written = (REFERENCE / f"{name}.md").read_text("utf-8")
    assert written == DOCUMENTS[name](), "run: .venv/bin/python -m api.reference"


def test_openapi_file_is_as_the_service_says(openapi: Json) -> None:
    held = (REFERENCE / NAME).read_text("utf-8") == written(openapi)
    assert held, "run: .venv/bin/python -m api.reference"


def _fields(schema: Json) -> Iterator[tuple[str, Json]]:
    for part in (schema, *schema.get("$defs", {}).values()):
        yield from part["properties"].items()


def test_every_request_field_says_what_it_is_by_an_example_that_it_takes() -> None:
    for name, field in _fields(PageRequest.model_json_schema()):
        assert field.get("description"), name
        assert field.get("examples"), name
    for name, info in PageRequest.model_fields.items():
        source = {} if name in ("url", "html") else {"html": "<p>A"}
        for example in info.examples or ():
            PageRequest.model_validate({**source, name: example})


def test_every_field_of_the_result_says_what_it_is() -> None:
    for kind, schema in page_schema().items():
        for name, field in schema["properties"].items():
            assert field.get("description"), f"{kind}.{name}"


def test_every_setting_says_what_it_is() -> None:
    assert all(field.description for field in ExtractorSettings.model_fields.values())


def test_example_of_a_page_is_a_page(openapi: Json) -> None:
    answer = openapi["paths"]["/v1/pages"]["post"]["responses"]["200"]["content"]
    example = answer["application/json"]["example"]
    assert example == page_example()
    page_model().model_validate(example)
    assert answer["application/json"]["schema"]["$ref"].endswith("/Page")


def test_live_answer_has_exactly_the_documented_fields(client: TestClient, openapi: Json) -> None:
    page = client.post("/v1/pages", json={"html": "<p>Low water</p>", "explain": True}).json()
    page_model().model_validate(page)
    assert page.keys() == set(openapi["components"]["schemas"]["Page"]["properties"])


def test_examples_of_requests_are_valid(openapi: Json) -> None:
    body = openapi["paths"]["/v1/pages"]["post"]["requestBody"]["content"]["application/json"]
    for example in body["examples"].values():
        PageRequest.model_validate(example["value"])


def test_examples_of_parameters_are_valid(openapi: Json) -> None:
    for path, model in (("/read", ReadQuery), ("/v1/snapshots/{snapshot_id}", ReplayQuery)):
        url = {"url": "https://example.org/"} if model is ReadQuery else {}
        for parameter in openapi["paths"][path]["get"]["parameters"]:
            if parameter["in"] == "query":
                for example in parameter["schema"].get("examples", ()):
                    model.model_validate({**url, parameter["name"]: example})


def test_every_schema_that_is_named_is_there(openapi: Json) -> None:
    named = set(re.findall(r"#/components/schemas/(\w+)", json.dumps(openapi)))
    assert named <= openapi["components"]["schemas"].keys()


def test_every_call_documents_its_failures_as_problems(openapi: Json) -> None:
    for path, calls in openapi["paths"].items():
        for call in calls.values():
            if path in ("/healthz", "/version"):
                continue
            failures = {s: r for s, r in call["responses"].items() if int(s) >= 400}
            assert failures, path
            for answer in failures.values():
                assert list(answer["content"]) == ["application/problem+json"], path


def test_parameters_of_read_mean_what_they_mean_in_a_request() -> None:
    shared = ReadQuery.model_fields.keys() & PageRequest.model_fields.keys()
    assert shared == ReadQuery.model_fields.keys()
    for name in shared - {
        "format",
        "main_only",
        "include",
        "exclude",
        "url",
        "wait",
        "scroll",
        "timezone",
    }:
        own, theirs = ReadQuery.model_fields[name], PageRequest.model_fields[name]
        assert (own.description, own.default) == (theirs.description, theirs.default), name
        for bad in (-1, "no such thing", [{}]):
            assert _takes(ReadQuery, name, bad) <= _takes(PageRequest, name, bad), (name, bad)


def _takes(model: Any, name: str, value: Any) -> bool:
    try:
        TypeAdapter(model).validate_python({"url": "https://example.org/", name: value})
    except ValueError:
        return False
    return True


def test_every_mark_in_the_output_is_explained() -> None:
    text = (REFERENCE / "markers.md").read_text("utf-8")
    ours = {name for names in ATTRIBUTES.values() for name in names if name.startswith("data-pf-")}
    ours |= {name for name in ELEMENTS if name.startswith("pf-")}
    assert not {name for name in ours if f"`{name}`" not in text}
