"""Ready means that a page can be read: two failures in a row before red, and one answer reused."""

from __future__ import annotations

import asyncio
import shutil
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from api.app import create_app
from api.readiness import Check, Readiness
from api.settings import ApiSettings


def readiness(*, ttl_s: float = 0, timeout_s: float = 5, **checks: Check) -> Readiness:
    return Readiness(checks, ttl_s=ttl_s, timeout_s=timeout_s)


async def fine() -> None:
    return None


async def broken() -> None:
    raise OSError("/root/data: disk full")


async def test_one_failure_is_a_hiccup_and_two_are_red() -> None:
    answers = [broken, fine, broken, broken, fine]

    async def check() -> None:
        await answers.pop(0)()

    ready = readiness(store=check, other=fine)
    seen = [await ready.failures() for _ in range(5)]
    assert seen == [{}, {}, {}, {"store": "failed with OSError"}, {}]


async def test_answer_is_reused_for_a_while_and_callers_share_one_check() -> None:
    calls = 0

    async def check() -> None:
        nonlocal calls
        calls += 1
        await asyncio.sleep(0.01)

    ready = readiness(ttl_s=60, store=check)
    await asyncio.gather(*(ready.failures() for _ in range(20)))
    assert calls == 1


async def test_hanging_check_fails_and_is_not_started_again_while_it_hangs() -> None:
    calls = 0
    answers = asyncio.Event()

    async def check() -> None:
        nonlocal calls
        calls += 1
        await answers.wait()

    ready = readiness(timeout_s=0.01, store=check, other=fine)
    assert await ready.failures() == {}
    assert await ready.failures() == {"store": "no answer in time"}
    assert calls == 1
    answers.set()
    await asyncio.sleep(0.01)
    assert await ready.failures() == {}
    await ready.close()


async def test_closing_ends_what_hangs() -> None:
    ready = readiness(timeout_s=0.01, store=asyncio.Event().wait)  # type: ignore[arg-type]
    await ready.failures()
    await ready.close()
    assert len(asyncio.all_tasks()) == 1


def test_browser_stores_and_egress_are_tried(tmp_path: Path) -> None:
    settings = ApiSettings(data_dir=tmp_path / "data", concurrency=1, ready_ttl_s=0)
    app = create_app(settings)
    with TestClient(app, base_url="http://127.0.0.1:8000") as client:
        assert client.get("/readyz").json() == {"status": "ready"}
        checks = app.state.readiness._checks
        assert checks.keys() == {"browser", "tabs", "egress", "snapshots", "sessions", "archive"}
        # Each of them fails when what it tries is gone.
        shutil.rmtree(tmp_path / "data")
        (tmp_path / "data").write_text("a file where a folder was")
        app.state.extractor.proxy._server.close()
        assert client.get("/readyz").status_code == 200
        answer = client.get("/readyz")
        assert (answer.status_code, answer.json()["code"]) == (503, "unhealthy")
        assert int(answer.headers["Retry-After"]) >= 1
        detail = answer.json()["detail"]
        assert "egress: " in detail
        assert "snapshots: " in detail
        assert str(tmp_path) not in answer.text


@pytest.mark.parametrize("path", ["/healthz", "/version", "/metrics"])
def test_other_answers_do_not_wait_for_checks(client: TestClient, path: str) -> None:
    assert client.get(path).status_code == 200
