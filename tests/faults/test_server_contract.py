"""Whatever is sent to any call: an answer that OpenAPI describes, no failure of ours, and a healthy service.

In a namespace of its own, since made-up addresses may be those of someone.
"""

from __future__ import annotations

import json
import string
from collections.abc import Iterator
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from schemathesis.checks import CHECKS

from api.errors import CATALOGUE
from tests.faults.serving import Service, eventually, service

pytestmark = [pytest.mark.hostile, pytest.mark.timeout(300)]

EXAMPLES = 12
BOUNDED = settings(
    max_examples=EXAMPLES,
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=list(HealthCheck),
)
FUZZED = settings(BOUNDED, max_examples=80)


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    bounds = {"deadline_s": 3, "settle_cap_s": 0.5, "concurrency": 2, "dns_timeout_s": 1}
    # Short deadlines and a busy machine are no reason to take the browser for stuck.
    bounds |= {"hang_timeout_s": 60, "stuck_deadlines": 20}
    with service(tmp_path_factory.mktemp("contract"), demo=True, **bounds) as made:
        yield made
        assert made.lines("unhandled") == []
        assert made.get("/healthz").status_code == made.get("/readyz").status_code == 200


CONFORMANCE = (
    "status_code_conformance",
    "content_type_conformance",
    "response_schema_conformance",
    "response_headers_conformance",
)


@pytest.fixture(scope="module")
def existing(running: Service, session: str) -> dict[str, Any]:
    """Ids of what is there, by the name of their parameter."""
    below = f"/v1/sessions/{session}"
    messages = {"message": {"role": "user", "content": "Why did the import stop?"}}
    assert running.post(f"{below}/messages", messages).status_code == 200
    for what, body in (
        ("hypotheses", {"claim": "It is the disk."}),
        ("decisions", {"text": "Look at the disk."}),
    ):
        assert running.post(f"{below}/{what}", body).status_code == 200
    page = {"html": "<p>Low water is at four.</p>", "format": ["html"]}
    shop = f"http://127.0.0.1:{running.demo_port}/counter"
    # The first one waits for its browser, for which these deadlines may be too short.
    eventually(lambda: running.post("/v1/tabs", {"url": shop}).status_code == 201)
    return {
        "session_id": session,
        "snapshot_id": running.post("/v1/pages", page).json()["snapshot"]["id"],
        "tab_id": running.get("/v1/tabs").json()["tabs"][0]["id"],
        "message": 0,
        "item": "h1",
    }


def test_every_call_answers_as_its_description_says(
    running: Service, existing: dict[str, Any]
) -> None:
    schema = schemathesis.openapi.from_url(f"{running.url}/openapi.json")
    checks = [CHECKS.get_one(name) for name in CONFORMANCE]
    operations = [result.ok() for result in schema.get_all_operations()]
    assert len(operations) >= 70
    for operation in operations:
        # What is there stays there for the calls that follow.
        named = {} if operation.method.upper() == "DELETE" else existing
        _answers_as_it_says(operation, named, checks)


def _answers_as_it_says(operation: Any, named: dict[str, Any], checks: list[Any]) -> None:
    @BOUNDED
    @given(case=operation.as_strategy(), there=st.booleans())
    def answers(case: schemathesis.Case, there: bool) -> None:
        for name in named.keys() & (case.path_parameters or {}).keys() if there else ():
            case.path_parameters[name] = named[name]
        response = case.call()
        _is_no_failure_of_ours(response.status_code, response.headers, response.content)
        case.validate_response(response, checks=checks)

    answers()


def _is_no_failure_of_ours(status: int, headers: Any, body: bytes) -> None:
    if status < 400:
        return
    media = headers["content-type"]
    assert (media if isinstance(media, str) else media[0]) == "application/problem+json"
    document = json.loads(body)
    assert document["code"] in CATALOGUE
    assert document["code"] != "internal", document
    assert document["status"] == status == CATALOGUE[document["code"]][0]


_names = st.sampled_from(
    "url html format budget query wait viewport headers cookies messages message content role tools "
    "system policy page profile type id text limits".split()
) | st.text(max_size=8)
JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(st.characters(codec=None, exclude_categories=()), max_size=30)
    | st.sampled_from(["\x00", "\ud800", "1e999", "../..", "'; --", "9" * 400, "https://a/"]),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(_names, inner, max_size=4),
    max_leaves=12,
)
POSTS = (
    "/v1/pages", "/v1/compact", "/v1/validate", "/v1/sessions", "/v1/sessions/{id}/messages",
    "/v1/sessions/{id}/pages", "/v1/sessions/{id}/evidence", "/v1/sessions/{id}/hypotheses",
    "/v1/sessions/{id}/actions", "/v1/sessions/{id}/children", "/v1/sessions/{id}/recall", "/v1/jobs",
    "/v1/tabs",
)  # fmt: skip


def _sent(running: Service, method: str, path: str, body: bytes, headers: dict[str, bytes]) -> None:
    """Over a raw connection: clients would mend half of it."""
    lines = [f"{method} {path} HTTP/1.1".encode(), b"Host: 127.0.0.1", b"Connection: close"]
    lines += [name.encode() + b": " + value for name, value in headers.items()]
    if body or method == "POST":
        lines.append(b"Content-Length: %d" % len(body))
    with running.connect(b"\r\n".join([*lines, b"", b""]) + body) as client:
        answer = b""
        while part := client.recv(65_536):
            answer += part
    head, _, rest = answer.partition(b"\r\n\r\n")
    status = int(head.split(b" ", 2)[1])
    found = dict(line.decode("latin-1").lower().split(": ", 1) for line in head.split(b"\r\n")[1:])
    if method != "HEAD":
        _is_no_failure_of_ours(status, found, rest)
    assert status != 500


@pytest.fixture(scope="module")
def session(running: Service) -> str:
    return str(running.post("/v1/sessions", {"budget_chars": 20_000}).json()["id"])


@FUZZED
@given(path=st.sampled_from(POSTS), value=JSON)
def test_any_json_is_answered(running: Service, session: str, path: str, value: Any) -> None:
    body = json.dumps(value).encode()
    _sent(running, "POST", path.format(id=session), body, {"Content-Type": b"application/json"})


@FUZZED
@given(
    path=st.sampled_from(POSTS),
    body=st.binary(max_size=200) | st.sampled_from([b"[" * 5_000, b'{"a":' * 5_000, b"\xff\xfe{}"]),
    media=st.sampled_from(
        [b"application/json", b"text/plain", b"multipart/form-data; boundary=x", b"\xff", b""]
    ),
)
def test_any_body_is_answered(
    running: Service, session: str, path: str, body: bytes, media: bytes
) -> None:
    _sent(running, "POST", path.format(id=session), body, {"Content-Type": media})


_visible = "".join(chr(code) for code in range(0x21, 0x7F))


@FUZZED
@given(
    path=st.text(_visible, max_size=60).map(lambda text: f"/{text}")
    | st.tuples(
        st.sampled_from(
            ["/read", "/v1/snapshots/", "/v1/sessions/", f"/v1/snapshots/{'0' * 32}/folds/"]
        ),
        st.binary(max_size=20),
    ).map(lambda parts: parts[0] + "".join(f"%{byte:02X}" for byte in parts[1])),
    method=st.sampled_from(["GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "PATCH", "BREW"]),
)
def test_any_path_is_answered(running: Service, path: str, method: str) -> None:
    _sent(running, method, path, b"", {})


@FUZZED
@given(
    name=st.sampled_from(
        ["Accept", "If-Match", "If-None-Match", "Idempotency-Key", "Authorization", "X-API-Key", "Cookie",
         "Content-Encoding", "Expect", "X-Request-Id", "Origin", "Range", "Upgrade", "Forwarded"]
    )
    | st.text(string.ascii_letters, min_size=1, max_size=10),
    value=st.binary(max_size=60).map(
        lambda raw: bytes(byte for byte in raw if byte > 0x20 and byte != 0x7F)
    ),
    way=st.sampled_from([("GET", "/version"), ("GET", "/read?url=http://10.1.2.3/"),
                         ("POST", "/v1/sessions/{id}/messages"), ("GET", "/v1/sessions/{id}/context")]),
)  # fmt: skip
def test_any_header_is_answered(
    running: Service, session: str, name: str, value: bytes, way: tuple[str, str]
) -> None:
    if name.lower() in ("host", "connection", "transfer-encoding", "content-length"):
        return
    body = b'{"message": {"role": "user", "content": "Hi"}}' if way[0] == "POST" else b""
    headers = {"Content-Type": b"application/json"} if body else {}
    _sent(running, way[0], way[1].format(id=session), body, {**headers, name: value})


@settings(FUZZED, max_examples=25)
@given(query=st.dictionaries(
    st.sampled_from("url format budget query main_only render wait_until include start count keyword".split()),
    st.text(max_size=30) | st.sampled_from(["-1", "1e9", "9" * 30, "nan", "\x00", "http://[::1", "a b"]),
    max_size=4,
))  # fmt: skip
def test_any_query_is_answered(running: Service, session: str, query: dict[str, str]) -> None:
    for path in (
        "/read",
        f"/v1/snapshots/{'0' * 32}",
        f"/v1/sessions/{session}/archive/a:0123abcd",
    ):
        answer = running.get(path, **query)
        _is_no_failure_of_ours(answer.status_code, answer.headers, answer.content)
