"""What holds for every answer, whatever the route does."""

from __future__ import annotations

import pytest
from fastapi import FastAPI
from starlette.testclient import TestClient

from api.middleware import SECURITY_HEADERS, Boundary


@pytest.mark.parametrize("path", ["/healthz", "/nothing", "/read", "/openapi.json"])
def test_every_answer_carries_security_headers(client: TestClient, path: str) -> None:
    headers = client.get(path).headers
    assert {name: headers[name] for name in SECURITY_HEADERS} == SECURITY_HEADERS
    assert headers["x-request-id"]


def test_what_no_one_caught_is_internal_without_a_traceback() -> None:
    app = FastAPI()

    @app.get("/")
    async def broken() -> None:
        raise RuntimeError("secret: hunter2")

    app.add_middleware(Boundary)
    response = TestClient(app).get("/")
    assert response.status_code == 500
    assert response.json()["code"] == "internal"
    assert "hunter2" not in response.text
    assert "Traceback" not in response.text
    assert response.headers["x-request-id"] in response.json()["detail"]
    assert response.headers["x-content-type-options"] == "nosniff"
