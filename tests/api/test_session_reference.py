"""``docs/reference/sessions.md`` against the OpenAPI document: routes, parameters, fields, errors."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from api.access_schema import ADMISSION, ANYWHERE, REFUSALS
from api.errors import CATALOGUE
from api.read import PAGE_ERRORS

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "sessions.md"
_HEADING = re.compile(r"^## ((?:GET|POST|PUT|DELETE) /\S+)$", re.MULTILINE)


def sections() -> dict[str, str]:
    parts = _HEADING.split(PAGE.read_text("utf-8"))[1:]
    return dict(zip(parts[::2], parts[1::2], strict=True))


@pytest.fixture(scope="module")
def schema(client: TestClient) -> dict[str, Any]:
    found: dict[str, Any] = client.get("/openapi.json").json()
    return found


def operations(schema: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {
        f"{method.upper()} {path}": operation
        for path, methods in schema["paths"].items()
        for method, operation in methods.items()
        if "sessions" in operation.get("tags", ())
    }


def test_every_route_has_its_section(schema: dict[str, Any]) -> None:
    assert sections().keys() == operations(schema).keys()


def test_every_parameter_and_field_is_named(schema: dict[str, Any]) -> None:
    for route, operation in operations(schema).items():
        names = {p["name"] for p in operation.get("parameters", ()) if p["in"] != "path"}
        if "requestBody" in operation:
            ref = operation["requestBody"]["content"]["application/json"]["schema"]["$ref"]
            names |= schema["components"]["schemas"][ref.rsplit("/", 1)[1]]["properties"].keys()
        missing = {name for name in names if f"`{name}`" not in sections()[route]}
        assert not missing, route


def test_every_error_is_named(schema: dict[str, Any]) -> None:
    every_route = {"forbidden", "request_timeout", *REFUSALS, *ADMISSION, *ANYWHERE}
    introduction = _HEADING.split(PAGE.read_text("utf-8"))[0]
    assert every_route <= set(re.findall(r"`(\w+)`", introduction))
    for route, operation in operations(schema).items():
        possible = {
            code
            for answer in operation["responses"].values()
            for media in answer.get("content", {}).values()
            for code in media.get("examples", ())
        }
        named = set(re.findall(r"`(\w+)`", sections()[route].split("Errors:", 1)[1]))
        named &= CATALOGUE.keys()
        if route.endswith("/pages"):
            # It names the common ones of reading a page and points to the list.
            assert named <= possible
            assert {"invalid_request", *PAGE_ERRORS} <= possible
            continue
        assert named - every_route == possible - every_route, route
