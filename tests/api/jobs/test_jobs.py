"""A job from its request to its results: what is told of it, in which order, and how it ends."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest

from api.jobs.shapes import JobOut, JobsOut, ResultsOut
from tests.api.jobs.conftest import SECRET, Service
from tests.api.test_events import parsed


def refused(service: Service, body: Any, **headers: str) -> tuple[int, str, str | None]:
    answer = service.client.post("/v1/jobs", json=body, headers=headers)
    problem = answer.json()
    return answer.status_code, problem["code"], problem.get("field")


def test_pages_are_read_and_their_results_can_be_had(service: Service) -> None:
    pages = ("/a", {"url": f"{service.site.url}/b", "format": ["markdown"]}, {"html": "<p>High"})
    at = service.start(*pages)
    job = service.ended(at)
    JobOut.model_validate(job)
    assert job["state"] == "completed"
    assert job["pages"] == {
        "total": 3, "waiting": 0, "running": 0, "done": 3, "failed": 0, "cancelled": 0,
    }  # fmt: skip
    assert (job["progress"], job["eta_s"], job["failures"], job["webhook"]) == (1.0, 0.0, {}, None)
    results = service.results(at, order="input")
    ResultsOut.model_validate({"results": results, "next": "i2", "complete": True})
    assert [each["position"] for each in results] == [0, 1, 2]
    assert [each["url"] for each in results] == [
        f"{service.site.url}/a",
        f"{service.site.url}/b",
        None,
    ]
    assert {each["state"] for each in results} == {"done"}
    contents = [each["page"]["content"] for each in results]
    assert "Low water at /a" in contents[0]["text"]
    assert contents[1].keys() == {"markdown"}
    assert "High" in contents[2]["text"]


def test_a_page_is_the_same_as_one_that_is_asked_for_alone(service: Service) -> None:
    wanted = {"html": "<h1>Tides</h1><p>Low at four.", "format": ["markdown"], "explain": True}
    at = service.start(wanted, options={})
    service.ended(at)
    [result] = service.results(at)
    alone = service.client.post("/v1/pages", json=wanted).json()
    for page in (result["page"], alone):
        page["stats"].pop("timings_ms")
        page.pop("captured_at")
    assert result["page"] == alone
    # Its snapshot is kept, so that folds can be opened.
    assert service.client.get(f"/v1/snapshots/{alone['snapshot']['id']}").status_code == 200


def test_failures_are_counted_by_code_and_end_no_job(service: Service) -> None:
    at = service.start("/ok", "http://10.1.2.3/", "http://169.254.169.254/", "ftp://a.test/")
    job = service.ended(at)
    assert (job["state"], job["pages"]["failed"]) == ("completed", 3)
    assert job["failures"] == {"blocked_address": 2, "invalid_url": 1}
    by_position = {each["position"]: each for each in service.results(at)}
    assert by_position[0]["problem"] is None
    for position, code in ((1, "blocked_address"), (2, "blocked_address"), (3, "invalid_url")):
        result = by_position[position]
        assert (result["state"], result["page"], result["tries"]) == ("failed", None, 1)
        assert result["problem"]["code"] == code
        assert result["problem"]["status"] in (403, 422)


def test_what_may_do_better_later_is_read_again_and_the_result_says_so(service: Service) -> None:
    at = service.start("/flaky", "/dead", "/sound")
    job = service.ended(at)
    assert (job["pages"]["done"], job["failures"]) == (2, {"http_protocol": 1})
    tries = [(each["state"], each["tries"]) for each in service.results(at, order="input")]
    assert tries == [("done", 2), ("failed", 3), ("done", 1)]
    assert (service.site.asked["/flaky"], service.site.asked["/dead"]) == (2, 3)


def test_results_come_in_pieces_without_gaps_or_repeats(service: Service) -> None:
    at = service.start(*(f"/piece-{n}" for n in range(7)))
    service.ended(at)
    for order, key in (("completion", "number"), ("input", "position")):
        for limit in (1, 3, 7, 100):
            found = service.results(at, order=order, limit=limit)
            assert sorted(each["position"] for each in found) == list(range(7))
            keys = [each[key] for each in found]
            assert keys == sorted(keys)
    bare = service.client.get(f"{at}/results", params={"content": False}).json()
    assert next(each["page"] for each in service.results(at)) is not None
    assert all("page" not in each for each in bare["results"])


def test_results_in_input_order_wait_for_the_first_page_that_has_not_ended(
    service: Service,
) -> None:
    service.site.release.clear()
    at = service.start("/first", "/slow-second", "/third")
    end = time.monotonic() + 30
    while service.job(at)["pages"]["done"] < 2:
        assert time.monotonic() < end
        time.sleep(0.02)
    by_input = service.client.get(f"{at}/results", params={"order": "input"}).json()
    assert [each["position"] for each in by_input["results"]] == [0]
    assert by_input["complete"] is False
    by_end = service.client.get(f"{at}/results").json()
    assert sorted(each["position"] for each in by_end["results"]) == [0, 2]
    job = service.job(at)
    assert (job["state"], job["pages"]["running"]) == ("running", 1)
    assert job["eta_s"] is not None
    service.site.release.set()
    service.ended(at)
    for before in (by_input, by_end):
        after = service.client.get(f"{at}/results", params={"cursor": before["next"]}).json()
        seen = [each["position"] for each in before["results"] + after["results"]]
        assert sorted(seen) == [0, 1, 2]
        assert after["complete"] is True


def test_an_answer_with_results_is_bounded_in_bytes(service: Service) -> None:
    text = "<p>" + "low water " * 4_000  # in an answer of 100 kB there is room for two of them
    at = service.start(*({"html": text, "budget": 60_000} for _ in range(3)))
    service.ended(at)
    body = service.client.get(f"{at}/results").json()
    assert (len(body["results"]), body["complete"]) == (2, False)
    assert len(service.results(at)) == 3


def test_events_tell_of_every_page_and_of_the_end_and_can_be_taken_up(service: Service) -> None:
    at = service.start(*(f"/event-{n}" for n in range(5)))
    answer = service.client.get(f"{at}/events")
    assert answer.headers["content-type"].startswith("text/event-stream")
    blocks = [block for block in answer.text.split("\n\n") if "event: " in block]
    ids = [block.split("\n")[0].removeprefix("id: ") for block in blocks]
    assert ids == ["1", "2", "3", "4", "5", "end"]
    events = parsed(answer.text.partition("\n\n")[2])
    assert [name for name, _ in events] == ["page"] * 5 + ["end"]
    assert sorted(data["position"] for _, data in events[:5]) == list(range(5))
    assert events[-1][1] == service.job(at)
    rest = service.client.get(f"{at}/events", headers={"Last-Event-ID": "3"})
    assert parsed(rest.text.partition("\n\n")[2]) == events[3:]
    over = service.client.get(f"{at}/events", headers={"Last-Event-ID": "end"})
    assert (over.status_code, over.content) == (204, b"")
    odd = service.client.get(f"{at}/events", headers={"Last-Event-ID": "x"})
    assert (odd.status_code, odd.json()["field"]) == (422, "Last-Event-ID")


def test_cancelling_ends_running_pages_and_keeps_what_was_read(service: Service) -> None:
    service.site.release.clear()
    at = service.start("/kept", *(f"/slow-{n}" for n in range(20)))
    end = time.monotonic() + 30
    while service.site.now < 2 or service.job(at)["pages"]["done"] < 1:
        assert time.monotonic() < end
        time.sleep(0.02)
    answer = service.client.delete(at)
    assert (answer.status_code, answer.json()["state"]) == (200, "cancelled")
    assert answer.json()["pages"]["cancelled"] == 20
    end = time.monotonic() + 10
    while service.app.state.jobs.runner.running:
        assert time.monotonic() < end, "pages go on"
        time.sleep(0.02)
    service.site.release.set()
    results = service.results(at)
    assert [each["state"] for each in results] == ["done"] + ["cancelled"] * 20
    assert [each["position"] for each in results][1:] == list(range(1, 21))
    [kept, *_] = results
    assert "/kept" in kept["page"]["content"]["text"]
    last = parsed(service.client.get(f"{at}/events").text.partition("\n\n")[2])[-1]
    assert (last[0], last[1]["state"]) == ("end", "cancelled")
    asked = sum(count for path, count in service.site.asked.items() if path[:6] == "/slow-")
    assert asked <= 6, "waiting pages were read all the same"


def test_a_job_that_has_ended_can_be_forgotten_with_its_results(service: Service) -> None:
    at = service.start("/forgotten")
    service.ended(at)
    folder = service.settings.data_dir / "jobs" / "own" / at.rpartition("/")[2]
    assert len(list(folder.iterdir())) == 1
    assert service.client.delete(at).status_code == 204
    assert not folder.exists()
    for path in (at, f"{at}/results", f"{at}/events"):
        assert service.client.get(path).status_code == 404
    assert service.client.delete(at).status_code == 404


def test_a_repeated_request_makes_one_job(service: Service) -> None:
    body = {"pages": [{"html": "<p>once"}]}
    key = {"Idempotency-Key": "once-1"}
    first = service.client.post("/v1/jobs", json=body, headers=key)
    again = service.client.post("/v1/jobs", json=body, headers=key)
    assert (first.status_code, again.status_code) == (201, 201)
    assert first.headers["location"] == again.headers["location"]
    other = {"pages": [{"html": "<p>other"}]}
    assert refused(service, other, **key) == (422, "invalid_request", "Idempotency-Key")
    without = service.client.post("/v1/jobs", json=body)
    assert without.headers["location"] != first.headers["location"]


def test_jobs_are_listed_newest_first_in_pieces(service: Service) -> None:
    made = [service.start({"html": f"<p>{n}"}) for n in range(3)]
    for at in made:
        service.ended(at)
    first = service.client.get("/v1/jobs", params={"limit": 2}).json()
    JobsOut.model_validate(first)
    second = service.client.get("/v1/jobs", params={"limit": 2, "cursor": first["next"]}).json()
    ids = [job["id"] for job in first["jobs"] + second["jobs"]]
    assert ids[:3] == [at.rpartition("/")[2] for at in reversed(made)]
    for state, found in (("completed", True), ("running", False), ("queued", False)):
        listed = service.client.get("/v1/jobs", params={"state": state}).json()["jobs"]
        assert (ids[0] in [job["id"] for job in listed]) is found


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"pages": []}, "pages"),
        ({"pages": [{"colour": "red"}]}, "pages.0.colour"),
        ({"pages": [{"html": "<p>a"}, {"url": "http://a.test/", "budget": 0}]}, "pages.1.budget"),
        ({"pages": [{"html": "<p>a"}], "options": {"format": ["tiff"]}}, "pages.0.format.0"),
        ({"pages": [{}]}, "pages.0"),
        ({"pages": [{"html": "<p>a"}], "colour": 1}, "colour"),
        ({"pages": [{"html": "<p>a"}], "webhook": {"url": "http://8.8.8.8/"}}, "webhook.secret"),
    ],
)
def test_a_request_that_cannot_be_used_names_its_field(
    service: Service, body: Any, field: str
) -> None:
    assert refused(service, body) == (422, "invalid_request", field)


@pytest.mark.parametrize("secret", ["low-water", "whsec_!!!", "whsec_c2hvcnQ=", SECRET[6:]])
def test_an_unusable_secret_is_refused_and_not_repeated(service: Service, secret: str) -> None:
    hook = {"url": "http://8.8.8.8/", "secret": secret}
    answer = service.client.post("/v1/jobs", json={"pages": ["http://a.test/"], "webhook": hook})
    assert (answer.status_code, answer.json()["field"]) == (422, "webhook.secret")
    assert secret not in answer.text


def test_unknown_cursors_and_ids_are_refused(service: Service) -> None:
    at = service.start({"html": "<p>a"})
    for cursor in ("x1", "c", "c-", "c1.5", "9"):
        answer = service.client.get(f"{at}/results", params={"cursor": cursor})
        assert (answer.status_code, answer.json()["field"]) == (422, "cursor"), cursor
    mixed = service.client.get(f"{at}/results", params={"cursor": "c0", "order": "input"})
    assert (mixed.status_code, mixed.json()["field"]) == (422, "cursor")
    assert service.client.get("/v1/jobs", params={"cursor": "x"}).status_code == 422
    assert service.client.get("/v1/jobs/x").status_code == 422
    assert service.client.get(f"/v1/jobs/{'0' * 32}").status_code == 404


def test_examples_of_the_document_are_what_is_answered(service: Service) -> None:
    paths = service.client.get("/openapi.json").json()["paths"]
    shapes = {
        ("/v1/jobs", "post", "201"): JobOut,
        ("/v1/jobs", "get", "200"): JobsOut,
        ("/v1/jobs/{job_id}", "get", "200"): JobOut,
        ("/v1/jobs/{job_id}", "delete", "200"): JobOut,
        ("/v1/jobs/{job_id}/results", "get", "200"): ResultsOut,
    }
    for (path, method, status), shape in shapes.items():
        content = paths[path][method]["responses"][status]["content"]["application/json"]
        shape.model_validate(content["example"])
        assert content["schema"]["$ref"].endswith(shape.__name__)
    body = paths["/v1/jobs"]["post"]["requestBody"]["content"]["application/json"]
    assert json.dumps(body["examples"])
