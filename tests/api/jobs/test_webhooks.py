"""Who asked is told when a job ends: signed, tried again, and never more than was asked for."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from api.jobs.signature import signed_headers
from tests.api.jobs.conftest import SECRET, Service
from tests.api.jobs.site import PATIENCE_S, Posted


def verified(posted: Posted, secret: str) -> dict[str, Any]:
    """The message, checked as the specification of Standard Webhooks tells receivers to do it."""
    assert posted.headers["content-type"] == "application/json"
    timestamp = posted.headers["webhook-timestamp"]
    assert abs(time.time() - int(timestamp)) < 300
    signed = f"{posted.headers['webhook-id']}.{timestamp}.{posted.body.decode()}"
    key = base64.b64decode(secret.split("_", 1)[1])
    expected = base64.b64encode(hmac.new(key, signed.encode(), hashlib.sha256).digest()).decode()
    versions = [each.split(",", 1) for each in posted.headers["webhook-signature"].split(" ")]
    assert any(hmac.compare_digest(value, expected) for name, value in versions if name == "v1")
    found: dict[str, Any] = json.loads(posted.body)
    assert found.keys() == {"type", "timestamp", "data"}
    return found


@pytest.fixture(autouse=True)
def fresh(service: Service) -> Iterator[None]:
    service.site.posted.clear()
    service.site.answer = lambda _: (204, {})
    yield
    service.site.answer = lambda _: (204, {})


def told(service: Service, at: str, true: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
    """How the webhook stands, once that is true of its messages."""
    end = time.monotonic() + PATIENCE_S
    while not true((hook := service.job(at)["webhook"])["messages"]):
        assert time.monotonic() < end, hook
        time.sleep(0.02)
    found: dict[str, Any] = hook
    return found


def hook(service: Service, **more: Any) -> dict[str, Any]:
    return {"url": f"{service.site.url}/hook?token=low-water", "secret": SECRET, **more}


def test_signature_is_that_of_the_specification() -> None:
    # The example of the reference libraries' own tests.
    headers = signed_headers(
        "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
        "msg_p5jXN8AQM9LWM0D4loKWxJek",
        1614265330,
        b'{"test": 2432232314}',
    )
    assert headers["webhook-signature"] == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="


def test_the_end_of_a_job_is_told_once_and_signed(service: Service) -> None:
    at = service.start("/told", "http://10.1.2.3/", webhook=hook(service))
    job = service.ended(at)
    shown = told(service, at, lambda messages: messages["delivered"] == 1)
    [posted] = service.site.posted
    message = verified(posted, SECRET)
    assert message["type"] == "job.completed"
    assert message["timestamp"] == job["ended_at"]
    assert message["data"] == {
        "id": job["id"], "state": "completed", "total": 2, "done": 1, "failed": 1, "cancelled": 0,
    }  # fmt: skip
    assert shown["url"] == f"{service.site.url}/hook"
    assert shown["last"] == {
        "id": posted.headers["webhook-id"], "type": "job.completed", "state": "delivered",
        "tries": 1, "status": 204, "code": None,
    }  # fmt: skip


def test_progress_is_told_after_so_many_pages(service: Service) -> None:
    pages = [{"html": f"<p>{n}"} for n in range(5)]
    at = service.start(*pages, webhook=hook(service, every=2))
    told(service, at, lambda messages: messages["delivered"] == 3)
    messages = [verified(posted, SECRET) for posted in service.site.posted]
    said = sorted((message["data"]["done"], message["type"]) for message in messages)
    assert said == [(2, "job.progress"), (4, "job.progress"), (5, "job.completed")]
    assert len({posted.headers["webhook-id"] for posted in service.site.posted}) == 3


def test_a_failed_delivery_is_tried_again_under_the_same_id(service: Service) -> None:
    answers = {1: (500, {}), 2: (302, {"Location": f"{service.site.url}/elsewhere"})}
    service.site.answer = lambda number: answers.get(number, (200, {}))
    at = service.start({"html": "<p>a"}, webhook=hook(service))
    shown = told(service, at, lambda messages: messages["delivered"] == 1)
    assert (shown["last"]["tries"], shown["last"]["status"]) == (3, 200)
    assert len({posted.headers["webhook-id"] for posted in service.site.posted}) == 1
    assert len({posted.body for posted in service.site.posted}) == 1
    assert "/elsewhere" not in service.site.asked
    for posted in service.site.posted:
        verified(posted, SECRET)


def test_a_receiver_that_wants_no_more_is_left_alone(service: Service) -> None:
    service.site.answer = lambda _: (410, {})
    pages = [{"html": f"<p>{n}"} for n in range(3)]
    at = service.start(*pages, webhook=hook(service, every=1))
    service.ended(at)
    shown = told(service, at, lambda messages: messages["waiting"] == 0)
    assert shown["messages"]["delivered"] == 0
    assert shown["last"]["state"] == "failed"
    assert len(service.site.posted) <= 3


def test_a_cancelled_job_says_so(service: Service) -> None:
    service.site.release.clear()
    at = service.start("/slow-webhook", webhook=hook(service))
    service.client.delete(at)
    service.site.release.set()
    told(service, at, lambda messages: messages["delivered"] == 1)
    [posted] = service.site.posted
    assert verified(posted, SECRET)["data"]["cancelled"] == 1


def test_the_secret_stands_in_no_answer_no_log_and_no_file(
    service: Service, capsys: pytest.CaptureFixture[str]
) -> None:
    page = {"html": "<p>a", "headers": {"X-Token": "canary-header"}}
    at = service.start(page, webhook=hook(service), headers={"Idempotency-Key": "secret-1"})
    told(service, at, lambda messages: messages["delivered"] == 1)
    said = "".join(
        service.client.get(f"{at}{path}").text for path in ("", "/results", "/events")
    ) + str(service.client.get("/v1/jobs").text)
    said += "".join(capsys.readouterr())
    kept = b"".join(
        path.read_bytes() for path in service.settings.data_dir.rglob("*") if path.is_file()
    )
    raw = base64.b64decode(SECRET[6:])
    for canary in (SECRET.encode(), SECRET[6:].encode(), raw, b"canary-header", b"low-water"):
        assert canary.decode() not in said
        assert canary not in kept


@pytest.mark.parametrize(
    ("url", "status", "code"),
    [
        ("http://10.1.2.3/hook", 403, "blocked_address"),
        ("http://169.254.169.254/", 403, "blocked_address"),
        ("http://[::ffff:10.1.2.3]/", 403, "blocked_address"),
        ("http://0x7f.1/", 403, "blocked_address"),
        ("http://localhost/", 403, "blocked_address"),
        ("http://8.8.8.8:22/", 403, "blocked_address"),
        ("file:///etc/passwd", 422, "invalid_url"),
        ("http://user:low-water@8.8.8.8/", 422, "invalid_url"),
    ],
)
def test_a_webhook_that_may_not_be_sent_to_is_refused_at_once(
    service: Service, url: str, status: int, code: str
) -> None:
    body = {"pages": [{"html": "<p>a"}], "webhook": {"url": url, "secret": SECRET}}
    answer = service.client.post("/v1/jobs", json=body)
    problem = answer.json()
    assert (answer.status_code, problem["code"], problem["field"]) == (status, code, "webhook.url")
    assert "low-water" not in answer.text
