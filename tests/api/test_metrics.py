"""What is counted, and that neither callers nor pages can make more series of it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from prometheus_client.parser import text_string_to_metric_families
from starlette.responses import PlainTextResponse
from starlette.testclient import TestClient
from starlette.types import ASGIApp, Message
from structlog.testing import capture_logs

from api.app import create_app
from api.demo import DemoServer
from api.lag import LoopLag
from api.metrics import Metrics
from api.settings import ApiSettings
from api.watched import Watched

URLS = 10_000


def series(text: str) -> dict[tuple[str, tuple[tuple[str, str], ...]], float]:
    """Every series with its value, as Prometheus' own parser reads it."""
    return {
        (sample.name, tuple(sorted(sample.labels.items()))): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


def value(client: TestClient, name: str, **labels: str) -> float:
    return series(client.get("/metrics").text).get((name, tuple(sorted(labels.items()))), 0)


def test_page_is_counted_with_its_stages_bytes_and_snapshot(
    client: TestClient, demo: DemoServer
) -> None:
    before = series(client.get("/metrics").text)
    answer = client.get("/read", params={"url": f"{demo.url}/article"})
    stored = answer.headers["X-Pagefold-Snapshot"]
    client.get(f"/v1/snapshots/{stored}")
    client.get(f"/v1/snapshots/{'0' * 32}")
    after = series(client.get("/metrics").text)

    def growth(name: str, **labels: str) -> float:
        key = (name, tuple(sorted(labels.items())))
        return after[key] - before.get(key, 0)

    assert growth("pagefold_pages_total", complete="true") == 1
    for stage in ("queue", "capture", "filter"):
        assert growth("pagefold_stage_seconds_count", stage=stage) == 1
        assert growth("pagefold_stage_seconds_sum", stage=stage) > 0
    assert growth("pagefold_page_bytes_total") > 1_000
    assert growth("pagefold_snapshots_total", outcome="hit") == 1
    assert growth("pagefold_snapshots_total", outcome="miss") == 1
    assert growth("pagefold_failures_total", code="not_found") == 1
    assert growth("pagefold_requests_total", route="/read", method="GET", status="200") == 1
    assert (
        growth(
            "pagefold_requests_total",
            route="/v1/snapshots/{snapshot_id}",
            method="GET",
            status="404",
        )
        == 1
    )


def test_compaction_is_counted_with_its_ratio_and_steps(client: TestClient) -> None:
    def counts() -> tuple[float, float, float]:
        name = "pagefold_compaction_ratio"
        return (
            value(client, f"{name}_count"),
            value(client, f"{name}_sum"),
            value(client, "pagefold_compaction_changes_total", step="truncate"),
        )

    count, total, cut = counts()
    at = client.post("/v1/sessions", json={"budget_chars": 10_000}).headers["Location"]
    tool = {"type": "tool_use", "id": "t1", "name": "shell", "input": {}}
    result = {"type": "tool_result", "tool_use_id": "t1", "content": "x" * 1_500}
    client.post(
        f"{at}/messages",
        json={
            "messages": [
                {"role": "user", "content": "Go"},
                {"role": "assistant", "content": [tool]},
                {"role": "user", "content": [result]},
            ]
        },
    )
    after = counts()
    assert after[0] == count + 1
    assert 0 < after[1] - total <= 1
    assert after[2] >= cut


def test_request_bodies_are_counted_as_they_arrive(client: TestClient) -> None:
    before = value(client, "pagefold_request_body_bytes_total")
    client.post("/v1/pages", content=b"x" * 500)
    assert value(client, "pagefold_request_body_bytes_total") == before + 500


def test_gauges_of_queue_slots_browser_and_loop_are_there(client: TestClient) -> None:
    assert value(client, "pagefold_slots") == 1
    assert value(client, "pagefold_browser_up") == 1
    # That of the tabs starts with the first of them, and is not missed before.
    assert value(client, "pagefold_tab_browser_up") == 1
    found = {name for name, _ in series(client.get("/metrics").text)}
    assert {
        "pagefold_slots_taken",
        "pagefold_queue_waiting",
        "pagefold_loop_lag_seconds",
        "pagefold_tab_browsers",
        "pagefold_tab_browser_launches_total",
        "pagefold_tab_browser_memory_bytes",
        "pagefold_requests_running",
        "process_resident_memory_bytes",
    } <= found


async def _ask(app: ASGIApp, method: str, path: str, query: str = "") -> None:
    async def receive() -> Message:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: Message) -> None:
        return None

    scope = {
        "type": "http", "http_version": "1.1", "method": method, "path": path, "root_path": "",
        "raw_path": path.encode(), "query_string": query.encode(), "scheme": "http",
        "headers": [(b"host", b"127.0.0.1:8000")], "server": ("127.0.0.1", 8000),
        "client": ("127.0.0.1", 9),
    }  # fmt: skip
    await app(scope, receive, send)


async def test_ten_thousand_urls_make_no_new_series(tmp_path: Path) -> None:
    service = create_app(ApiSettings(max_running=64, data_dir=tmp_path))
    metrics: Metrics = service.state.metrics

    async def ask(app: ASGIApp, number: int) -> None:
        query = f"url=https://user:secret@h{number}.example/"
        await _ask(app, "GET", f"/{number}", query)
        await _ask(app, "GET", f"/v1/snapshots/{number}", query)
        await _ask(app, f"ODD{number}", "/healthz")
        await _ask(app, f"ODD{number}", f"/{number}")

    with capture_logs() as logs:
        for number in range(10):
            await ask(service, number)
        few = series(metrics.text().decode()).keys()
        for number in range(10, 100):
            await ask(service, number)
        # The rest without what stands between the counting and the routes, and without what answers.
        counted = Watched(PlainTextResponse("", 404), metrics)
        for number in range(URLS):
            await _ask(counted, "GET" if number % 2 else f"ODD{number}", f"/{number}")
    many = series(metrics.text().decode())
    assert many.keys() == few
    assert sum(n for (name, _), n in many.items() if name == "pagefold_requests_total") > URLS
    for written in (metrics.text().decode(), repr(logs)):
        assert "secret" not in written
        assert "example" not in written


def test_loop_lag_is_the_worst_of_the_last_half_minute() -> None:
    lag = LoopLag()
    for now, late in ((0, 0.5), (1, 0.1), (2, 0.3), (20, 0.2)):
        lag._note(now, late)
    assert lag.worst_s == 0.5
    lag._note(31, 0.0)
    assert lag.worst_s == 0.3
    lag._note(45, 0.0)
    assert lag.worst_s == 0.2
    lag._note(80, 0.01)
    assert lag.worst_s == 0.01


def test_libraries_do_not_know_what_counts_them() -> None:
    done = subprocess.run(
        [sys.executable, "-c", "import extractor, compactor, sys; print(sorted(sys.modules))"],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert "'extractor'" in done.stdout
    for name in ("prometheus_client", "opentelemetry.sdk", "fastapi"):
        assert f"'{name}'" not in done.stdout
