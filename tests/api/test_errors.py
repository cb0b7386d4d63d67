"""Every failure is a problem document that says which field, which code and what to do."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

import compactor.errors as compactor_errors
import extractor.errors as extractor_errors
from api.demo import DemoServer
from api.errors import CATALOGUE, problem
from tests.docs.fences import blocks

REFERENCE = Path(__file__).parents[2] / "docs" / "reference" / "errors.md"


def assert_problem(response: Any, status: int, code: str) -> dict[str, Any]:
    assert response.status_code == status, response.text
    assert response.headers["content-type"] == "application/problem+json"
    body: dict[str, Any] = response.json()
    assert {"type", "title", "status", "detail", "code", "phase", "retryable"} <= body.keys()
    assert (body["status"], body["code"]) == (status, code)
    assert body["type"] == f"urn:pagefold:error:{code}"
    assert body["detail"]
    return body


def test_unknown_field_of_a_body_is_named(client: TestClient) -> None:
    response = client.post("/v1/pages", json={"url": "https://example.org/", "colour": "red"})
    body = assert_problem(response, 422, "invalid_request")
    assert body["field"] == "colour"
    assert "'colour'" in body["detail"]


@pytest.mark.parametrize(
    ("path", "body", "field", "meant"),
    [
        ("/v1/pages", {"url": "https://example.org/", "formats": ["text"]}, "formats", "'format'"),
        ("/v1/sessions", {"budget": 9_000}, "budget", "'budget_chars'"),
        (
            "/v1/pages",
            {"url": "https://e.org/", "viewport": {"widht": 9}},
            "viewport.widht",
            "'width'",
        ),
    ],
)
def test_a_field_that_was_nearly_right_is_told(
    client: TestClient, path: str, body: dict[str, Any], field: str, meant: str
) -> None:
    problem = assert_problem(client.post(path, json=body), 422, "invalid_request")
    assert problem["field"] == field
    assert f"Did you mean {meant}" in problem["detail"]


def test_a_parameter_that_was_nearly_right_is_told(client: TestClient) -> None:
    response = client.get("/read?url=http://example.org/&buget=900")
    assert "Did you mean 'budget'" in assert_problem(response, 422, "invalid_request")["detail"]


def test_unknown_parameter_is_named(client: TestClient) -> None:
    response = client.get("/read?url=http://example.org/?a=1&zz=2")
    problem = assert_problem(response, 422, "invalid_request")
    assert problem["field"] == "zz"
    assert "%26" in problem["detail"]


def test_missing_url_is_named(client: TestClient) -> None:
    assert assert_problem(client.get("/read"), 422, "invalid_request")["field"] == "url"


def test_broken_json_is_an_invalid_request(client: TestClient) -> None:
    response = client.post("/v1/pages", content=b"{", headers={"content-type": "application/json"})
    assert_problem(response, 422, "invalid_request")


def test_body_without_its_type_says_which_to_send(client: TestClient) -> None:
    response = client.post("/v1/pages", content=b'{"html": "<p>A"}')
    assert "application/json" in assert_problem(response, 422, "invalid_request")["detail"]


@pytest.mark.parametrize("url", ["ftp://example.org/", "file:///etc/passwd", "not a url"])
def test_unusable_url_is_refused(client: TestClient, url: str) -> None:
    assert_problem(client.get("/read", params={"url": url}), 422, "invalid_url")


@pytest.mark.parametrize("render", ["static", "browser"])
@pytest.mark.parametrize(
    "url",
    [
        "http://169.254.169.254/latest/meta-data/",
        "http://localhost:9/",
        "http://127.0.0.1:8000/healthz",
        "http://10.1.2.3/",
    ],
)
def test_private_address_is_blocked(client: TestClient, url: str, render: str) -> None:
    response = client.get("/read", params={"url": url, "render": render})
    body = assert_problem(response, 403, "blocked_address")
    assert body["retryable"] is False


def test_budget_under_500_is_impossible(client: TestClient, demo: DemoServer) -> None:
    url = f"{demo.url}/article"
    params: dict[str, str | int] = {"url": url, "render": "static", "budget": 20}
    assert_problem(client.get("/read", params=params), 422, "budget_impossible")


def test_wrong_selector_is_refused(client: TestClient) -> None:
    response = client.post("/v1/pages", json={"html": "<p>Text here.</p>", "include": ["p[[["]})
    assert_problem(response, 422, "invalid_selector")


def test_unknown_path_is_not_found(client: TestClient) -> None:
    assert_problem(client.get("/nothing"), 404, "not_found")


def test_wrong_method_is_named_with_the_right_ones(client: TestClient) -> None:
    response = client.delete("/read")
    assert_problem(response, 405, "method_not_allowed")
    assert "GET" in response.headers["allow"]


def test_unknown_snapshot_is_not_found(client: TestClient) -> None:
    assert_problem(client.get(f"/v1/snapshots/{'0' * 32}"), 404, "not_found")


def test_malformed_snapshot_id_is_an_invalid_request(client: TestClient) -> None:
    assert_problem(client.get("/v1/snapshots/..%2e"), 422, "invalid_request")


def test_declared_body_over_the_limit_is_refused(client: TestClient) -> None:
    response = client.post("/v1/pages", json={"html": "x" * 3_000})
    body = assert_problem(response, 413, "body_too_large")
    assert "2000" in body["detail"]


def test_undeclared_body_is_counted_as_it_arrives(client: TestClient) -> None:
    def chunks() -> Any:
        yield b'{"html": "'
        for _ in range(30):
            yield b"x" * 100
        yield b'"}'

    response = client.post(
        "/v1/pages", content=chunks(), headers={"content-type": "application/json"}
    )
    assert "content-length" not in response.request.headers
    assert_problem(response, 413, "body_too_large")


def test_busy_and_unready_say_when_to_come_again() -> None:
    assert problem("busy", "Full.", retry_after_s=2.2).headers["retry-after"] == "3"
    assert problem("draining", "Stopping.").headers["retry-after"] == "1"
    assert "retry-after" not in problem("dns", "No such host.").headers


def _retryable_by_code() -> dict[str, set[bool]]:
    """What the error classes of both packages say of each code."""
    said: dict[str, set[bool]] = {}
    for module, base in (
        (extractor_errors, extractor_errors.ExtractorError),
        (compactor_errors, compactor_errors.CompactorError),
    ):
        for kind in vars(module).values():
            if isinstance(kind, type) and issubclass(kind, base) and "code" in vars(kind):
                said.setdefault(kind.code, set()).add(kind.retryable)
    return said


def test_every_code_of_a_class_has_a_status() -> None:
    assert _retryable_by_code().keys() <= CATALOGUE.keys()


def test_the_reference_lists_every_code_as_the_classes_have_it() -> None:
    rows = re.findall(
        r"^\| `(\w+)` \| (\d{3}) \| (yes|no) \| ([^|]+) \| ([^|]+) \|$",
        REFERENCE.read_text("utf-8"),
        re.MULTILINE,
    )
    assert {row[0]: int(row[1]) for row in rows} == {
        code: status for code, (status, _) in CATALOGUE.items()
    }
    written = {row[0]: {row[2] == "yes"} for row in rows}
    said = _retryable_by_code()
    assert {code: written[code] for code in said} == said


def test_what_may_be_retried_is_never_a_fault_of_the_request() -> None:
    for code, retryable in _retryable_by_code().items():
        assert not (retryable == {True} and CATALOGUE[code][0] in (403, 404, 412, 413, 422)), code


def test_the_example_of_the_reference_is_an_answer(client: TestClient) -> None:
    [shown] = blocks("docs/reference/errors.md", "json")
    answer = client.get("/read", params={"url": "http://169.254.169.254/"})
    assert answer.json() == json.loads(shown)
