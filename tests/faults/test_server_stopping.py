"""SIGTERM: not ready at once, what runs is finished or handed back, and nothing is left."""

from __future__ import annotations

import signal
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

import httpx2
import pytest

from tests.faults.serving import Service, SlowSite, eventually, service, slow_site

#: Several real services start here, perhaps on a busy machine.
pytestmark = pytest.mark.timeout(300)


def _hosts(site: SlowSite) -> str:
    return f"127.0.0.1:{site.server_port}"


def _ask(
    running: Service, site: SlowSite, workers: ThreadPoolExecutor, count: int
) -> list[Future[httpx2.Response]]:
    """Requests for pages that do not come yet, all of them at the site."""
    asked = [workers.submit(running.get, "/read", url=f"{site.url}/slow{n}") for n in range(count)]
    eventually(lambda: len(site.asked) == count)
    return asked


def test_stopping_under_load_refuses_new_requests_finishes_old_ones_and_leaves_no_child(
    tmp_path: Path,
) -> None:
    with (
        slow_site() as site,
        service(tmp_path, allow_hosts=_hosts(site), concurrency=3) as running,
        ThreadPoolExecutor(8) as workers,
    ):
        answers = _ask(running, site, workers, 3)
        children = running.children()
        assert children
        running.terminate()
        eventually(lambda: running.get("/readyz").status_code == 503)
        assert running.get("/readyz").json()["code"] == "draining"
        refused = running.get("/read", url=f"{site.url}/now")
        assert (refused.status_code, refused.json()["code"]) == (503, "draining")
        assert int(refused.headers["Retry-After"]) >= 1
        assert refused.headers["Content-Type"] == "application/problem+json"
        assert running.get("/healthz").status_code == 200
        site.release.set()
        assert [answer.result().status_code for answer in answers] == [200, 200, 200]
        assert running.process.wait(30) == 0
        _ended(children)
    assert "/now" not in site.asked


def test_what_outlasts_the_grace_period_is_handed_back_to_be_tried_again(tmp_path: Path) -> None:
    with (
        slow_site() as site,
        service(tmp_path, allow_hosts=_hosts(site), concurrency=1, shutdown_grace_s=1) as running,
        ThreadPoolExecutor(4) as workers,
    ):
        [answer] = _ask(running, site, workers, 1)
        waiting = workers.submit(running.get, "/read", url=f"{site.url}/slow")
        eventually(lambda: running.gauge("pagefold_queue_waiting") == 1)
        children = running.children()
        running.terminate()
        for handed_back in (answer.result(), waiting.result()):
            assert (handed_back.status_code, handed_back.json()["code"]) == (503, "draining")
            assert handed_back.json()["retryable"]
            assert int(handed_back.headers["Retry-After"]) >= 1
        assert running.process.wait(30) == 0
        _ended(children)


def test_idle_service_ends_by_interrupt_and_logs_start_and_end_once(tmp_path: Path) -> None:
    # With the demo site, which is a server in the same process.
    with service(tmp_path, demo=True) as running:
        idle = running.connect()
        children = running.children()
        running.process.send_signal(signal.SIGINT)
        assert running.process.wait(30) == 0
        idle.close()
        _ended(children)
    log = running.log.read_text()
    assert log.count("Started server process") == 1, log
    assert log.count("Finished server process") == 1, log


def test_client_that_takes_no_answer_does_not_keep_a_stopping_service_alive(
    tmp_path: Path,
) -> None:
    big = "<p>" + "harbour " * 100_000 + "</p>"
    with service(tmp_path, shutdown_grace_s=2) as running:
        body = {"html": big, "format": ["html"], "budget": 10_000_000}
        made = running.post("/v1/pages", body)
        assert made.status_code == 200, made.text
        stored = made.json()["snapshot"]["id"]
        target = f"/v1/snapshots/{stored}?format=json&budget=10000000"
        slow = [
            running.connect(f"GET {target} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".encode())
            for _ in "12"
        ]
        for each in slow:
            assert each.recv(1) == b"H"
        running.terminate()
        assert running.process.wait(30) == 0
        for each in slow:
            each.close()


def _ended(pids: list[int]) -> None:
    eventually(lambda: not any(map(_alive, pids)))


def _alive(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"  # a zombie has ended; who reaps it is the init's affair
